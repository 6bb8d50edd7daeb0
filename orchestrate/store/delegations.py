"""The records of delegations: a folder for each repository, a file for each key, one lock over all of them.

The lock is held for reading and writing files only, never while the service is asked. Every file is replaced as a
whole. A file that cannot be read is set aside under a dated name, and reading goes on. These functions block.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from orchestrate.errors import InputRefused, StorageFailed, WorkspaceDamaged
from orchestrate.model.names import AgentId, Timestamp
from orchestrate.model.timestamps import to_timestamp
from orchestrate.store.delegation_records import Delegation, decode, digest_of, encode
from orchestrate.store.files import FOLDER_MODE, Folder, failure
from orchestrate.store.lock import waited_lock

DELEGATIONS = "delegations"
_LOCK = ".lock"
_NAME_LENGTH = 40
_SUFFIX = ".json"
_LARGEST_RECORD = 64 * 1024


@dataclass
class DelegationFiles:
    """The records of one user."""

    #: The user's state folder of this program; made if it is not there.
    state_dir: Path
    #: Told about every file that was set aside.
    notes: list[str] = field(default_factory=list)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Alone with the records, among all processes of this user."""
        self._make()
        with waited_lock(self._folder, _LOCK):
            yield

    def find(self, key: str) -> Delegation | None:
        """The record of this key, whatever it was used for."""
        name = _name(key)
        found = (self._read(scope, name) for scope in self._scopes())
        records = [record for record in found if record is not None and record.key == key]
        return max(records, key=lambda record: (record.phase.is_in_flight, record.generation), default=None)

    def of_agent(self, agent_id: AgentId) -> list[Delegation]:
        """The records of this agent, the oldest first."""
        return [record for record in self.all() if record.agent_id == agent_id]

    def of_repository(self, repo: str) -> list[Delegation]:
        """The delegations to this repository."""
        return self._in(self._folder.below(scope_name(repo)))

    def all(self) -> list[Delegation]:
        """Every record, the oldest first."""
        records = [record for scope in self._scopes() for record in self._in(scope)]
        return sorted(records, key=lambda record: (record.at, record.key))

    def put(self, record: Delegation) -> None:
        """Write and sync a record in the place of the former one of its key."""
        self._make()
        self._folder.below(scope_name(record.scope)).replace({_name(record.key): encode(record)})

    def forget(self, record: Delegation) -> None:
        """Take a record away whose key now stands for something else."""
        path = self._folder.below(scope_name(record.scope)).path / _name(record.key)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise failure(error, path) from error

    def _in(self, scope: Folder) -> list[Delegation]:
        found = [self._read(scope, name) for name in _names(scope.path) if name.endswith(_SUFFIX)]
        return [record for record in found if record is not None]

    def _read(self, scope: Folder, name: str) -> Delegation | None:
        try:
            data = scope.read(name, at_most=_LARGEST_RECORD)
            return None if data is None else decode(data)
        except (WorkspaceDamaged, InputRefused) as error:
            self._set_aside(scope, name, error.message)
            return None

    def _set_aside(self, scope: Folder, name: str, why: str) -> None:
        path = scope.path / name
        moment = _moment(path)
        aside = f"{name.removesuffix(_SUFFIX)}.{moment}.damaged"
        try:
            path.rename(scope.path / aside)
        except OSError as error:
            raise failure(error, path) from error
        self.notes.append(
            f"a damaged record was set aside as {scope.path / aside} ({why}). To rebuild it, take the id of its agent "
            "from `orchestrate agents --all` and type `orchestrate agent-status --agent-id ID --reconcile`."
        )

    def _scopes(self) -> list[Folder]:
        return [self._folder.below(name) for name in _names(self._folder.path) if not name.startswith(".")]

    @property
    def _folder(self) -> Folder:
        return Folder(self.state_dir, (DELEGATIONS,))

    def _make(self) -> None:
        try:
            self.state_dir.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        except OSError as error:
            raise failure(error, self.state_dir) from error
        self._folder.create()


def scope_name(scope: str) -> str:
    """The folder of a repository's records."""
    return digest_of(scope)[:_NAME_LENGTH]


def _name(key: str) -> str:
    return digest_of(key)[:_NAME_LENGTH] + _SUFFIX


def _names(path: Path) -> list[str]:
    try:
        return sorted(os.listdir(path))  # noqa: PTH208  names are all that is wanted
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StorageFailed(f"{path}: {(error.strerror or 'cannot be read').lower()}") from error


def _moment(path: Path) -> Timestamp:
    """When the damaged file was written last, as it can stand in a name."""
    try:
        written = path.lstat().st_mtime
    except OSError:
        written = 0.0
    return Timestamp(to_timestamp(written).replace(":", "-"))
