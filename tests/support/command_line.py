"""The program as a process of its own, as a user starts it."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: What a user's shell has; nothing of the machine that runs the tests.
_KEPT = ("PATH", "LANG", "LC_ALL")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended."""

    code: int
    out: str
    err: str


def orchestrate(
    *words: str, cwd: Path, variables: Mapping[str, str] | None = None, stdin: bytes = b"", text_out: bool = True
) -> Ended:
    """Run one command line to its end; no traceback may ever be seen."""
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment |= {
        "HOME": str(cwd),
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "PYTHONUTF8": "1",
        **(variables or {}),
    }
    done = subprocess.run(
        [sys.executable, "-m", "orchestrate", *words],
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )
    err = done.stderr.decode()
    assert "Traceback" not in err, err
    return Ended(done.returncode, done.stdout.decode(errors="strict" if text_out else "replace"), err)
