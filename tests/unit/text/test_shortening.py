import pytest
from hypothesis import given, strategies as st

from orchestrate.text.shortening import fair_shares, shortened


@pytest.mark.parametrize(
    ("sizes", "budget", "shares"),
    [
        ([10, 20], 100, [10, 20]),
        ([10, 100, 100], 110, [10, 50, 50]),
        ([100, 1, 100], 60, [29, 1, 30]),
        ([40] * 20, 60, [3] * 20),
        ([], 10, []),
    ],
)
def test_small_ones_are_whole_and_the_others_share(sizes, budget, shares):
    assert fair_shares(sizes, budget=budget) == shares


@given(st.lists(st.integers(0, 1000), max_size=30), st.integers(0, 5000))
def test_shares_never_exceed_the_budget(sizes, budget):
    shares = fair_shares(sizes, budget=budget)
    assert sum(shares) <= budget
    assert sum(shares) == min(budget, sum(sizes))


def test_a_text_that_fits_is_whole():
    assert shortened("abc", limit=3) == "abc"


def test_a_cut_is_marked_and_keeps_head_and_tail():
    text = "first line\n" + "x\n" * 2000 + "last line"
    short = shortened(text, limit=500, whole_text="handoffs/a.md")
    assert short.startswith("first line\n")
    assert short.endswith("last line")
    assert "of this handoff were left out here; the whole text is in handoffs/a.md ...]" in short
    assert len(short.encode()) <= 500


def test_characters_are_not_cut_in_two():
    short = shortened("é" * 1000, limit=301)
    assert "\ufffd" not in short
    assert short.startswith("é")


def test_a_limit_below_the_mark_leaves_the_mark():
    assert shortened("x" * 1000, limit=5).strip().startswith("[... 995 bytes or more")
