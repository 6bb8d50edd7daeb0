from orchestrate.text.markdown import read
from orchestrate.text.sections import Strength, split, titled, titles_of
from orchestrate.text.titles import Title


def outline(text: str) -> list[tuple[str, str, list[str]]]:
    sections = split(read(text).lines)
    return [
        (section.title.value, section.strength.name, [line.text for line in section.lines])
        for section in sections
        if section.lines or section.title is not Title.OTHER
    ]


def test_headings_cut_and_unknown_ones_end_a_section():
    assert outline("hello\n## Status\nsuccess\n### Details\nmore") == [
        ("(other)", "NONE", ["hello"]),
        ("Status", "HEADING", ["success"]),
        ("(other)", "HEADING", ["more"]),
    ]


def test_glued_headings_are_cut_loose():
    assert outline("done.## Status\nsuccess") == [("(other)", "NONE", ["done."]), ("Status", "HEADING", ["success"])]
    assert outline("## Status success ## Branch a/b") == [
        ("Status", "HEADING", ["success"]),
        ("Branch", "HEADING", ["a/b"]),
    ]
    assert outline("Under ## Status I wrote it") == [("(other)", "NONE", ["Under ## Status I wrote it"])]
    assert outline("It is.## Status of things") == [("(other)", "NONE", ["It is.## Status of things"])]
    assert outline("`x`.## Branch protection.## Branch: a/b")[-1] == ("Branch", "HEADING", ["a/b"])


def test_a_remark_in_a_heading_is_no_value():
    assert outline("## Status (of the task)\nsuccess") == [("Status", "HEADING", ["success"])]


def test_fields_open_sections_unless_they_are_part_of_a_tale():
    assert outline("**Status:** success\n- Branch: a/b") == [
        ("Status", "BOLD", ["success"]),
        ("Branch", "LABEL", ["a/b"]),
    ]
    assert outline("## Findings\n**Status:** bad\n**Verification**\nx") == [
        ("Findings", "HEADING", ["**Status:** bad"]),
        ("Verification", "BOLD", ["x"]),
    ]
    assert outline("notes: x\nbranch of y\nstatus") == [("(other)", "NONE", ["notes: x", "branch of y", "status"])]


def test_a_label_of_the_same_section_stays_in_it():
    assert outline("## Branch\n**Branch:** a/b") == [("Branch", "HEADING", ["**Branch:** a/b"])]
    assert outline("**Verification:** x\nVerdict: pass") == [("Verification", "BOLD", ["x", "Verdict: pass"])]


def test_tables_hold_fields():
    assert outline("| Field | Value |\n|-|-|\n| Status | success |\n| other | x |") == [
        ("(other)", "NONE", ["Field | Value"]),
        ("Status", "BOLD", ["success", "other | x"]),
    ]
    assert outline("| Status | Branch | x |\n|-|-|-|\n| success | a/b | y |\n| more | | |") == [
        ("Status", "BOLD", ["success"]),
        ("Branch", "BOLD", ["a/b", "more |  | "]),
    ]
    assert outline("## Findings\n| Status | Branch |\n|-|-|\n| x | y |") == [
        ("Findings", "HEADING", ["Status | Branch", "x | y"])
    ]


def test_a_bold_title_and_a_value_behind_it_need_no_colon():
    sections = split(read("**Status** success\n**Branch** – `a/b`\n**Branch** protection is on").lines)
    assert [(each.title, len(each.lines)) for each in sections[1:]] == [(Title.STATUS, 1), (Title.BRANCH, 2)]


def test_deeper_headings_go_on_with_a_list_and_with_what_is_empty():
    text = "## Measurements\n### Size\n- a: 1 → 2\n### Speed\n- b: 1 → 2\n## Status\n### Now\nsuccess\n### Later\nmore"
    sections = split(read(text).lines)
    assert [(each.title, len(each.lines)) for each in sections[1:]] == [
        (Title.MEASUREMENTS, 2),
        (Title.STATUS, 1),
        (Title.OTHER, 1),
    ]


def test_a_branch_listing_is_no_heading():
    assert outline("## Branch\n## a/b...origin/a/b [ahead 1]\n## Other thing") == [
        ("Branch", "HEADING", ["a/b...origin/a/b [ahead 1]"])
    ]


def test_only_the_plainest_of_a_title_are_read():
    sections = split(read("Status: blocked\n\n## Status\nsuccess").lines)
    assert [section.strength for section in titled(sections, Title.STATUS)] == [Strength.HEADING]
    assert titled(sections, Title.BRANCH) == []
    assert titles_of(sections) == {Title.STATUS}
