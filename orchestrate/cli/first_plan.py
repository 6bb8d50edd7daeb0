"""The plan that ``init`` writes: complete and valid, with as little in it as somebody must know to go on."""

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.repo.origin import Origin, local_path, network_address

SCHEMA_FILE = "plan.schema.json"
_SLUG_WORDS, _TASK_WORDS, _SLUG_LENGTH = 5, 3, 40
_WORD = re.compile(r"[a-z0-9]+")
_VERIFY = "Run the test suite; say with which command, and what it printed."
#: A worker of such a name joins branches.
_MERGES = "merge-"


@dataclass(frozen=True, slots=True)
class Source:
    """What the plan says of its repository."""

    repo_url: str
    base_branch: str
    #: True if only agents on this machine can reach it.
    is_local: bool
    #: What the reader must know of the choice.
    attention: str | None = None


def slug_of(goal: str, *, words: int = _SLUG_WORDS) -> str:
    """The goal's first words in kebab-case; ``plan`` for a goal without a letter that a slug can have."""
    plain = unicodedata.normalize("NFKD", goal).encode("ascii", "ignore").decode().lower()
    slug = ""
    for word in _WORD.findall(plain)[:words]:
        longer = f"{slug}-{word}" if slug else word[:_SLUG_LENGTH]
        if len(longer) > _SLUG_LENGTH:
            break
        slug = longer
    return slug or "plan"


def first_task_of(goal: str) -> str:
    """A name for the only task; never one that means more to the engine, as ``merge-x`` does."""
    name = slug_of(goal, words=_TASK_WORDS)
    return f"do-{name}" if name.startswith(_MERGES) else name


def source_of(origin: Origin, *, folder: Path) -> Source:
    """The remote, else the repository itself; a path is relative to the plan's folder where the two lie together."""
    url = None if origin.url is None else network_address(origin.url)
    if url is not None:
        return Source(url, _base_branch(origin), is_local=False)
    there = None if origin.url is None else local_path(origin.url, top=origin.top)
    if there is not None:
        is_near = not str(origin.url).startswith(("/", "file:"))
        return Source(_written(there, folder) if is_near else str(there), _base_branch(origin), is_local=True)
    attention = None
    if origin.url is not None:
        attention = (
            f"the remote {origin.remote} has an address that a plan cannot name (https://, ssh:// or user@host:path);"
            " the plan names this repository instead, for agents on this machine."
        )
    branch = origin.current_branch or origin.default_branch
    if branch is None:
        raise _no_branch()
    return Source(_written(origin.top, folder), branch, is_local=True, attention=attention)


def plan_document(
    *, goal: str, slug: str, source: Source, tasks: Sequence[str], schema: str = SCHEMA_FILE
) -> dict[str, object]:
    """The plan as it stands in its file."""
    document: dict[str, object] = {
        "$schema": schema,
        "goal": goal,
        "rootSlug": slug,
        "baseBranch": source.base_branch,
        "repoUrl": source.repo_url,
    }
    if source.is_local:
        document["runtime"] = {"kind": "local"}
    if not tasks:
        named = [(first_task_of(goal), goal)]
    else:
        named = [(name, f"Say here what is true when {name} is done.") for name in tasks]
    document["tasks"] = [
        {"name": name, "type": "worker", "scopedGoal": text, "verify": _VERIFY} for name, text in named
    ]
    return document


def _base_branch(origin: Origin) -> str:
    branch = origin.default_branch or origin.current_branch
    if branch is None:
        raise _no_branch()
    return branch


def _no_branch() -> InputRefused:
    return InputRefused(
        "no branch is checked out, and the remote does not say which is its default. Nothing was written.",
        hint="check out the branch that tasks shall start from, then type the same command again",
    )


def _written(path: Path, folder: Path) -> str:
    """The path relative to the folder, never one that reads as an address or an option."""
    relative = os.path.relpath(path, folder)
    return relative if relative.startswith(".") else f"./{relative}"
