from orchestrate.cli.screens.layout import Look, rendered
from orchestrate.cli.screens.table import Column, head, name_columns, row_line, word_line
from orchestrate.cli.screens.vocabulary import Kind, Standing

LOOK = Look()
COLUMNS = (Column("for", 6, is_number=True), Column("doing", 0))


def shown(line) -> str:
    return rendered([line], LOOK)[0]


def test_columns_stand_below_their_titles():
    assert shown(head("running", COLUMNS, names=8)) == "  running      for  doing"
    how = Standing(Kind.RUNNING, "running")
    assert shown(row_line(how, "docs", ["3s", "thinking"], COLUMNS, names=8)) == "● docs          3s  thinking"


def test_a_name_is_cut_in_its_middle():
    assert shown(word_line(Standing(Kind.WAITING, ""), "a-very-long-name", "waits", names=8)) == "· a-v…name  waits"


def test_names_get_what_they_need_within_the_form():
    assert name_columns(["a"], LOOK) == 18
    assert name_columns(["x" * 60], LOOK) == 24
    assert name_columns(["x" * 60], Look(columns=120)) == 34
    assert name_columns([], LOOK, at_least=5) == 5


def test_what_an_agent_wrote_keeps_its_width():
    how = Standing(Kind.RUNNING, "running")
    columns = (Column("doing", 12), Column("from", 0))
    assert shown(row_line(how, "a", ["\x1b[2J", "main"], columns, names=1)) == "● a  \\x1b[2J       main"
