"""Whatever happened to a workspace's files: they are read, or refused in our words, and stay as they are."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from orchestrate.errors import OrchestrateError
from orchestrate.model.records import encode_record
from orchestrate.model.row_format import encode_row
from orchestrate.model.states import encode_state
from orchestrate.model.workspace_format import encode_attention
from orchestrate.store.history import read_records
from orchestrate.store.loading import LoadedState, read_workspace
from tests.support.fuzzing import damaged, fuzzed, mutated
from tests.support.records import WORKSPACE, attention, first_record, record, row

REAL_STATES = [path.read_bytes() for path in sorted((Path(__file__).parents[1] / "corpus" / "states").glob("*.json"))]
RECORDS = (
    first_record(row("a"), row("b"), attention=(attention("one"),)),
    *(record(number, row("ab"[number % 2], note=f"note {number}"), row("c")) for number in range(2, 8)),
)
LINES = [encode_record(each, [encode_row(item) for item in each.rows]) for each in RECORDS]
JOURNAL = b"".join(LINES)
STATE = encode_state(
    WORKSPACE,
    rows=[encode_row(each) for each in RECORDS[0].rows],
    attention=[encode_attention(attention("one"))],
    journal_seq=1,
    journal_offset=len(LINES[0]),
)


def loaded(folder: Path, *, state: bytes | None = None, journal: bytes | None = None) -> LoadedState | None:
    """The state that these files make, or None if they are refused."""
    files = {"state.json": state, "journal.jsonl": journal}
    for name, data in files.items():
        (folder / name).unlink(missing_ok=True)
        if data is not None:
            (folder / name).write_bytes(data)
    try:
        return read_workspace(folder)
    except OrchestrateError:
        return None
    finally:
        assert all(data is None or (folder / name).read_bytes() == data for name, data in files.items())


def notes_of(state: LoadedState) -> dict[str, str | None]:
    return {name: each.note for name, each in state.rows.items()}


@pytest.mark.parametrize("state", REAL_STATES)
def test_real_states_are_read(state, tmp_path):
    assert loaded(tmp_path, state=state) is not None


@fuzzed
@given(st.sampled_from(REAL_STATES).flatmap(damaged))
def test_a_damaged_state_is_read_or_refused(tmp_path, state):
    loaded(tmp_path, state=state)


@fuzzed
@given(st.sampled_from(REAL_STATES).map(json.loads).flatmap(mutated))
def test_a_mutated_state_is_read_or_refused(tmp_path, document):
    loaded(tmp_path, state=json.dumps(document).encode())


@fuzzed
@given(st.integers(0, len(JOURNAL)), st.booleans())
def test_a_journal_cut_anywhere_tells_what_its_whole_records_say(tmp_path, length, has_snapshot):
    whole = JOURNAL[:length].count(b"\n")
    state = loaded(tmp_path, state=STATE if has_snapshot else None, journal=JOURNAL[:length])

    if has_snapshot and 0 < length < len(LINES[0]):
        assert state is None
    else:
        assert state is not None
        assert state.journal_seq == max(whole, 1 if has_snapshot else 0)
        assert notes_of(state).items() <= notes_of(loaded(tmp_path, journal=b"".join(LINES[: whole or 1]))).items()


@fuzzed
@given(damaged(JOURNAL), st.booleans())
def test_a_damaged_journal_is_read_or_refused(tmp_path, journal, has_snapshot):
    state = loaded(tmp_path, state=STATE if has_snapshot else None, journal=journal)

    if state is not None:
        assert state.journal_offset <= len(journal)
        assert journal[: state.journal_offset].endswith(b"\n") or state.journal_offset == 0


@fuzzed
@given(damaged(JOURNAL))
def test_the_history_of_a_damaged_journal_is_read_or_refused(tmp_path, journal):
    (tmp_path / "journal.jsonl").write_bytes(journal)
    with suppress(OrchestrateError):
        assert all(each.seq >= 0 for each in read_records(tmp_path))


@fuzzed
@given(
    st.integers(0, len(RECORDS) - 1).flatmap(lambda place: st.tuples(st.just(place), mutated(json.loads(LINES[place]))))
)
def test_a_mutated_record_is_read_or_refused(tmp_path, changed):
    place, document = changed
    line = json.dumps(document).encode() + b"\n"
    loaded(tmp_path, state=STATE, journal=b"".join([*LINES[:place], line, *LINES[place + 1 :]]))
