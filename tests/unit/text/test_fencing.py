from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from orchestrate.text.fencing import code, fence, item


@given(st.text(alphabet="`~ \na<>#", max_size=60))
def test_a_fence_holds_whatever_is_inside(text):
    tokens = MarkdownIt("commonmark").parse(f"before\n\n{fence(text)}\n\nafter")
    assert [token.type for token in tokens].count("fence") == 1
    assert next(token.content for token in tokens if token.type == "fence").rstrip("\n") == text.rstrip("\n")


@given(st.text(alphabet="` a", min_size=1, max_size=20).filter(lambda text: text.strip()))
def test_a_code_span_holds_whatever_is_inside(text):
    children = MarkdownIt("commonmark").parseInline(code(text))[0].children
    assert [child.type for child in children] == ["code_inline"]


def test_code_is_one_line():
    assert code("a\nb") == "`a b`"
    assert code("") == "`  `"


def test_an_item_stays_in_its_list():
    assert item("a\nb\n") == "a\n  b"
