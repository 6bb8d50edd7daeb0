import json

from tests.support.delegations import desk, offline_desk

__all__ = ["desk", "offline_desk"]


def test_without_a_credential(offline_desk):
    code, told = offline_desk.call("setup")
    credential = told["credential"]
    assert (code, credential["source"], credential["works"]) == (0, "none", False)
    assert credential["problem"]["message"] == "CURSOR_API_KEY is not set"
    assert "orchestrate setup" in credential["problem"]["do"]
    assert told["runtimes"] == ["local"]


def test_the_vendors_login_is_found_and_not_read(offline_desk):
    path = offline_desk.home / ".config" / "cursor" / "auth.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"accessToken": "very-secret-token"}')
    _, told = offline_desk.call("setup")
    assert (told["credential"]["source"], told["credential"]["loginFile"]) == ("login-file", str(path))
    assert f"{path} is the login of the vendor's own program" in told["credential"]["problem"]["message"]
    assert "very-secret" not in json.dumps(told)


def test_a_key_that_works_and_whose_it_is(desk, monkeypatch):
    import os

    _, told = desk.call("setup")
    assert told["credential"]["source"] == "env"
    assert told["credential"]["works"] is True
    assert told["credential"]["account"] == {"keyName": "local owner"}
    assert told["models"] == {"count": 1}
    assert os.environ["CURSOR_API_KEY"] not in json.dumps(told)
    monkeypatch.setenv("CURSOR_API_KEY", "wrong-key-000")
    _, told = desk.call("setup")
    assert (told["credential"]["works"], told["credential"]["problem"]["code"]) == (False, "AUTH_FAILED")
    assert "wrong-key" not in json.dumps(told)
    code, out, _ = desk.lines("setup")
    assert (code, out.splitlines()[1].split()) == (0, ["works", "no"])


def test_agent_programs_on_the_path(offline_desk, monkeypatch):
    program = offline_desk.home / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    _, told = offline_desk.call("setup")
    assert told["agentPrograms"] == [{"name": "codex", "path": str(program)}]
    assert told["git"] is False
