"""No code path can send DELETE: requests leave through one door, which knows GET and POST only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrate.cloud.client import CloudClient
from orchestrate.cloud.direct import DirectLane
from orchestrate.cloud.lanes import HttpxLane, Outgoing

PACKAGE = Path(__file__).parents[2] / "orchestrate"
#: Whoever may make HTTP requests, and with what.
DOORS = {"cloud/lanes.py", "cloud/direct.py"}
REQUESTING = {"request", "Request", "send", "stream", "get", "post", "put", "patch", "delete", "Client", "AsyncClient"}


def trees() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def test_no_text_in_the_program_is_the_method():
    found = [
        name
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in ("DELETE", b"DELETE", "delete", b"delete")
    ]
    assert found == ["server/runners/scripted_program.py"], "an agent's script may remove a file; nothing else deletes"


def test_only_the_doors_make_requests_with_httpx():
    found = {
        name
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("httpx", "httpcore")
        and node.func.attr in REQUESTING
    }
    assert found <= DOORS


def test_no_other_client_is_imported():
    banned = {"requests", "urllib3", "aiohttp", "http.client", "urllib.request"}
    found = {
        (name, module)
        for name, tree in trees()
        for node in ast.walk(tree)
        for module in _imported(node)
        if module in banned
    }
    assert found == {
        ("cloud/address.py", "urllib.request"),  # reads the machine's proxy settings
        ("server/discovery.py", "http.client"),  # asks whether our own server answers
    }
    assert '"GET"' in (PACKAGE / "server" / "discovery.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("method", ["DELETE", "delete", "PUT", "PATCH", "GET\r\nDELETE / HTTP/1.1"])
async def test_the_door_refuses_any_other_method(method):
    request = Outgoing(method, "/v1/agents/x", [], None, 1.0)
    lane = DirectLane("http://127.0.0.1:9", timeout_seconds=1, keep_seconds=1)
    with pytest.raises(ValueError, match="GET and POST"):
        await lane.begin(request)
    with pytest.raises(ValueError, match="GET and POST"):
        await HttpxLane(None, base_url="https://x", timeout_seconds=1).begin(request)  # type: ignore[arg-type]


def test_the_client_has_no_such_call():
    assert [name for name in dir(CloudClient) if "delete" in name or "remove" in name] == []


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
