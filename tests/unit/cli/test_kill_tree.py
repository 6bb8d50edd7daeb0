import json

import pytest

from orchestrate.cli.main import main
from orchestrate.model.wire import METADATA_ROOT, METADATA_TASK
from tests.support.fake_cloud import fake_cloud

REPO = "https://git.example.org/team/shop.git"
ID = "bc-11111111-1111-4111-8111-111111111111"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["x", "y"], "kill-tree takes PLAN, or REPO BRANCH SLUG"),
        ([REPO, "-x", "shop"], "BRANCH:"),
        ([REPO, "main", "Not A Slug"], "SLUG:"),
        (["", "main", "shop"], "REPO:"),
        ([REPO, "main", "shop", "--agent-id", "7"], "--agent-id:"),
        ([REPO, "main", "shop"], "no runtime chosen"),
    ],
)
def test_a_call_that_cannot_be_meant_is_refused(monkeypatch, capsys, words, said):
    monkeypatch.delenv("CURSOR_API_KEY", raising=False)
    monkeypatch.delenv("ORCHESTRATE_RUNTIME", raising=False)
    arguments = ["--", *words] if "-x" in words else words
    assert main(["kill-tree", "--yes", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_by_the_service_alone_the_name_of_the_plan_tells_the_tree(monkeypatch, capsys):
    with fake_cloud() as cloud:
        for name, value in cloud.environment.items():
            monkeypatch.setenv(name, value)
        for slug in ("shop", "other"):
            cloud.create(None, {"name": f"{slug}/a", "metadata": {METADATA_ROOT: slug, METADATA_TASK: "a"}})
        assert main(["kill-tree", REPO, "main", "shop", "-n", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert [each["task"] for each in told["victims"]] == ["a"]
        assert main(["kill-tree", REPO, "main", "shop", "--agent-id", ID, "-n", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["victims"], len(told["outOfReach"])) == ([], 1)
