from argparse import Namespace

import pytest

from orchestrate.cli.settings import Streams, settings_of
from orchestrate.cli.terminal import capabilities_of, size_of, stdout_look


def capabilities(
    variables: dict[str, str] | None = None, *, color: str = "auto", plain: bool = False, terminal: bool = True
):
    settings = settings_of({"TERM": "xterm-256color", **(variables or {})}, streams=Streams())
    return capabilities_of(settings, Namespace(color=color, plain=plain), is_terminal=terminal)


def test_a_terminal_is_live_and_coloured():
    found = capabilities()
    assert found.is_live
    assert found.has_color
    assert found.has_unicode
    assert found.has_title


@pytest.mark.parametrize("variables", [{"TERM": "dumb"}, {"CI": "true"}])
def test_dumb_terminals_and_ci_get_plain_lines(variables):
    found = capabilities(variables)
    assert not found.is_live
    assert not found.has_title


def test_plain_is_plain_everywhere():
    found = capabilities(plain=True)
    assert not any((found.is_live, found.has_color, found.has_unicode, found.has_links))


COLOURS = [
    # what is set, --color, a terminal, whether there is colour
    ({}, "auto", False, False),
    ({}, "always", False, True),
    ({}, "never", True, False),
    ({"NO_COLOR": "1"}, "auto", True, False),
    ({"NO_COLOR": "1"}, "always", True, True),
    ({"FORCE_COLOR": "1"}, "auto", False, True),
    ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "auto", True, False),
    ({"TERM": "dumb"}, "auto", True, False),
]


@pytest.mark.parametrize(("variables", "color", "terminal", "expected"), COLOURS)
def test_the_option_wins_over_the_variables_and_they_over_the_terminal(variables, color, terminal, expected):
    assert capabilities(variables, color=color, terminal=terminal).has_color is expected


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, False),
        ({"TERM_PROGRAM": "WezTerm"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"VTE_VERSION": "7200"}, True),
        ({"VTE_VERSION": "4900"}, False),
        ({"WT_SESSION": "1"}, True),
        ({"FORCE_HYPERLINK": "1"}, True),
        ({"FORCE_HYPERLINK": "0", "TERM_PROGRAM": "WezTerm"}, False),
    ],
)
def test_links_are_for_terminals_that_are_known_to_take_them(variables, expected):
    assert capabilities(variables).has_links is expected


def test_progress_is_for_terminals_that_do_not_take_it_for_a_message():
    assert not capabilities({"TERM_PROGRAM": "iTerm.app"}).has_progress
    assert capabilities({"TERM_PROGRAM": "ghostty"}).has_progress
    assert capabilities({"ConEmuANSI": "ON"}).has_progress


@pytest.mark.parametrize("locale", ["ja_JP.UTF-8", "zh_CN.UTF-8", "ko_KR.UTF-8"])
def test_where_our_signs_may_be_wide_they_are_ascii(locale):
    assert not capabilities({"LANG": locale}).has_unicode
    assert capabilities({"LANG": locale, "LC_ALL": "C.UTF-8"}).has_unicode


def test_output_that_is_no_terminal_has_the_size_that_is_asked_for():
    settings = settings_of({"COLUMNS": "66", "LINES": "9"}, streams=Streams())
    assert size_of(1, settings, is_terminal=False) == (66, 9)
    assert size_of(1, settings_of({}, streams=Streams()), is_terminal=False) == (120, 24)
    assert size_of(-1, settings, is_terminal=True) == (66, 9)


def test_the_look_of_stdout():
    settings = settings_of({}, streams=Streams(), program="orchestrate")
    found = stdout_look(settings, Namespace(color="auto", plain=False), argument="work")
    assert (found.columns, found.argument, found.has_color) == (120, "work", False)
