"""Seconds from a fresh clone to the quickstart's summary: ``python benchmarks/quickstart.py``.

Types README's first command in a clone of the commit that is checked out. Installing takes what the package index and its
cache need; it is counted apart.
"""

import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).parent.parent


def main() -> None:
    """Clone, install, run twice, print a table."""
    command = re.search(r"^python3 -m venv .*quickstart$", (PROJECT / "README.md").read_text(), re.MULTILINE)
    assert command is not None
    install, _, quickstart = command[0].rpartition(" && ")
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        environment = {**os.environ, "XDG_STATE_HOME": f"{folder}/state"}
        subprocess.run(["git", "clone", "--quiet", str(PROJECT), str(clone)], check=True)
        for line in (install, quickstart, quickstart):
            began = time.perf_counter()
            subprocess.run(["bash", "-c", line], cwd=clone, env=environment, check=True, capture_output=True)
            print(f"{time.perf_counter() - began:6.1f} s  {line}")
        stop = quickstart.replace("quickstart", "server stop")
        subprocess.run(["bash", "-c", stop], cwd=clone, env=environment, check=True, capture_output=True)


if __name__ == "__main__":
    main()
