import json

import pytest

from orchestrate.cli.main import main
from tests.support.builders import a_handed_off_row, a_row, a_task, a_verifier
from tests.support.workspaces import a_plan_document, write_plan, write_state


@pytest.fixture
def graph(tmp_path, capsys):
    def ask(*words: str) -> tuple[str, str]:
        assert main(["graph", str(tmp_path), "--color", "never", *words]) == 0
        said = capsys.readouterr()
        return said.out, said.err

    return ask


@pytest.fixture
def workspace(tmp_path):
    write_plan(tmp_path, a_plan_document(a_task("a"), a_verifier("v", "a")))
    write_state(tmp_path, (a_handed_off_row("a"), a_row("v", type="verifier", depends_on=("a", "gone", "a"))))


@pytest.mark.parametrize(
    ("form", "beginning"),
    [("ascii", "shop   1 of 2"), ("mermaid", "%% shop"), ("dot", 'digraph "shop" {'), ("svg", "<svg ")],
)
def test_each_form_goes_to_stdout(workspace, graph, form, beginning):
    out, err = graph("--format", form)
    assert out.startswith(beginning)
    assert err == ""
    assert graph()[0].startswith("shop")


def test_the_object_has_layers_and_with_a_form_its_text(workspace, graph):
    found = json.loads(graph("--json")[0])
    assert (found["operation"], found["layers"]) == ("graph", 2)
    assert found["tasks"][1] == {
        "name": "v",
        "type": "verifier",
        "standing": "waiting",
        "word": "waiting for gone",
        "layer": 1,
        "dependsOn": ["a"],
    }
    assert "text" not in found
    text = json.loads(graph("--json", "--format", "dot")[0])["text"]
    assert text == graph("--format", "dot")[0]


def test_a_plan_is_drawn_before_its_first_run(tmp_path, graph):
    write_plan(tmp_path, a_plan_document(a_task("b", depends_on=("a",)), a_task("a")))
    assert [line[0] for line in graph()[0].splitlines()[1:]] == ["○", "·"]


def test_more_edges_than_mermaid_draws_are_told(tmp_path, graph):
    first = [a_task(f"a{place}") for place in range(23)]
    second = [a_task(f"b{place}", depends_on=tuple(f"a{each}" for each in range(23))) for place in range(23)]
    write_plan(tmp_path, a_plan_document(*first, *second))
    assert graph("--format", "mermaid")[1].startswith("note: Mermaid draws 500 edges")
    assert graph("--format", "mermaid", "-q")[1] == ""
