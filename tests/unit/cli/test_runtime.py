"""Where agents run is chosen once and never guessed."""

from pathlib import Path

import pytest

from orchestrate.cli.runtime import choose_runtime, concurrency, named_runtime, repository_address
from orchestrate.errors import InputRefused
from orchestrate.model.vocabulary import RuntimeKind
from tests.support.builders import a_plan

CLOUD, LOCAL = RuntimeKind.CLOUD, RuntimeKind.LOCAL
LOCAL_PLAN = {"kind": "local", "agent": {"name": "null"}}


@pytest.mark.parametrize(
    ("flag", "variable", "runtime", "has_key", "kind", "origin"),
    [
        ("local", "cloud", {"kind": "cloud"}, True, LOCAL, "--runtime"),
        (None, "local", {"kind": "cloud"}, True, LOCAL, "ORCHESTRATE_RUNTIME"),
        (None, "", LOCAL_PLAN, True, LOCAL, "the plan's runtime"),
        (None, None, {"kind": "cloud"}, False, CLOUD, "the plan's runtime"),
        (None, None, None, True, CLOUD, "CURSOR_API_KEY is set"),
    ],
)
def test_the_nearest_choice_counts(flag, variable, runtime, has_key, kind, origin) -> None:
    plan = a_plan(**({"runtime": runtime} if runtime else {}))

    chosen = choose_runtime(named_runtime(flag, variable=variable), plan=plan, has_key=has_key)

    assert (chosen.kind, chosen.origin) == (kind, origin)


def test_without_a_key_and_a_choice_nothing_is_guessed() -> None:
    with pytest.raises(InputRefused) as refused:
        choose_runtime(None, plan=a_plan(), has_key=False)

    assert refused.value.message == "no runtime chosen."
    assert refused.value.hint == "add `--runtime local`, or set CURSOR_API_KEY and add `--runtime cloud`"


@pytest.mark.parametrize(
    ("flag", "variable", "where"), [("moon", None, "--runtime"), (None, "moon", "ORCHESTRATE_RUNTIME")]
)
def test_an_unknown_runtime_is_refused_with_its_place(flag, variable, where) -> None:
    with pytest.raises(InputRefused) as refused:
        named_runtime(flag, variable=variable)

    assert refused.value.message == f'{where}: unknown runtime "moon".'


def test_how_many_run_at_once_is_the_flag_the_plan_or_what_the_runtime_can_take() -> None:
    limited = a_plan(limits={"maxConcurrent": 3})

    assert concurrency(7, plan=limited, kind=CLOUD) == 7
    assert concurrency(None, plan=limited, kind=CLOUD) == 3
    assert concurrency(None, plan=a_plan(), kind=CLOUD) == 50
    assert concurrency(None, plan=a_plan(), kind=LOCAL) >= 2


@pytest.mark.parametrize(
    ("url", "kind", "address"),
    [
        ("https://git.example.org/a/b", LOCAL, "https://git.example.org/a/b"),
        ("git@git.example.org:a/b", LOCAL, "git@git.example.org:a/b"),
        ("git@git.example.org:a/b", CLOUD, "git@git.example.org:a/b"),
        ("../remote.git", LOCAL, "/home/ada/remote.git"),
        ("./a:b", LOCAL, "/home/ada/plans/a:b"),
        ("/srv/remote.git", LOCAL, "/srv/remote.git"),
    ],
)
def test_a_path_is_relative_to_the_plan(url, kind, address) -> None:
    plan = a_plan(runtime=LOCAL_PLAN).model_copy(update={"repo_url": url})

    assert repository_address(plan, folder=Path("/home/ada/plans"), kind=kind) == address
