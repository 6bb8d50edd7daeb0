"""Measurements: what the commands print beside what the handoff claims."""

import pytest

from orchestrate.core.effects import TakeMeasurements
from orchestrate.engine.measuring import Measurer
from orchestrate.errors import Refused
from orchestrate.model.plan import Measurement
from orchestrate.ports import BenchCommand, Ran
from orchestrate.text.redaction import REDACTED, Redactor
from tests.support.builders import a_handed_off_row
from tests.support.engine_room import SECRET
from tests.support.memory_store import MemoryArchive, MemoryBench
from tests.support.virtual_time import LoopClock

ROW = a_handed_off_row(head_sha="5ea")
HANDOFF = "## Measurements\n- `todos`: 4 → 0\n- `twice`: 1 → 2\n- `twice`: 1 → 3\n"


def spec(name="todos", **fields):
    return Measurement.model_validate({"name": name, "command": "count", **fields})


async def taken(printed, *specs, handoff=HANDOFF):
    bench, archive = MemoryBench(), MemoryArchive()
    bench.prints["count"] = printed
    archive.handoffs["a"] = handoff
    measurer = Measurer(bench, archive=archive, clock=LoopClock(), redactor=Redactor([SECRET]))
    event = await measurer.take(TakeMeasurements(row=ROW, measurements=specs or (spec(),)))
    assert (event.task, event.sha) == ("a", "5ea")
    return bench, event.measured


@pytest.mark.parametrize(
    ("printed", "name", "outcome", "value"),
    [
        (Ran(stdout=""), "todos", "match", "0"),
        (Ran(stdout="a\nb\n"), "todos", "value-mismatch", "2"),
        (Ran(stdout="a\n"), "other", "claim-missing", "1"),
        (Ran(stdout="a\n"), "twice", "claim-missing", "1"),
        (Ran(failure="exit status 3: no"), "todos", "command-failed", None),
        (Ran(not_run="no bwrap"), "todos", "not-run", None),
    ],
)
async def test_each_outcome_has_its_reason(printed, name, outcome, value):
    _, (measured,) = await taken(printed, spec(name))
    assert (measured.name, measured.outcome, measured.value, measured.sha) == (name, outcome, value, "5ea")
    assert measured.detail
    assert "\n" not in measured.detail


async def test_a_value_that_cannot_be_read_is_said_so():
    regex = {"parser": {"kind": "regex", "pattern": "total (\\d+)"}}
    _, (measured,) = await taken(Ran(stdout="nothing"), spec(**regex))
    assert measured.outcome == "parse-failed"


async def test_the_commands_run_on_the_commit_that_was_handed_off():
    bench, measured = await taken(Ran(stdout=""), spec(), spec("net", network=True))
    commands = (BenchCommand("count"), BenchCommand("count", has_network=True))
    assert bench.asked == [("cursor/a-1f2a", "5ea", commands)]
    assert [each.name for each in measured] == ["todos", "net"]


async def test_a_commit_that_cannot_be_had_is_not_measured():
    async def refuse():
        raise Refused("git fetch: gone", code="x")

    _, (measured,) = await taken(refuse)
    assert (measured.outcome, measured.detail) == ("not-run", "the commit cannot be had: git fetch: gone")


async def test_secrets_in_what_is_printed_reach_no_row():
    _, (measured,) = await taken(Ran(failure=f"exit status 1: {SECRET}"))
    assert measured.detail == f"exit status 1: {REDACTED}"
