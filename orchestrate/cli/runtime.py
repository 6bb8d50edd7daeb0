"""Where agents run: chosen once, never guessed. A missing key never means "local"."""

import os
from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.model.plan import Plan
from orchestrate.model.vocabulary import RuntimeKind

CLOUD_CONCURRENCY = 50
_LEAST_LOCAL_CONCURRENCY = 2


@dataclass(frozen=True, slots=True)
class Runtime:
    """The choice, and where it came from."""

    kind: RuntimeKind
    #: In words for the first line of a run.
    origin: str


def named_runtime(flag: str | None, *, variable: str | None) -> Runtime | None:
    """The choice of ``--runtime``, then of ORCHESTRATE_RUNTIME; InputRefused for one that there is not."""
    if flag is not None:
        return Runtime(_kind(flag, "--runtime"), "--runtime")
    if variable:
        return Runtime(_kind(variable, "ORCHESTRATE_RUNTIME"), "ORCHESTRATE_RUNTIME")
    return None


def choose_runtime(named: Runtime | None, *, plan: Plan, has_key: bool) -> Runtime:
    """What the caller named, then the plan, then the cloud where a key is set; else InputRefused."""
    if named is None and plan.runtime is not None:
        return Runtime(plan.runtime.kind, "the plan's runtime")
    return known_runtime(named, has_key=has_key)


def known_runtime(named: Runtime | None, *, has_key: bool) -> Runtime:
    """The same where there is no plan."""
    if named is not None:
        return named
    if has_key:
        return Runtime(RuntimeKind.CLOUD, "CURSOR_API_KEY is set")
    raise InputRefused(
        "no runtime chosen.",
        hint="add `--runtime local`, or set CURSOR_API_KEY and add `--runtime cloud`",
    )


def concurrency(flag: int | None, *, plan: Plan, kind: RuntimeKind) -> int:
    """How many tasks may run at once: the flag, the plan's limit, else 50 in the cloud and the cores here."""
    if flag is not None:
        return flag
    if plan.limits.max_concurrent is not None:
        return plan.limits.max_concurrent
    if kind is RuntimeKind.CLOUD:
        return CLOUD_CONCURRENCY
    return max(_LEAST_LOCAL_CONCURRENCY, os.cpu_count() or 1)


def repository_address(plan: Plan, *, folder: Path, kind: RuntimeKind) -> str:
    """The repository for the service; a path of a local plan is relative to ``plan.json``."""
    url = plan.repo_url
    if kind is RuntimeKind.CLOUD or "://" in url or _is_scp_like(url):
        return url
    return str((folder / url).resolve())


def _is_scp_like(url: str) -> bool:
    head, colon, _ = url.partition(":")
    return bool(colon) and "/" not in head


def _kind(word: str, where: str) -> RuntimeKind:
    try:
        return RuntimeKind(word)
    except ValueError:
        raise InputRefused(f'{where}: unknown runtime "{word}".', hint="use cloud or local") from None
