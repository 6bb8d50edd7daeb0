import pytest

from orchestrate.errors import InputRefused
from orchestrate.text import template_language, templates
from orchestrate.text.templates import Templates


def rendered(source, **values):
    return Templates({"w": source, "v": "{{ x }},"}).render("w", values)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{{ 10 ** 10 ** 10 }}", "Pow cannot be used"),
        ("\n{{ 'x' * 1000000000 }}", "Mul cannot be used"),
        ("{{ '%1000000000d' % 1 }}", "Mod cannot be used"),
        ("{{ x ~ x }}", "Concat cannot be used"),
        ("{{ x + x }}", "Add cannot be used"),
        ("{{ x[1:] }}", "Slice cannot be used"),
        ("{% for a in range(100000) %}{% endfor %}", "nothing can be called"),
        ("{{ '{:>1000000000}'.format(1) }}", "nothing can be called"),
        ("{% for a in x recursive %}{{ loop(x) }}{% endfor %}", "loops cannot be recursive"),
        ("{% macro m() %}{% endmacro %}", "Macro cannot be used"),
        ("{% set y %}{{ x }}{{ x }}{% endset %}", "AssignBlock cannot be used"),
        ("{% filter upper %}{{ x }}{% endfilter %}", "FilterBlock cannot be used"),
        ("{% set y | upper %}{{ x }}{% endset %}", "AssignBlock cannot be used"),
        ("{% import 'v' as v %}", "Import cannot be used"),
        ("{% extends 'v' %}", "Extends cannot be used"),
        ("{% include x %}", "the name of an included template must be written out"),
        ("{% include ['v', 'w'] %}", "the name of an included template must be written out"),
        ("{% include 'v' without context %}", "an included template needs its context"),
        ("{{ 'x' | center(1000000000) }}", "the filter 'center' cannot be used"),
        ("{{ x | replace('', 'xxxxxxxx') }}", "the filter 'replace' cannot be used"),
        ("{{ x | counted(1) }}", "the filter 'counted' cannot be used"),
        ("{{ x | join(x) }}", "what join puts between must be written out"),
        ("{{ x | join(d=x) }}", "what join puts between must be written out"),
        ("{{ x | join(*x) }}", "what join puts between must be written out"),
    ],
)
def test_what_could_run_away_is_refused_with_its_line(source, words):
    with pytest.raises(InputRefused) as refusal:
        Templates({"w": source}).check()
    line = 2 if source.startswith("\n") else 1
    assert refusal.value.message == f"template w:{line}: {words} in a template"


def test_a_plain_template_says_what_it_always_did():
    source = (
        "{% set y = x %}{% for a in y if a != 'b' %}{{ loop.index - 1 }}/{{ loop.length }} {{ a | upper }}"
        "{{ '' if loop.last else ', ' }}{% else %}nothing{% endfor %}"
        " {{ x[0] | default('none', true) }} {{ x | join('+') }} {{ n | grouped }} {{ -n // 2 }} {{ 'a' in ['a', 'c'] and not false }}"
    )
    assert rendered(source, x=["a", "b", "c"], n=1000000) == "0/2 A, 1/2 C a a+b+c 1,000,000 -500000 True\n"
    assert rendered(source, x=[""], n=1) == "0/1  none  1 -1 True\n"
    assert rendered("{% for x in xs %}{% include 'v' %}{% endfor %}", xs="abc") == "a,b,c,\n"


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in x %}{% for b in x %}{% for c in x %}{% endfor %}{% endfor %}{% endfor %}",
        "{% for a in x %}{% for b in x %}{% include 'v' %}{% endfor %}{% endfor %}",
    ],
)
def test_loops_inside_of_each_other_come_to_an_end(source, monkeypatch):
    monkeypatch.setattr(template_language.Steps.__init__, "__defaults__", (10_000,))
    with pytest.raises(InputRefused, match=r"template [wv]:1: its loops take too long"):
        rendered(source, x="x" * 100)


def test_a_text_that_is_far_too_long_is_not_made(monkeypatch):
    monkeypatch.setattr(templates, "LARGEST_TEXT", 100)
    with pytest.raises(InputRefused, match="template w: its text has more than 100 characters"):
        rendered("{% for a in x %}{{ x }}{% endfor %}", x="x" * 11)
    assert len(rendered("{{ x }}", x="x" * 100)) == 101
