import pytest

from orchestrate.cli.task_argument import known_task, plan_in_words
from orchestrate.errors import InputRefused


def test_a_known_task_is_taken():
    assert known_task("docs", ["docs", "a"], plan=".") == "docs"


def test_an_unknown_one_is_refused_with_the_nearest():
    with pytest.raises(InputRefused, match='no task "dosc"') as refusal:
        known_task("dosc", iter(["docs", "a"]), plan=".")
    assert refusal.value.hint == 'write "docs"'
    with pytest.raises(InputRefused) as refusal:
        known_task("xyzzy\x1b", ["docs"], plan="work")
    assert refusal.value.hint == "orchestrate status work -v shows all tasks"
    assert "\x1b" not in refusal.value.message


def test_the_folder_itself_reads_as_words():
    assert (plan_in_words("."), plan_in_words("work")) == ("this folder's plan", "work")
