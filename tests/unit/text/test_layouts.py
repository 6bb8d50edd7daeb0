"""What markdown does not know as a layout and a person reads all the same."""

import pytest

from orchestrate.text.layouts import in_markdown

ROW = "<tr><th>Status</th> <td>{}</td></tr>"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("<thinking>\n## Status\nblocked\n</thinking>\n\nx", "\n\nx"),
        (" <think>a</think>\n<reasoning>b</reasoning>x", "x"),
        ("<think>never closed\nx", "<think>never closed\nx"),
        ("<think>nothing but thoughts</think>\n", "<think>nothing but thoughts</think>\n"),
        ("x <think>in the middle</think> y", "x <think>in the middle</think> y"),
    ],
)
def test_thoughts_that_a_message_opens_with_are_none_of_it(text, read):
    assert in_markdown(text) == read


def test_rows_of_an_html_table_with_two_cells_are_fields():
    row = ROW.format("<code>success</code>").replace("Status", "<b>Status</b>")
    assert in_markdown(f"<table>\n{row}</table>") == "<table>\n\n\n**Status:** <code>success</code>\n\n</table>"
    for other in (ROW.format("a</td><td>b"), "<tr><td>Status</td></tr>", "<tr><td>a\nb</td><td>c</td></tr>"):
        assert in_markdown(other) == other


def test_a_drawn_box_is_a_table():
    box = "+----+----+\n| a  | b  |\n+====+====+\n| c  | d  |\n+----+----+\n| e  | f  |\n+----+----+\nend"
    assert in_markdown(box) == "\n| a  | b  |\n|---|---|\n| c  | d  |\n| e  | f  |\nend"


def test_a_diff_of_signs_is_no_box():
    assert in_markdown("a\n+--option\n| b |\n") == "a\n+--option\n| b |\n"


def test_a_tab_between_title_and_value_is_a_colon():
    assert in_markdown("Status\t\tsuccess\nBranch\tx\nother\ty\n") == "Status: success\nBranch: x\nother\ty\n"
