from pathlib import Path

import pytest

from orchestrate.errors import InputRefused
from orchestrate.text.templates import TEMPLATE_NAMES, Templates

SHIPPED = Path(__file__).parents[3] / "templates"


def test_every_shipped_template_is_listed_and_compiles():
    assert sorted(path.name for path in SHIPPED.glob("*.md.j2")) == sorted(TEMPLATE_NAMES)
    Templates({name: (SHIPPED / name).read_text() for name in TEMPLATE_NAMES}).check()


def test_values_are_not_read_as_template_text():
    odd = "{{ x }} {% if %} $& {0} {# #} &amp; <b>"
    assert Templates({"a": "[{{ value }}]"}).render("a", {"value": odd}) == f"[{odd}]\n"


def test_filters_make_foreign_text_inert():
    assert Templates({"a": "{{ v | code }} {{ v | item }}\n{{ v | fence }}"}).render("a", {"v": "x`y"}) == (
        "``x`y`` x`y\n```text\nx`y\n```\n"
    )


MISTAKES = {
    "\n{{ goall }}": "template w:2: 'goall' is undefined",
    "{{ goal.x.y }}": "template w:1: 'str object' has no attribute 'x'",
    "x\n{% if %}": "template w:2: Expected an expression, got 'end of statement block'",
    "{{ 'a' | nofilter }}": "template w:1: the filter 'nofilter' cannot be used in a template",
    "{{ ().__class__.__mro__ }}": "template w:1: access to attribute '__class__' of 'tuple' object is unsafe.",
    "\n\n{{ 1 / 0 }}": "template w:3: division by zero",
    "{% include 'nope' %}": "template v: there is no template nope",
}


@pytest.mark.parametrize(("source", "message"), MISTAKES.items())
def test_a_mistake_is_refused_with_its_place(source, message):
    templates = Templates({"w": source, "v": "{% include 'w' %}"})
    with pytest.raises(InputRefused) as refusal:
        templates.render("v", {"goal": "x"})
    assert refusal.value.message == message
    assert refusal.value.hint is not None


def test_a_mistake_of_the_syntax_is_found_before_anything_is_rendered():
    with pytest.raises(InputRefused, match="template w:1: "):
        Templates({"w": "{% bad %}"}).check()


def test_an_unknown_template_is_refused():
    with pytest.raises(InputRefused, match="template nope: there is no such template"):
        Templates({}).render("nope", {})
