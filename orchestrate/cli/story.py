"""``orchestrate story PLAN TASK``: all that happened to a task, in sentences from the journal."""

import argparse
from collections.abc import Iterable, Sequence

from orchestrate.cli import output
from orchestrate.cli.locating import locate
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.story import StoryView, story_screen
from orchestrate.cli.settings import Settings
from orchestrate.cli.task_argument import known_task
from orchestrate.cli.terminal import stdout_look
from orchestrate.core.story import OF_ALL_THAT_WAIT, Line as Sentence, story_of
from orchestrate.model.records import Record
from orchestrate.model.rows import TaskRow
from orchestrate.model.vocabulary import TaskStatus
from orchestrate.store.history import read_records
from orchestrate.system import SystemClock

_SINGLE = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", help="plan.json or its folder; . where the folder has one plan")
    parser.add_argument("task", metavar="TASK", help="name of the task")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the story; exit code 0 however it goes."""
    picture = picture_of(locate(args.plan, needs_plan=False), now=SystemClock().now())
    rows = {**{row.name: row for row in picture.rows}, **picture.loaded.rows}
    row = rows[known_task(args.task, rows, plan=picture.location.argument)]
    records = list(read_records(picture.location.folder, naming=row.name, events=OF_ALL_THAT_WAIT))
    view = _view(picture, row, records)
    if args.json:
        output.put_json(output.success("story", **_object(picture, view)))
        return 0
    look = stdout_look(settings, args, argument=picture.location.argument)
    output.put(rendered(story_screen(view, look, is_verbose=bool(args.verbose)), look))
    return 0


def _view(picture: Picture, row: TaskRow, records: Sequence[Record]) -> StoryView:
    return StoryView(
        row=row,
        how=picture.standing(row),
        sentences=story_of(records, row.name) or tuple(_from_row(row)),
        ids=list(_ids(records, row)),
        now=picture.now,
    )


def _from_row(row: TaskRow) -> Iterable[Sentence]:
    """What the row alone tells, where there is no journal."""
    if row.started_at is not None:
        yield Sentence(row.started_at, f"launch {max(1, row.attempts)}, as the state has it; there is no journal")
    if row.stalled_since is not None:
        yield Sentence(row.stalled_since, "silent since then")
    if row.finished_at is not None or (row.note and row.last_update is not None):
        at = row.finished_at or row.last_update
        assert at is not None
        words = row.status if row.status in (TaskStatus.ERROR, TaskStatus.HANDED_OFF, TaskStatus.CANCELLED) else "note"
        note = row.note or ""
        yield Sentence(at, note if note.startswith(words) else f"{words}: {note}" if note else words)


def _ids(records: Iterable[Record], row: TaskRow) -> Iterable[tuple[str, str]]:
    """Agent, run and page of each try, as far as they are known."""
    tries: dict[int, dict[str, str]] = {}
    rows = [each for record in records for each in record.rows if each.name == row.name]
    for each in (*rows, row):
        agent = each.agent_id or (each.launch.agent_id if each.launch is not None else None)
        found = {"agent": agent, "run": each.run_id, "at": each.url}
        known = {key: value for key, value in found.items() if value}
        if known:
            tries.setdefault(each.attempts, {}).update(known)
    for number, known in sorted(tries.items()):
        yield from ((f"{key} {number}" if len(tries) > _SINGLE else key, value) for key, value in known.items())
    if row.branch:
        yield "branch", row.branch


def _object(picture: Picture, view: StoryView) -> dict[str, object]:
    """The answer to ``--json``."""
    return {
        "rootSlug": picture.slug,
        "task": picture.task_object(view.row),
        "story": [{"at": each.at, "text": each.text} for each in view.sentences],
    }
