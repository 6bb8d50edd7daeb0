"""A crash at every byte of the last record: the workspace opens and goes on where the record before ended."""

import pytest

from orchestrate.store.loading import read_workspace
from orchestrate.store.workspace import WorkspaceStore
from tests.support.records import ENGINE, NOW, ROOT_SLUG, first_record, record, row


async def opened(path):
    return await WorkspaceStore.open(path, root_slug=ROOT_SLUG, engine_id=ENGINE, now=NOW)


@pytest.mark.parametrize("has_snapshot", [True, False])
async def test_a_crash_at_any_byte_of_the_last_record_loses_that_record_only(tmp_path, has_snapshot):
    store = await opened(tmp_path)
    await store.append([first_record(row("a"), row("b"))])
    if has_snapshot:
        await store.write_snapshot()
    await store.append([record(2, row("a", note="second"))])
    await store.append([record(3, row("a", note="größer", attempts=7))])
    await store.close()
    journal, state = tmp_path / "journal.jsonl", tmp_path / "state.json"
    data, snapshot = journal.read_bytes(), state.read_bytes() if has_snapshot else None
    last = data[:-1].rindex(b"\n") + 1

    for cut in range(last, len(data)):
        journal.write_bytes(data[:cut])
        state.unlink(missing_ok=True)
        if snapshot is not None:
            state.write_bytes(snapshot)

        store = await opened(tmp_path)
        assert store.loaded.rows == {"a": row("a", note="second"), "b": row("b")}, cut
        await store.append([record(3, row("b", note="again"))])
        await store.close()

        assert read_workspace(tmp_path).rows == {"a": row("a", note="second"), "b": row("b", note="again")}, cut
