"""An agent program that does exactly what its script says; run as a plain file with the standard library alone.

A script is a list of objects with one key each::

    {"write": {"path": P, "text": T}}   make or replace a file
    {"delete": P}                       remove a file
    {"commit": MESSAGE}                 commit all there is
    {"push": true}                      git push; a text is the name to push HEAD to
    {"checkout": NAME}                  a new branch; with {"name": N, "from": REF} from somewhere
    {"merge": REF}                      merge it, after a fetch
    {"run": [PROGRAM, ...]}             any program, its output to stderr; its failure ends the script with its status
    {"print": TEXT}                     a piece of the reply
    {"printBytes": HEX}                 the same, as bytes
    {"repeat": {"text": T, "times": N}} a long reply
    {"log": TEXT}                       a line of activity
    {"spawn": [PROGRAM, ...]}           start a program and leave it running
    {"touch": PATH}                     make a file anywhere, to tell a test how far the script is
    {"waitFor": PATH}                   until a test has made that file
    {"ignoreTerm": true}                take no notice of SIGTERM from now on
    {"saveEnvironment": PATH}           write the environment there, as JSON
    {"signal": NUMBER}                  die of a signal
    {"exit": STATUS}                    end

In texts ``{branch}``, ``{head}``, ``{agent}`` and ``{prompt}`` stand for the branch that is checked out, its commit,
the agent's id and the whole prompt.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LOOK_SECONDS = 0.01


def main() -> int:
    """Take the steps in order."""
    for step in json.loads(sys.argv[1]):
        ((name, value),) = step.items()
        STEPS[name](value)
        sys.stdout.flush()
    return 0


def _write(value: dict[str, str]) -> None:
    path = Path(value["path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_filled(value["text"]), encoding="utf-8")


def _commit(message: str) -> None:
    _run(["git", "add", "--all"])
    _run(["git", "commit", "--quiet", "--message", message])


def _push(value: bool | str) -> None:  # noqa: FBT001  a script's value
    _run(["git", "push", "--quiet", *(["origin", f"HEAD:refs/heads/{value}"] if isinstance(value, str) else [])])


def _checkout(value: str | dict[str, str]) -> None:
    if isinstance(value, str):
        _run(["git", "checkout", "--quiet", "-b", value])
    else:
        _run(["git", "checkout", "--quiet", "-b", value["name"], value["from"]])


def _merge(ref: str) -> None:
    _run(["git", "fetch", "--quiet", "origin"])
    _run(["git", "merge", "--quiet", "--no-edit", ref])


def _run(command: list[str]) -> None:
    status = subprocess.run(command, stdout=sys.stderr, check=False).returncode
    if status != 0:
        sys.exit(status if status > 0 else 1)


def _spawn(command: list[str]) -> None:
    subprocess.Popen(command)


def _print_bytes(text: str) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(bytes.fromhex(text))


def _wait_for(path: str) -> None:
    while not Path(path).exists():
        time.sleep(_LOOK_SECONDS)


def _ignore_term(_value: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _save_environment(path: str) -> None:
    Path(path).write_text(json.dumps(dict(os.environ)), encoding="utf-8")


def _die(number: int) -> None:
    os.kill(os.getpid(), number)
    signal.pause()


def _filled(text: str) -> str:
    values = {
        "{branch}": lambda: _git("rev-parse", "--abbrev-ref", "HEAD"),
        "{head}": lambda: _git("rev-parse", "HEAD"),
        "{agent}": lambda: os.environ.get("ORCHESTRATE_AGENT_ID", ""),
        "{prompt}": _prompt,
    }
    for name, value in values.items():
        if name in text:
            text = text.replace(name, value())
    return text


def _prompt() -> str:
    path = os.environ.get("ORCHESTRATE_PROMPT_FILE")
    return Path(path).read_text(encoding="utf-8") if path else sys.stdin.read()


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False).stdout.strip()


STEPS: dict[str, Callable[[Any], object]] = {
    "write": _write,
    "delete": lambda path: Path(path).unlink(),
    "commit": _commit,
    "push": _push,
    "checkout": _checkout,
    "merge": _merge,
    "run": _run,
    "print": lambda text: sys.stdout.write(_filled(text)),
    "printBytes": _print_bytes,
    "repeat": lambda value: sys.stdout.write(value["text"] * value["times"]),
    "log": lambda text: sys.stderr.write(f"{_filled(text)}\n"),
    "spawn": _spawn,
    "touch": lambda path: Path(path).touch(),
    "waitFor": _wait_for,
    "ignoreTerm": _ignore_term,
    "saveEnvironment": _save_environment,
    "signal": _die,
    "exit": sys.exit,
}


if __name__ == "__main__":
    sys.exit(main())
