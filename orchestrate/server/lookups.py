"""Looking agents and runs up: what the calls that change nothing answer, apart from HTTP."""

from collections.abc import Mapping

from orchestrate.server import faults
from orchestrate.server.access import Caller
from orchestrate.server.database import AgentFilter, Database
from orchestrate.server.live_runs import LiveRuns
from orchestrate.server.paging import Page
from orchestrate.server.records import AgentRecord, RunRecord, agent_answer, run_answer
from orchestrate.server.runners.contract import LiveRun, Runner, Transcript
from orchestrate.server.streams import reply_of
from orchestrate.server.usage import usage_answer

_ALL = 2**31


class Lookups:
    """Answers with what the caller may reach; everything else does not exist for it."""

    def __init__(self, *, database: Database, runners: Mapping[str, Runner], live_runs: LiveRuns) -> None:
        self._database = database
        self._runners = runners
        self._live_runs = live_runs

    def agent_record(self, caller: Caller, agent_id: str) -> AgentRecord:
        """The agent as it stands now."""
        record = self._database.agent(agent_id)
        if record is None or not caller.can_reach(record.lineage):
            raise faults.agent_not_found(agent_id)
        return record

    def agent(self, caller: Caller, agent_id: str) -> dict[str, object]:
        """The agent on the wire."""
        return self._agent_on_the_wire(self.agent_record(caller, agent_id))

    def agents(self, caller: Caller, page: Page, *, pr_url: str | None, includes_archived: bool) -> dict[str, object]:
        """A page of agents on the wire, newest first; agents that come meanwhile move nothing on later pages."""
        which = AgentFilter(below=caller.agent_id, pr_url=pr_url, includes_archived=includes_archived)
        records = self._database.agents(which, limit=page.look_ahead, before=page.before)
        return page.answer(records, on_the_wire=self._agent_on_the_wire)

    def repositories(self, caller: Caller) -> dict[str, object]:
        """The repositories that agents were given."""
        return {"items": [{"url": url} for url in self._database.repositories(below=caller.agent_id)]}

    def runs(self, caller: Caller, agent_id: str, page: Page) -> dict[str, object]:
        """A page of an agent's runs on the wire, newest first."""
        self._check_reach(caller, agent_id)
        records = self._database.runs_of(agent_id, limit=page.look_ahead, before=page.before)
        return page.answer(records, on_the_wire=self._run_on_the_wire)

    def run(self, caller: Caller, agent_id: str, run_id: str) -> dict[str, object]:
        """The run on the wire."""
        return self._run_on_the_wire(self.run_record(caller, agent_id, run_id))

    def run_record(self, caller: Caller, agent_id: str, run_id: str) -> RunRecord:
        """The run as it stands now."""
        self._check_reach(caller, agent_id)
        record = self._run_record(run_id)
        if record is None or record.agent_id != agent_id:
            raise faults.run_not_found(run_id)
        return record

    def usage(self, caller: Caller, agent_id: str, *, run_id: str | None) -> dict[str, object]:
        """What the agent's programs have reported of their usage, over all runs or of one."""
        if run_id is not None:
            return usage_answer([self.run_record(caller, agent_id, run_id)])
        self._check_reach(caller, agent_id)
        return usage_answer(self._database.runs_of(agent_id, limit=_ALL, before=None)[::-1])

    def live(self, run_id: str) -> LiveRun | None:
        """The run in memory; None once it has ended."""
        return self._live_runs.get(run_id)

    def ended_run(self, run: RunRecord) -> RunRecord:
        """The run, which has ended, as it is from now on."""
        if run.status.is_terminal:
            return run
        ended = self._database.run(run.id)
        assert ended is not None, run.id
        return ended

    def transcript(self, run: RunRecord) -> Transcript:
        """What the run has said so far."""
        return self._runners[run.runner].transcript(run)

    @property
    def is_stopping(self) -> bool:
        """Whether the server is about to end."""
        return self._live_runs.stopping.is_set()

    def _check_reach(self, caller: Caller, agent_id: str) -> None:
        lineage = self._database.lineage(agent_id)
        if lineage is None or not caller.can_reach(lineage):
            raise faults.agent_not_found(agent_id)

    def _run_record(self, run_id: str) -> RunRecord | None:
        live = self._live_runs.get(run_id)
        return live.run if live is not None else self._database.run(run_id)

    def _agent_on_the_wire(self, agent: AgentRecord) -> dict[str, object]:
        return agent_answer(agent, latest=self._run_record(agent.latest_run_id))

    def _run_on_the_wire(self, run: RunRecord) -> dict[str, object]:
        reply = reply_of(run, self.transcript(run)) if run.status.is_terminal else None
        return run_answer(run, reply=reply)
