import pytest

from orchestrate.model.faults import Fault, path_of, quoted


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ((), ""),
        (("goal",), "goal"),
        (("tasks", 3, "dependsOn", 0), "tasks[3].dependsOn[0]"),
        (("$schema",), "$schema"),
        ((0, "a"), "[0].a"),
        (("a b",), '["a b"]'),
        (("a", "b.c"), 'a["b.c"]'),
        (("",), '[""]'),
        (("x" * 100,), '["' + "x" * 80 + '…"]'),
    ],
)
def test_a_path_is_written_as_people_write_it(location, path):
    assert path_of(location) == path


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("build", '"build"'),
        ("grün ✓", '"grün ✓"'),
        ("a\nb\x1b[31m\u202e", '"a\\nb\\u001b[31m\\u202e"'),
        ("\ud800", '"\\ud800"'),
        ("x" * 81, '"' + "x" * 80 + '…"'),
    ],
)
def test_what_the_user_wrote_is_shown_safely(text, shown):
    assert quoted(text) == shown
    shown.encode()


def test_faults_sort_by_path():
    assert sorted([Fault("b", "x"), Fault("a", "y")]) == [Fault("a", "y"), Fault("b", "x")]
