"""Files that agents leave for people."""

from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from orchestrate.server.downloads import LINK_SECONDS
from tests.support.repositories import make_remote
from tests.support.server import MovedClock, ServerCalls, running_server


@pytest.fixture
def clock():
    return MovedClock()


@pytest.fixture
def remote(tmp_path):
    return make_remote(tmp_path / "remote.git")


@pytest.fixture
def calls(tmp_path, clock):
    with running_server(tmp_path / "state", clock=clock) as server, ServerCalls(server) as calls:
        yield calls


def shell(line):
    return {"run": ["sh", "-c", line]}


LEAVE = shell('echo report > "$ORCHESTRATE_ARTIFACTS_DIR/report.txt"')


def left_by(calls, *script, **body):
    created = calls.create_scripted(list(script), **body)
    assert calls.end(created)["status"] == "FINISHED"
    return created


def paths(calls, created):
    return [item["path"] for item in calls.ask(created, "artifacts")["items"]]


def link(calls, created, path="artifacts/report.txt"):
    return calls.ask(created, "artifacts/download", path=path)


def fetch(url):
    with httpx.Client(trust_env=False) as anybody:
        return anybody.get(url)


def error_of(response):
    return response.status_code, response.json()["error"]["code"]


def test_what_an_agent_leaves_in_its_folder_is_listed(calls):
    (item,) = calls.ask(left_by(calls, LEAVE), "artifacts")["items"]

    assert (item["path"], item["sizeBytes"]) == ("artifacts/report.txt", 7)
    assert item["updatedAt"].endswith("Z")


def test_an_agent_that_leaves_nothing_has_no_artifacts(calls):
    assert paths(calls, left_by(calls)) == []
    null = calls.create()
    calls.end(null)
    assert paths(calls, null) == []


def test_what_lies_in_the_clone_outlives_it(calls, remote, tmp_path):
    in_clone = shell("mkdir -p artifacts/deep && echo a > artifacts/deep/a.txt")
    created = left_by(calls, in_clone, repos=[{"url": remote.url}])

    assert not (tmp_path / "state" / "agents" / created.agent["id"] / "clone").exists()
    assert paths(calls, created) == ["artifacts/deep/a.txt"]
    assert fetch(link(calls, created, "artifacts/deep/a.txt")["url"]).text == "a\n"


def test_what_the_repository_had_before_is_no_artifact(calls, remote):
    work = remote.path.parent / "remote.git-work"
    remote.commit("main", {"x": "x"})
    (work / "artifacts").mkdir()
    remote.commit("main", {"artifacts/old.txt": "old"})
    keep = shell("echo new > artifacts/new.txt; echo dirty > dirty.txt")
    created = left_by(calls, keep, repos=[{"url": remote.url}])

    assert paths(calls, created) == ["artifacts/new.txt"]
    assert (
        calls.http.get(f"{created.agent_path}/artifacts/download", params={"path": "artifacts/old.txt"}).status_code
        == 404
    )


def test_a_link_works_without_a_key(calls):
    created = left_by(calls, LEAVE)
    told = link(calls, created)

    answer = fetch(told["url"])

    assert (answer.status_code, answer.content) == (200, b"report\n")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''report.txt"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert told["expiresAt"] > created.agent["createdAt"]


def test_a_large_file_comes_whole(calls):
    created = left_by(calls, shell('head -c 3000000 /dev/zero > "$ORCHESTRATE_ARTIFACTS_DIR/zero"'))

    assert fetch(link(calls, created, "artifacts/zero")["url"]).content == bytes(3_000_000)


def test_a_link_expires(calls, clock):
    told = link(calls, left_by(calls, LEAVE))

    clock.later = LINK_SECONDS - 60
    assert fetch(told["url"]).status_code == 200
    clock.later = LINK_SECONDS + 60
    assert error_of(fetch(told["url"])) == (403, "link_expired")


def test_a_link_is_good_for_its_own_file_only(calls):
    url = link(calls, left_by(calls, LEAVE, shell('echo x > "$ORCHESTRATE_ARTIFACTS_DIR/secret"')))["url"]
    signature = parse_qs(urlsplit(url).query)["signature"][0]
    other = calls.create().agent["id"]

    for changed in (
        url.replace("report.txt", "secret"),
        url.replace("expires=", "expires=9"),
        url.replace("expires=", "expires=x"),
        url.replace(signature, signature[:-1]),
        url.replace(signature, ""),
        url.replace(url.rpartition("/")[2].partition("?")[0], other),
        url.partition("?")[0],
    ):
        assert changed != url
        assert error_of(fetch(changed)) == (403, "link_expired")


@pytest.mark.parametrize(
    "path",
    [
        *("report.txt", "artifacts", "artifacts/", "artifacts/none", "artifacts/../report.txt", "/etc/passwd"),
        *("artifacts//etc/passwd", "artifacts/./report.txt", "artifacts/link", "artifacts/folder/hosts"),
        *("artifacts/folder", "artifacts/pipe", "artifacts/report.txt/x", "artifacts/\0"),
    ],
)
def test_nothing_outside_can_be_reached(calls, path):
    there = 'cd "$ORCHESTRATE_ARTIFACTS_DIR"'
    created = left_by(calls, LEAVE, shell(f"{there} && ln -s /etc/passwd link && ln -s /etc folder && mkfifo pipe"))

    assert paths(calls, created) == ["artifacts/report.txt"]
    answer = calls.http.get(f"{created.agent_path}/artifacts/download", params={"path": path})
    assert error_of(answer) == (404, "artifact_not_found")


def test_a_file_that_became_a_link_is_not_followed(calls, tmp_path):
    created = left_by(calls, LEAVE)
    url = link(calls, created)["url"]
    file = tmp_path / "state" / "agents" / created.agent["id"] / "artifacts" / "report.txt"
    file.unlink()
    file.symlink_to("/etc/passwd")

    assert error_of(fetch(url)) == (404, "artifact_not_found")


def test_a_folder_of_artifacts_that_is_a_link_is_none(calls, tmp_path):
    created = left_by(calls, shell("ln -s /etc artifacts"), LEAVE)

    assert paths(calls, created) == ["artifacts/report.txt"]
    answer = calls.http.get(f"{created.agent_path}/artifacts/download", params={"path": "artifacts/passwd"})
    assert answer.status_code == 404


def test_a_download_needs_a_path(calls):
    created = calls.create()

    assert error_of(calls.http.get(f"{created.agent_path}/artifacts/download")) == (400, "validation_error")
