"""Starting a workspace afresh: what runs have left is moved to ``former/<moment>/``; nothing is deleted.

The state goes first, the journal second: cut short in between, the state is rebuilt from the journal and nothing has
happened. Once both are gone the rest belongs to nobody, and requests of a former workspace are told by their ids.
These functions block.
"""

from collections.abc import Sequence
from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.model.names import EngineId
from orchestrate.model.timestamps import to_timestamp
from orchestrate.store.attempts import HANDOFFS, RAW, REQUESTS
from orchestrate.store.attention import ATTENTION_LOG
from orchestrate.store.files import Folder
from orchestrate.store.inbox import INBOX
from orchestrate.store.journal import JOURNAL
from orchestrate.store.loading import workspace_folder
from orchestrate.store.lock import WorkspaceLock
from orchestrate.store.messages import MESSAGES
from orchestrate.store.snapshot import STATE

FORMER = "former"
STOP = "stop.json"

_MOVED = (STATE, JOURNAL, REQUESTS, RAW, HANDOFFS, INBOX, MESSAGES, ATTENTION_LOG, STOP)
#: So many resets within one second are nobody's wish.
_MOST_A_SECOND = 100


def left_by_runs(path: Path) -> Sequence[str]:
    """What a reset would move."""
    folder = workspace_folder(path)
    return [name for name in _MOVED if folder.has(name)]


def move_to_former(path: Path, *, holder: EngineId, now: float) -> tuple[str, Sequence[str]]:
    """Move all that runs have left; answers where to, and what. InputRefused while an engine runs the workspace."""
    folder = workspace_folder(path)
    lock = WorkspaceLock(folder, engine=holder)
    lock.acquire(now)
    try:
        name = _free_name(folder.below(FORMER), to_timestamp(now))
        target = folder.below(FORMER).below(name)
        return f"{FORMER}/{name}", [each for each in _MOVED if folder.move(each, target)]
    finally:
        lock.release()


def _free_name(former: Folder, moment: str) -> str:
    """``2026-03-04T14-31-36Z``, with a number behind it where that is taken."""
    name = f"{moment[:19].replace(':', '-')}Z"
    names = (name, *(f"{name}-{number}" for number in range(2, _MOST_A_SECOND)))
    free = next((each for each in names if not former.has(each)), None)
    if free is None:
        raise InputRefused(f"{former.path} is full of resets of this second", hint="try again")
    return free
