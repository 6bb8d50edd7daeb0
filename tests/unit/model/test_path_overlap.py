import pytest

from orchestrate.model.path_overlap import MAX_COMPARISONS, AllowedPath, may_overlap, overlaps_of


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("src/a.py", "src/a.py"),
        ("src", "src/a.py"),
        ("src/", "src/deep/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src/**", "src/a/b.py"),
        ("**", "anything"),
        (".", "src/a.py"),
        ("**/*.py", "src/a.py"),
        ("**/test_*.py", "tests/**"),
        ("src/*/a.py", "src/b/*.py"),
        ("src/*.py", "src/a*.py"),
        ("src/[ab].py", "src/a.py"),
        ("src/{a,b}.py", "src/a.py"),
        ("src/?.py", "src/a.py"),
        ("**/a/**", "**/b/**"),
        ("a/**/b", "a/b"),
        ("/".join(["**"] * 200), "/".join(["**"] * 200)),
    ],
)
def test_patterns_that_may_match_one_file(first, second):
    assert may_overlap(first, second)
    assert may_overlap(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("src/a.py", "src/b.py"),
        ("src", "tests"),
        ("src/**", "tests/**"),
        ("src/*.py", "src/*.js"),
        ("src/*/a.py", "src/*.py"),
        ("src/a*", "src/b*"),
        ("**/*.py", "docs/*.md"),
        ("src/a/**", "src/b/**"),
    ],
)
def test_patterns_that_never_match_one_file(first, second):
    assert not may_overlap(first, second)
    assert not may_overlap(second, first)


def found(*paths, side_by_side=lambda first, second: True):
    overlaps = overlaps_of([AllowedPath(*path) for path in paths], side_by_side=side_by_side)
    assert overlaps.is_whole
    return [(first.task, second.task, second.pattern) for first, second in overlaps.pairs]


def test_claims_meet_above_at_and_below_their_folder():
    assert found((0, 0, "src/**"), (1, 0, "src/a.py")) == [(0, 1, "src/a.py")]
    assert found((0, 0, "src/a.py"), (1, 0, "src/**")) == [(0, 1, "src/**")]
    assert found((0, 0, "src/a.py"), (1, 0, "src/a.py")) == [(0, 1, "src/a.py")]
    assert found((0, 0, "src/a.py"), (1, 0, "src/b.py")) == []
    assert found((0, 0, "src/*.py"), (1, 0, "src/*.js")) == []


def test_each_task_is_named_once_with_the_first_it_meets():
    paths = [(0, 0, "src/**"), (1, 0, "src/**"), (1, 1, "src/a.py"), (2, 0, "docs"), (2, 1, "src/a.py")]

    assert found(*paths) == [(0, 1, "src/**"), (0, 2, "src/a.py")]


def test_claims_of_one_task_do_not_meet():
    assert found((0, 0, "src/**"), (0, 1, "src/a.py")) == []


def test_tasks_that_never_run_at_once_do_not_meet():
    assert found((0, 0, "src/**"), (1, 0, "src/**"), side_by_side=lambda first, second: False) == []


@pytest.mark.parametrize("forbidden", ["src/api/**", "src/api", "src/api/", "**", "src/**"])
def test_what_one_of_them_must_leave_alone_is_no_meeting(forbidden):
    assert found((0, 0, "src/**", (forbidden,)), (1, 0, "src/api/**")) == []
    assert found((0, 0, "src/api/**"), (1, 0, "src/**", (forbidden,))) == []


@pytest.mark.parametrize("forbidden", ["src/web/**", "src/api/*.py", "docs"])
def test_forbidding_something_else_changes_nothing(forbidden):
    assert len(found((0, 0, "src/**", (forbidden,)), (1, 0, "src/api/**"))) == 1


def test_the_comparison_ends_when_it_becomes_too_much():
    paths = [AllowedPath(number, 0, "src/**") for number in range(MAX_COMPARISONS)]

    assert not overlaps_of(paths, side_by_side=lambda first, second: False).is_whole


def test_patterns_under_different_folders_cost_nothing():
    paths = [AllowedPath(number, 0, f"src/{number}/**") for number in range(MAX_COMPARISONS + 1)]

    assert overlaps_of(paths, side_by_side=lambda first, second: True).is_whole
