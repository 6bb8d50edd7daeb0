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


@pytest.mark.parametrize(
    ("rows", "read"),
    [
        (ROW.format("<code>a|b</code>"), "| Status | <code>a\\|b</code> |\n|---|---|"),
        ("<TR><td>a\nb</td><td>c</td></TR>\n<tr><td>d</td></tr>", "| a b | c |\n|---|---|\n| d |  |"),
    ],
)
def test_an_html_table_is_a_table(rows, read):
    assert in_markdown(f"x<table border=1>\n{rows}\n</table>y") == f"x\n\n{read}\n\ny"


@pytest.mark.parametrize("text", ["<table></table>", "<table><tr></tr></table>", f"{ROW.format('a')}</table>", "</x>"])
def test_what_is_no_whole_table_stays(text):
    assert in_markdown(text) == text


def test_elements_with_the_name_of_a_field_are_fields():
    assert in_markdown("<status>\nsuccess\n</status>\n<other>x</other>") == "\n**status:** success\n\n<other>x</other>"


def test_line_ends_that_were_written_out_are_line_ends():
    assert in_markdown("## Status\\nsuccess\\n## Branch\\nx\n") == "## Status\nsuccess\n## Branch\nx\n"
    assert in_markdown("print('\\n#')\nnext") == "print('\\n#')\nnext"


def test_a_message_that_is_one_quote_is_read_without_it():
    assert in_markdown("> ## Status\n>success\n\n> > x\n") == "## Status\nsuccess\n\n> x\n"
    assert in_markdown("> a\nb\n") == "> a\nb\n"


def test_boxes_of_lines_are_tables_and_trees_are_none():
    box = "┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ c │ d │\n╰───┴───╯\n"
    assert in_markdown(box) == "\n| a | b |\n|---|---|\n| c | d |\n"
    assert in_markdown("├── src\n└── docs\n") == "├── src\n└── docs\n"


def test_a_drawn_box_is_a_table():
    box = "+----+----+\n| a  | b  |\n+====+====+\n| c  | d  |\n+----+----+\n| e  | f  |\n+----+----+\nend"
    assert in_markdown(box) == "\n| a  | b  |\n|---|---|\n| c  | d  |\n| e  | f  |\nend"


def test_a_diff_of_signs_is_no_box():
    assert in_markdown("a\n+--option\n| b |\n") == "a\n+--option\n| b |\n"


def test_a_tab_between_title_and_value_is_a_colon():
    assert in_markdown("Status\t\tsuccess\nBranch\tx\nother\ty\n") == "Status: success\nBranch: x\nother\ty\n"
