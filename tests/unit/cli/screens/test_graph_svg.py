from xml.etree import ElementTree

import pytest

from orchestrate.cli.screens.graph import GraphView, Node
from orchestrate.cli.screens.graph_svg import svg
from orchestrate.cli.screens.tally import Tally
from orchestrate.cli.screens.vocabulary import Kind, Standing
from orchestrate.model.vocabulary import TaskType

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "</text><script>alert(1)</script> & \" ' \x1b[31m \x00 \ufffe"


def node(name, *depends_on, kind=Kind.WAITING, word="waiting", task_type=TaskType.WORKER):
    return Node(name, task_type, Standing(kind, word), depends_on)


def drawn(*nodes, slug="shop", tally=None):
    return ElementTree.fromstring("\n".join(svg(GraphView(slug, tally or Tally(waiting=len(nodes)), list(nodes)))))


def boxes(root):
    return {
        group.find(f"{SVG}title").text: group.find(f"{SVG}rect").attrib
        for group in root.iter(f"{SVG}g")
        if group.attrib
    }


def test_it_has_a_title_and_a_description_for_those_who_do_not_see_it():
    root = drawn(node("a", kind=Kind.DONE), node("b", "a"), tally=Tally(handed_off=1, waiting=1))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "title description"
    assert root.find(f"{SVG}title").text == "shop"
    assert root.find(f"{SVG}desc").text == (
        "A graph of 2 tasks in 2 layers, from left to right: 1 of 2 handed off, 1 waiting."
    )


def test_a_status_is_a_class_and_a_word():
    root = drawn(node("a", kind=Kind.ERROR, word="error after 1 try: oom", task_type=TaskType.VERIFIER))
    group = next(each for each in root.iter(f"{SVG}g") if each.attrib)
    assert group.attrib["class"] == "task error"
    assert [text.text for text in group.iter(f"{SVG}text")] == ["✗ a", "verifier, error after 1 try: oom"]
    assert group.find(f"{SVG}title").text == "a, verifier, error after 1 try: oom"


def test_boxes_do_not_overlap_and_stand_in_the_picture():
    nodes = [node(f"t{place}", *(f"t{each}" for each in range(max(0, place - 3), place, 2))) for place in range(30)]
    root = drawn(*nodes)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    spots = [tuple(float(box[key]) for key in ("x", "y", "width", "height")) for box in boxes(root).values()]
    assert len(spots) == 30
    for number, (x, y, wide, high) in enumerate(spots):
        assert 0 <= x <= width - wide
        assert 0 <= y <= height - high
        for other_x, other_y, other_wide, other_high in spots[:number]:
            is_apart = (
                x + wide <= other_x or other_x + other_wide <= x or y + high <= other_y or other_y + other_high <= y
            )
            assert is_apart


def test_every_edge_is_drawn():
    root = drawn(node("a"), node("b", "a"), node("c", "a", "b"))
    assert len(list(root.iter(f"{SVG}path"))) == 3


@pytest.mark.parametrize("names", [(NASTY, "b"), ("x" * 200, "ビルド" * 30)])
def test_foreign_text_stays_text(names):
    root = drawn(node(names[0], word=NASTY, kind=Kind.ERROR), node(names[1], names[0]), slug=NASTY)
    assert not list(root.iter(f"{SVG}script"))
    assert len(list(root.iter(f"{SVG}rect"))) == 2


def test_no_tasks_are_a_picture_too():
    assert drawn().find(f"{SVG}desc").text == "A graph of 0 tasks in 0 layers, from left to right: 0 of 0 handed off."


def test_nothing_in_it_is_fetched_or_run():
    text = "\n".join(svg(GraphView("shop", Tally(), [node("a")])))
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in text
