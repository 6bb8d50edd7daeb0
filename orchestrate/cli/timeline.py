"""``orchestrate timeline PLAN``: when each task waited, ran, was silent and ended, and which chain took longest."""

import argparse

from orchestrate.cli import output
from orchestrate.cli.locating import locate
from orchestrate.cli.picture import Picture, picture_of
from orchestrate.cli.screens.estimate import longest_chain
from orchestrate.cli.screens.layout import rendered
from orchestrate.cli.screens.timeline import TimelineView, timeline_screen
from orchestrate.cli.screens.tracks import Doing, Track, history_of
from orchestrate.cli.settings import Settings
from orchestrate.cli.terminal import stdout_look
from orchestrate.model.timestamps import to_timestamp
from orchestrate.store.history import read_records
from orchestrate.system import SystemClock


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="plan.json or its folder")
    parser.add_argument("--all", action="store_true", help="every task that was launched, however many there are")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the timeline; exit code 0 whatever it shows."""
    picture = picture_of(locate(args.plan, needs_plan=False), now=SystemClock().now())
    view = _view(picture)
    if args.json:
        output.put_json(output.success("timeline", **_object(picture, view)))
        return 0
    look = stdout_look(settings, args, argument=picture.location.argument)
    output.put(rendered(timeline_screen(view, look, is_whole=args.all), look))
    return 0


def _view(picture: Picture) -> TimelineView:
    records = read_records(picture.location.folder)
    history = history_of(records, picture.rows, now=picture.now, is_engine_alive=picture.holder is not None)
    return TimelineView(
        slug=picture.slug,
        tally=picture.tally,
        rows=picture.rows,
        standing=picture.standing,
        history=history,
        longest=longest_chain({row.name: row for row in picture.rows}),
        elapsed_seconds=picture.elapsed_seconds,
    )


def _object(picture: Picture, view: TimelineView) -> dict[str, object]:
    """The answer to ``--json``."""
    tasks = [
        {"name": row.name, "standing": picture.standing(row).kind.value, **_track_object(view.history.tracks[row.name])}
        for row in view.rows
    ]
    fields: dict[str, object] = {**picture.heading(), "tasks": tasks}
    if view.longest is not None:
        fields["longestPath"] = {"seconds": round(view.longest.seconds, 3), "tasks": list(view.longest.names)}
    return fields


def _track_object(track: Track) -> dict[str, object]:
    tries = []
    for each in track.tries:
        told: dict[str, object] = {"attempt": each.number, "from": _at(each.start), "to": _at(each.end)}
        tries.append(told if each.ended is None else {**told, "ended": each.ended.value})
    spans = {
        doing: [{"from": _at(each.start), "to": _at(each.end)} for each in track.stretches if each.doing is doing]
        for doing in (Doing.WAITED, Doing.SILENT)
    }
    return {"tries": tries, "waited": spans[Doing.WAITED], "silent": spans[Doing.SILENT]}


def _at(moment: float) -> str:
    return to_timestamp(moment)
