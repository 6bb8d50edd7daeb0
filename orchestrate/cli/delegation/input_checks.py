"""What is looked at before any call: addresses, refs, names, ids, keys and prompts; all faults are told at once."""

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from orchestrate.cli.checks.prompt_limits import prompt_limit
from orchestrate.cli.delegation.codes import Code
from orchestrate.cli.delegation.refusals import DelegationRefused
from orchestrate.errors import InputRefused
from orchestrate.model.faults import quoted
from orchestrate.model.names import AGENT_NAME_LENGTH, is_agent_id, is_run_id, is_valid_ref
from orchestrate.model.repo_url import repo_url_fault
from orchestrate.model.vocabulary import RuntimeKind

#: Hosts that repositories may be on, separated by commas; unset, any host that is not this machine or its neighbour.
HOSTS_VARIABLE = "ORCHESTRATE_REPO_HOSTS"
KEY_LENGTH = 128
_REF_LENGTH = 255
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*\Z", re.ASCII)
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}\Z", re.ASCII)
_NETWORK_PATH = re.compile(r"[A-Za-z0-9._~/+-]+\Z", re.ASCII)


def raise_faults(faults: Iterable[str | None], *, verb: str) -> None:
    """Refuse with every fault at once."""
    found = [fault for fault in faults if fault is not None]
    if found:
        raise DelegationRefused(
            Code.INVALID_INPUT,
            f"{'; '.join(found)}. Nothing was sent.",
            hint=f"Correct {_options(found)}; `orchestrate help {verb}` shows what is taken.",
            fields={"faults": found},
        )


def repo_fault(repo: str, *, kind: RuntimeKind, variables: Mapping[str, str], current: Path) -> str | None:
    """What is wrong with ``--repo``; a path is for the local runtime only."""
    fault = repo_url_fault(repo, local=kind is RuntimeKind.LOCAL)
    if fault is None and "://" not in repo:
        fault = _path_fault(repo, kind=kind, current=current)
    elif fault is None and not repo.lower().startswith("file://"):
        fault = _address_fault(repo, variables=variables)
    return None if fault is None else f"--repo {fault}"


def repository(repo: str, *, current: Path) -> str:
    """The address as the service gets it: a path made whole."""
    return repo if "://" in repo else str((current / repo).resolve())


def repository_key(repo: str) -> str:
    """What is one repository, however its address is written."""
    scheme, found, rest = repo.partition("://")
    if not found:
        return repo.rstrip("/").removesuffix(".git")
    host, _, path = rest.partition("/")
    return f"{scheme.lower()}://{host.lower().rstrip('.')}/{path.strip('/').removesuffix('.git')}"


def ref_fault(ref: str | None) -> str | None:
    """What is wrong with ``--ref``."""
    if ref is None or (is_valid_ref(ref) and len(ref) <= _REF_LENGTH and ref.isprintable()):
        return None
    return f"--ref {quoted(ref[:80])} is no ref that git takes"


def model_fault(model: str | None) -> str | None:
    """What is wrong with ``--model``."""
    return None if model is None or _MODEL.match(model) else f"--model {quoted(model[:80])} is no id of a model"


def name_fault(name: str | None) -> str | None:
    """What is wrong with ``--name``."""
    if name is None:
        return None
    if not name.strip() or len(name) > AGENT_NAME_LENGTH or not name.isprintable():
        return f"--name must have 1 to {AGENT_NAME_LENGTH} characters that can be printed, and not be blank"
    return None


def agent_id_fault(agent_id: str | None) -> str | None:
    """What is wrong with ``--agent-id``."""
    if agent_id is None or is_agent_id(agent_id):
        return None
    return f"--agent-id {quoted(agent_id[:80])} is no id of an agent (bc- and a UUID in lower case)"


def run_id_fault(run_id: str | None) -> str | None:
    """What is wrong with ``--run-id``."""
    if run_id is None or is_run_id(run_id):
        return None
    return f"--run-id {quoted(run_id[:80])} is no id of a run (run- and a UUID in lower case)"


def key_fault(key: str | None) -> str | None:
    """What is wrong with ``--idempotency-key``."""
    if key is None or (_KEY.match(key) and len(key) <= KEY_LENGTH):
        return None
    return f"--idempotency-key must have 1 to {KEY_LENGTH} letters, digits and . _ : - and begin with a letter or digit"


def prompt_fault(prompt: str, *, kind: RuntimeKind) -> str | None:
    """What is wrong with the prompt."""
    if not prompt.strip():
        return "the prompt is empty"
    if "\0" in prompt:
        return "the prompt holds a NUL"
    try:
        size = len(prompt.encode())
    except UnicodeEncodeError:
        return "the prompt is no text in UTF-8"
    limit = prompt_limit(kind)
    return None if size <= limit else f"the prompt has {size:,} bytes; at most {limit:,} are sent"


def read_prompt(*, text: str | None, file: Path | None, kind: RuntimeKind, option: str = "--prompt-file") -> str:
    """The prompt itself, of the file, or of stdin where there is neither; InputRefused for what cannot be read."""
    if text is not None:
        return text
    limit = prompt_limit(kind) + 1
    try:
        if file is None:
            data = sys.stdin.buffer.read(limit)
        elif not file.is_file():
            raise InputRefused(f"{option} {quoted(str(file))} is no file. Nothing was sent.")
        else:
            with file.open("rb") as opened:
                data = opened.read(limit)
        return data.decode("utf-8-sig")
    except OSError as error:
        reason = (error.strerror or "no reason").lower()
        raise InputRefused(f"{option} {quoted(str(file))} cannot be read: {reason}. Nothing was sent.") from error
    except UnicodeDecodeError as error:
        raise InputRefused("the prompt is no text in UTF-8. Nothing was sent.") from error
    except ValueError as error:
        raise InputRefused(f"{option} holds a NUL. Nothing was sent.") from error


def _path_fault(repo: str, *, kind: RuntimeKind, current: Path) -> str | None:
    if kind is RuntimeKind.CLOUD:
        return "must be https://…; a path works only with `--runtime local`"
    if "@" in repo.partition("/")[0] and ":" in repo:
        return "must be https://… or a path"
    try:
        return None if (current / repo).is_dir() else f"{quoted(repo[:200])} is no folder"
    except (OSError, ValueError):
        return f"{quoted(repo[:200])} cannot be reached"


def _address_fault(repo: str, *, variables: Mapping[str, str]) -> str | None:
    if not repo.startswith("https://"):
        return "must be https://…"
    authority, _, path = repo.removeprefix("https://").partition("/")
    if ":" in authority:
        return "must not have a port"
    if not _NETWORK_PATH.match(path) or any(part in (".", "..") for part in path.split("/")):
        return "has a path that names no repository"
    allowed = [host.strip().lower() for host in variables.get(HOSTS_VARIABLE, "").split(",") if host.strip()]
    host = (urlsplit(repo).hostname or "").rstrip(".")
    if allowed and host not in allowed:
        return f"names a host that is not in {HOSTS_VARIABLE} ({', '.join(allowed)})"
    return None


def _options(faults: Iterable[str]) -> str:
    named = [fault.partition(" ")[0] if fault.startswith("--") else "the prompt" for fault in faults]
    return " and ".join(dict.fromkeys(named))
