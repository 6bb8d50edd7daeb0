"""``orchestrate setup``: whether this machine can delegate. Nothing is installed or changed, no value of a key is shown."""

import argparse
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.contract import add_output, answer, present
from orchestrate.cli.delegation.refusals import DelegationRefused, code_of, recovery_of
from orchestrate.cli.delegation.target import COMMAND_VARIABLE, Target
from orchestrate.cli.runtime import Runtime
from orchestrate.cli.settings import Settings
from orchestrate.cli.surroundings import environment_of
from orchestrate.errors import OrchestrateError
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.system import run_event_loop

#: Where the vendor's own command line keeps its login, below the home folder.
_LOGIN_FILES = (Path(".config/cursor/auth.json"), Path(".cursor/auth.json"))
_PARTS = ("uvloop", "mcp", "slack_sdk")
#: Agent programs that people have; any other program will do as well.
_PROGRAMS = ("cursor-agent", "claude", "codex", "gemini", "opencode", "aider", "goose", "amp")


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    add_output(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Look and tell; what does not work is part of the answer, and no failure."""
    credential = credential_of(settings)
    service = run_event_loop(lambda: _service(settings)) if settings.api_key and not args.dry_run else {}
    fields = {
        "credential": {**credential, **service.pop("credential", {})},
        **service,
        "parts": {name: find_spec(name) is not None for name in _PARTS},
        "agentPrograms": _programs(settings.environ),
        "agentCommandSet": bool(settings.environ.get(COMMAND_VARIABLE)),
        "git": shutil.which("git", path=settings.environ.get("PATH")) is not None,
        "runtimes": [kind.value for kind in RuntimeKind if kind is RuntimeKind.LOCAL or settings.api_key],
        "agentDepth": settings.agent_depth,
    }
    return answer(args, "setup", _lines(fields), **fields)


def credential_of(settings: Settings) -> dict[str, object]:
    """Where a credential comes from; the vendor's login is only looked for, its file is not read."""
    home = Path(settings.environ.get("HOME") or Path.home())
    login = next((home / path for path in _LOGIN_FILES if (home / path).is_file()), None)
    source = "env" if settings.api_key else "none" if login is None else "login-file"
    fields = {"source": source, "loginFile": None if login is None else str(login)}
    if settings.api_key:
        return present(fields)
    return present({**fields, "works": False, "problem": _without_key(login)})


def _without_key(login: Path | None) -> dict[str, str]:
    """What keeps this machine from the cloud; a login of the vendor's program is no key of the API."""
    message = "CURSOR_API_KEY is not set"
    if login is not None:
        message = f"{message}; {login} is the login of the vendor's own program, not a key of the Cloud Agents API"
    told = DelegationRefused(Code.AUTH_FAILED, message)
    return {"code": Code.AUTH_FAILED.value, "message": message, "do": recovery_of(told, verb="setup")}


async def _service(settings: Settings) -> dict[str, dict[str, object]]:
    target = Target(Runtime(RuntimeKind.CLOUD, "CURSOR_API_KEY is set"), environment_of(settings))
    try:
        async with target.opened() as calls:
            me, models = await calls.me(), await calls.models()
    except OrchestrateError as error:
        told = {"code": code_of(error).value, "message": error.message, "do": recovery_of(error, verb="setup")}
        return {"credential": {"works": False, "problem": told}}
    name = " ".join(part for part in (me.user_first_name, me.user_last_name) if part) or None
    owner = present({"keyName": me.api_key_name, "name": name, "email": me.user_email, "userId": me.user_id})
    return {"credential": {"works": True, "account": owner}, "models": {"count": len(models)}}


def _programs(variables: Mapping[str, str]) -> list[dict[str, object]]:
    found = ((name, shutil.which(name, path=variables.get("PATH"))) for name in _PROGRAMS)
    return [{"name": name, "path": path} for name, path in found if path is not None]


def _lines(fields: Mapping[str, object]) -> list[str]:
    credential = fields["credential"]
    assert isinstance(credential, dict)
    lines = [f"credential      {credential['source']}"]
    if "works" in credential:
        account = credential.get("account", {})
        whose = ", ".join(str(value) for value in account.values())
        lines.append(f"  works         {f'yes: {whose}' if credential['works'] else 'no'}")
    if problem := credential.get("problem"):
        lines += [f"  {problem['message']}", f"  do  {problem['do']}"]
    models = fields.get("models")
    if isinstance(models, dict):
        lines.append(f"models          {models['count']}")
    programs = fields["agentPrograms"]
    assert isinstance(programs, list)
    lines.append(
        f"agent programs  {', '.join(str(each['name']) for each in programs) or 'none of those that are known'}"
    )
    parts = fields["parts"]
    assert isinstance(parts, dict)
    lines.append(f"optional parts  {', '.join(name for name, there in parts.items() if there) or 'none'}")
    return [*lines, f"git             {'found' if fields['git'] else 'not found'}"]
