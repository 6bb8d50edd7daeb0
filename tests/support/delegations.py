"""Delegation verbs in this process, at a real server on a loopback port, as the cloud and without a network.

::

    from tests.support.delegations import desk          # a pytest fixture

    def test_x(desk):
        code, told = desk.call("delegate", "--repo", REPO, "--prompt", "work", "--yes")

Agents are the ``null`` runner's: ``desk.prompt(seconds=0)`` ends at once, ``desk.prompt(seconds=60)`` goes on.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from orchestrate.cli.main import main
from orchestrate.server.fault_plan import fault_plan_named
from tests.support.server import ServerCalls, running_server

REPO = "https://github.example/octo/shop"
AGENT = "bc-0b5b1e2c-6f0a-4b52-9a55-000000000001"
RUN = "run-0b5b1e2c-6f0a-4b52-9a55-000000000002"


@dataclass
class Desk:
    """One user at one service."""

    home: Path
    capsys: pytest.CaptureFixture[str]
    server: ServerCalls | None = None
    spoken: list[str] = field(default_factory=list)

    @property
    def records(self) -> list[Path]:
        return sorted((self.home / "state" / "orchestrate" / "delegations").glob("*/*.json"))

    @property
    def agents(self) -> list[dict]:
        assert self.server is not None
        return self.server.agents(includeArchived="true")["items"]

    def call(self, *words: str) -> tuple[int, dict]:
        """The exit code and the one object on stdout."""
        code = main(list(words))
        out, err = self.capsys.readouterr()
        self.spoken.append(err)
        assert out.endswith("}\n"), (out, err)
        assert out.count("\n") == 1, out
        told = json.loads(out)
        assert told["operation"] == words[0]
        assert told["ok"] is (code == 0)
        return code, told

    def lines(self, *words: str) -> tuple[int, str, str]:
        """The exit code and both streams of a call for people."""
        code = main([*words, "--human"])
        return code, *self.capsys.readouterr()

    def refused(self, *words: str, exit_code: int = 1) -> tuple[str, dict]:
        """The code of a refusal, and the whole object."""
        code, told = self.call(*words)
        assert code == exit_code, told
        return told["error"]["code"], told

    def delegate(self, *words: str, seconds: float = 60, key: str | None = None) -> tuple[int, dict]:
        """An agent that works for so long."""
        keyed = () if key is None else ("--idempotency-key", key)
        return self.call("delegate", "--repo", REPO, "--prompt", prompt(seconds), *keyed, "--yes", *words)


def prompt(seconds: float) -> str:
    """The null runner's orders."""
    return f"null-runner: {json.dumps({'seconds': seconds})}"


@pytest.fixture
def offline_desk(tmp_path, monkeypatch, capsys) -> Desk:
    """A user without a key; nothing may be called."""
    for name in ("CURSOR_API_KEY", "CURSOR_BACKEND_URL", "ORCHESTRATE_RUNTIME", "ORCHESTRATE_AGENT_DEPTH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path, capsys)


@pytest.fixture
def desk(offline_desk, monkeypatch) -> Iterator[Desk]:
    """A user with a key and a service."""
    with desk_at(offline_desk, monkeypatch) as desk:
        yield desk


@contextmanager
def desk_at(desk: Desk, monkeypatch: pytest.MonkeyPatch, *, faults: dict | None = None, **options) -> Iterator[Desk]:
    """The user at a service that does these things wrong; ``options`` are those of ``ServerOptions``."""
    plan = None if faults is None else fault_plan_named(json.dumps(faults))
    with running_server(desk.home / "server", faults=plan, **options) as server, ServerCalls(server) as calls:
        monkeypatch.setenv("CURSOR_BACKEND_URL", server.url)
        monkeypatch.setenv("CURSOR_API_KEY", server.token)
        desk.server = calls
        yield desk
