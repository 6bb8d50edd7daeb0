from orchestrate.text.handoffs import parse_handoff
from orchestrate.text.thinning import KEPT_BEFORE, KEPT_BEHIND, THINNED_FROM, thinned

FILLER = "- nothing to see here\n" * 20_000


def test_a_short_message_stays_as_it_is():
    text = "- x\n" * 10_000
    assert thinned(text) == text


def test_lines_that_nothing_is_read_from_go():
    short = thinned(FILLER)
    assert len(FILLER) > THINNED_FROM
    assert short.count("\n") < KEPT_BEHIND + KEPT_BEFORE + 5


def test_what_is_around_titles_and_what_shapes_blocks_stays():
    text = (
        f"{FILLER}```\n{FILLER}- just before\n## Status\n- just behind\n```\n{FILLER}https://example.org/x\n{FILLER}end"
    )
    lines = thinned(text).split("\n")
    assert lines.count("```") == 2
    place = lines.index("## Status")
    assert (lines[place - 1], lines[place + 1]) == ("- just before", "- just behind")
    assert "https://example.org/x" in lines
    assert lines[-1] == "end"


def test_a_long_message_reads_like_a_short_one():
    head = "## Status\nsuccess\n\n## Branch\n`cursor/x`\n\n## What I did\n"
    tail = "\n## Verification\nunit-test-verified\n\n## Measurements\n- a: 1 → 2\n\n## Notes\nhttps://github.com/o/r/pull/3\n"
    sample = "```\n## Status\nblocked\n" + FILLER + "```\n"
    repo_url = "https://github.com/o/r"
    assert parse_handoff(head + FILLER + sample + tail + FILLER, repo_url=repo_url) == parse_handoff(
        head + tail, repo_url=repo_url
    )
