"""Carrying out what other processes ask, as far as that is files: a handoff for a person's word, and the answer."""

from orchestrate.core.effects import AnswerRequest, WriteAcceptance
from orchestrate.core.request_events import AcceptanceWritten, RequestAnswered, RequestUnmet
from orchestrate.errors import InputRefused
from orchestrate.ports import Requests
from orchestrate.text.acceptance import acceptance_handoff

#: So much of a request's id tells the handoffs of one task apart.
_ID_IN_NAME = 8


class Clerk:
    """Writes for the engine; a disk that fails ends the run, as everywhere."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def write_acceptance(self, effect: WriteAcceptance) -> AcceptanceWritten | RequestUnmet:
        """The handoff that says who stands for the task."""
        row = effect.row
        text = acceptance_handoff(row, branch=effect.branch, by=effect.by, at=effect.at, note=effect.note)
        try:
            path = await self._requests.save_acceptance(
                row.name, effect.request[:_ID_IN_NAME], handoff=text.encode(errors="replace")
            )
        except InputRefused as error:
            return RequestUnmet(request=effect.request, code="not_writable", message=error.message, hint=error.hint)
        return AcceptanceWritten(
            request=effect.request, task=row.name, branch=effect.branch, by=effect.by, path=path, note=effect.note
        )

    async def answer(self, effect: AnswerRequest) -> RequestAnswered:
        """The answer, and the request is gone."""
        try:
            await self._requests.answer_request(effect.answer)
        except InputRefused as error:
            return RequestAnswered(request=effect.answer.id, message=error.message)
        return RequestAnswered(request=effect.answer.id)
