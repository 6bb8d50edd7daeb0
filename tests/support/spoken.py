"""The program's answer to one command line: in this process, with nothing of its surroundings, or in one of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from orchestrate.cli.main import main

_SOURCES = Path(__file__).resolve().parents[2]
#: Permissions bind even the superuser without these.
_BOUND = (
    ("setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-dac_override,-dac_read_search")
    if os.geteuid() == 0
    else ()
)


@dataclass(frozen=True)
class Answer:
    """How a command line ended."""

    code: int
    out: str
    err: str


def in_this_process(words: list[str], *, at: Path, variables: Mapping[str, str], stdin: bytes) -> Answer:
    """What ``main`` makes of it; whatever it and its children write is caught at the descriptors."""
    with ExitStack() as stack:
        given, out, err = (stack.enter_context(TemporaryFile()) for _ in range(3))
        given.write(stdin)
        given.seek(0)
        stack.enter_context(_surroundings(at, variables))
        stack.enter_context(_streams(given, out, err))
        code = main(words)
        sys.stdout.flush()
        sys.stderr.flush()
        return Answer(code, _read(out), _read(err))


def in_own_process(words: list[str], *, at: Path, variables: Mapping[str, str], stdin: bytes) -> Answer:
    """The same as a process that file permissions bind, whoever runs the tests."""
    return _spoken([*_BOUND], words, at=at, variables=variables, stdin=stdin)


def on_a_full_disk(words: list[str], *, at: Path, variables: Mapping[str, str], stdin: bytes) -> Answer:
    """The same as a process, and children, for whom no file may be longer than a block."""
    full = ["/bin/sh", "-c", 'ulimit -f 1; exec "$@"', "sh"]
    without = {"PYTHONDONTWRITEBYTECODE": "1"}  # what Python writes for itself would be torn
    return _spoken(full, words, at=at, variables={**variables, **without}, stdin=stdin)


def _spoken(prefix: list[str], words: list[str], *, at: Path, variables: Mapping[str, str], stdin: bytes) -> Answer:
    program = [*prefix, sys.executable, "-c", "import sys; from orchestrate.cli.main import main; sys.exit(main())"]
    done = subprocess.run(
        [*program, *words],
        cwd=at,
        env={**variables, "PYTHONPATH": str(_SOURCES), "PYTHONUTF8": "1"},
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def _surroundings(at: Path, variables: Mapping[str, str]) -> Iterator[None]:
    """Another folder, environment and program name."""
    former = Path.cwd(), dict(os.environ), sys.orig_argv, sys.argv
    os.chdir(at)
    os.environ.clear()
    os.environ.update(variables)
    sys.orig_argv, sys.argv = ["orchestrate"], ["orchestrate"]
    try:
        yield
    finally:
        os.chdir(former[0])
        os.environ.clear()
        os.environ.update(former[1])
        sys.orig_argv, sys.argv = former[2], former[3]


@contextmanager
def _streams(*files: IO[bytes]) -> Iterator[None]:
    """The standard streams, as Python's objects and as descriptors."""
    former = sys.stdin, sys.stdout, sys.stderr
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in range(3)]
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
    streams = [open(number, mode, encoding="utf-8", closefd=False) for number, mode in enumerate("rww")]  # noqa: SIM115  descriptors
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        for stream in streams:
            stream.close()
        sys.stdin, sys.stdout, sys.stderr = former
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
