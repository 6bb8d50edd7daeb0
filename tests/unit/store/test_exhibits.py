"""Others see plan, state and handoffs, as they are now and without secrets."""

import orjson
import pytest

from orchestrate.model.rows import Attention
from orchestrate.model.states import decode_state
from orchestrate.model.timestamps import to_timestamp
from orchestrate.store.workspace import WorkspaceStore
from orchestrate.text.redaction import Redactor
from tests.support.records import ENGINE, NOW, ROOT_SLUG, first_record, record, row

SECRET = "hunter2-and-more"


@pytest.fixture
async def store(tmp_path):
    held = await WorkspaceStore.open(tmp_path, root_slug=ROOT_SLUG, engine_id=ENGINE, now=NOW)
    held.show_without(Redactor([SECRET]))
    yield held
    await held.close()


async def test_without_a_redactor_nothing_is_shown(tmp_path):
    held = await WorkspaceStore.open(tmp_path, root_slug=ROOT_SLUG, engine_id=ENGINE, now=NOW)
    assert await held.exhibits() == {}
    await held.close()


async def test_the_state_is_exact_before_its_snapshot_is_written(store):
    await store.append([first_record(row("a"))])
    await store.append([record(2, row("a", note="x"))])
    shown = await store.exhibits()
    assert list(shown) == ["state.json"]
    assert decode_state(shown["state.json"]).rows == (row("a", note="x"),)


async def test_the_state_of_a_workspace_that_is_opened_again_is_shown(store, tmp_path):
    await store.append([first_record(row("a"))])
    await store.write_snapshot()
    await store.close()
    again = await WorkspaceStore.open(tmp_path, root_slug=ROOT_SLUG, engine_id=ENGINE, now=NOW)
    again.show_without(Redactor([SECRET]))
    shown = await again.exhibits()
    await again.close()
    assert decode_state(shown["state.json"]).rows == (row("a"),)


async def test_plan_and_handoffs_are_shown_and_nothing_else(store, tmp_path):
    (tmp_path / "plan.json").write_text('{"goal": "mend it"}\n')
    (tmp_path / "notes.md").write_text("of the user\n")
    (tmp_path / "handoffs" / "link.md").symlink_to("/etc/passwd")
    await store.write_request("a", 1, b"{}")
    await store.save_reply("a", 1, raw=b"raw", handoff=b"done\n", postmortem=("a-failure.md", b"why\n"))
    shown = await store.exhibits()
    names = ["plan.json", "handoffs/a-failure.md", "handoffs/a.md", "handoffs/attempts/a.1.md"]
    assert list(shown) == names
    assert shown["plan.json"] == b'{"goal": "mend it"}\n'


async def test_secrets_are_taken_out_of_every_file(store, tmp_path):
    (tmp_path / "plan.json").write_text(f'{{"goal": "use {SECRET}"}}')
    (tmp_path / "handoffs" / "a.md").write_text(f"used {SECRET}\n")
    lines = (Attention(to_timestamp(NOW), f"said {SECRET}"),)
    await store.append([first_record(row("a", note=f"says {SECRET}"), attention=lines)])
    shown = await store.exhibits()
    assert SECRET.encode() not in b"".join(shown.values())
    assert decode_state(shown["state.json"]).rows[0].agent_id == row("a").agent_id
    assert orjson.loads(shown["plan.json"])["goal"].startswith("use ")
    assert await store.exhibits() == shown


async def test_a_plan_that_is_half_written_stays_as_it_was_seen(store, tmp_path):
    (tmp_path / "plan.json").write_text('{"goal": "mend it"}')
    before = await store.exhibits()
    (tmp_path / "plan.json").write_text(f'{{"goal": "{SECRET}')
    assert await store.exhibits() == before
    (tmp_path / "plan.json").write_text('{"goal": "mend it all"}')
    assert (await store.exhibits())["plan.json"] == b'{"goal": "mend it all"}'


async def test_what_is_gone_is_shown_no_more(store, tmp_path):
    (tmp_path / "handoffs" / "a.md").write_text("done\n")
    assert "handoffs/a.md" in await store.exhibits()
    (tmp_path / "handoffs" / "a.md").unlink()
    assert "handoffs/a.md" not in await store.exhibits()
