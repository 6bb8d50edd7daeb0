"""``orchestrate status PLAN``: where every task stands. No network, no lock, and nothing heavy is imported."""

import argparse
from collections.abc import Sequence

from orchestrate.cli import output
from orchestrate.cli.locating import locate
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.status import StatusView, status_screen
from orchestrate.cli.settings import Settings
from orchestrate.cli.terminal import stdout_look
from orchestrate.model.workspace_format import andon_document, unpublished_document
from orchestrate.system import SystemClock

_NAMED = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print where the run stands; exit code 0 whatever that is."""
    picture = picture_of(locate(args.plan, needs_plan=False), now=SystemClock().now())
    if args.json:
        output.put_json(status_object(picture))
        return 0
    look = stdout_look(settings, args, argument=picture.location.argument, remote=picture.remote)
    output.put(rendered(status_screen(status_view(picture), look, is_verbose=bool(args.verbose)), look))
    return 0


def status_view(picture: Picture) -> StatusView:
    """What the screen of ``status`` shows of a workspace."""
    return StatusView(
        slug=picture.slug,
        rows=picture.rows,
        now=picture.now,
        waits_for=picture.waits_for,
        missing_branches=picture.missing_branches,
        attention=picture.loaded.attention,
        engine=None if picture.holder is None else picture.holder.described(),
        is_new=picture.is_new,
        last_record=picture.last_record,
        elapsed_seconds=picture.elapsed_seconds,
        plan_change=None if picture.is_new else _plan_change(picture),
        no_branches=picture.no_branches,
        notes=picture.notes,
        money=picture.money,
        andon=None if picture.loaded.workspace is None else picture.loaded.workspace.andon,
        unpublished=None if picture.loaded.workspace is None else picture.loaded.workspace.unpublished,
    )


def status_object(picture: Picture) -> dict[str, object]:
    """The answer to ``--json``; what is not known is left out."""
    fields = picture.heading()
    fields["tasks"] = [picture.task_object(row) for row in picture.rows]
    fields["attention"] = [{"at": item.at, "message": item.message} for item in picture.loaded.attention]
    workspace = picture.loaded.workspace
    if workspace is not None and workspace.andon is not None:
        fields["andon"] = andon_document(workspace.andon)
    if workspace is not None and workspace.unpublished is not None:
        fields["unpublished"] = unpublished_document(workspace.unpublished)
    if picture.last_record is not None:
        fields["lastRecordAt"] = picture.last_record
    change = None if picture.is_new else _plan_change(picture)
    if change is not None:
        fields["planChange"] = change
    return output.success("status", **fields)


def _plan_change(picture: Picture) -> str | None:
    """Tasks that came or went since an engine last read the plan."""
    if not picture.document.is_readable:
        return None
    planned = {task.name for task in picture.document.outline.named}
    known = {row.name for row in picture.rows if not row.extra.get("adHoc")}
    new, gone = sorted(planned - known), sorted(known - planned)
    words = [f"{_listed(names)} {word}" for names, word in ((new, "new"), (gone, "gone")) if names]
    return ", ".join(words) or None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} tasks"
