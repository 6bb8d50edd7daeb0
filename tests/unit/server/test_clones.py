from orchestrate.model.names import is_valid_ref
from orchestrate.server.clones import branch_name


def test_a_branch_is_named_after_the_last_part_of_the_agents_name():
    assert branch_name("root/fix-date", agent_id="bc-1").startswith("cursor/fix-date-")


def test_two_agents_of_one_name_have_two_branches():
    assert branch_name("x", agent_id="bc-1") != branch_name("x", agent_id="bc-2")


def test_any_name_gives_a_branch_that_git_takes():
    for name in ("", "///", "ä ö", "..", "-x-", "a.lock", "A B\nC", "x" * 100, "~^:?*[\\"):
        assert is_valid_ref(branch_name(name, agent_id="bc-1")), name
