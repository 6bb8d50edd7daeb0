"""Transcripts: what was there, what was typed, and every word of the answer, as a text that people read.

::

    == an unknown dependency
    + tasks [{"name": "build", "dependsOn": ["bild"]}]
    $ validate plan.json
    ! error: plan.json:6 tasks[0].dependsOn[0]: unknown task "bild"; did you mean "build"?
    ! 1 fault. Nothing was launched.
    exit 2

``+`` lines make the surroundings (``tests/support/transcript_scenes.py`` lists them), ``$`` lines are command lines of
the program, ``>`` is stdout, ``!`` is stderr. After them stand the exit code and, where a command changed files, which:
``new state.json``, ``changed state.json``, ``gone state.json``. A refusal that writes has no such line to hide behind.

``python -m tests.support.transcripts FILE ...`` writes down what is answered now, to be read by whoever changed it.
"""

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.spoken import Answer, in_own_process, in_this_process, on_a_full_disk
from tests.support.transcript_scenes import Scene

_UUID = r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
_ANSWER = (">", "!", "exit", "new", "changed", "gone")


@dataclass
class Step:
    """A command line and what it answers."""

    typed: str
    answer: list[str] = field(default_factory=list)


@dataclass
class Case:
    """One situation."""

    title: str
    setup: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The case as it stands in its file."""
        yield f"== {self.title}"
        yield from (f"+ {line}" for line in self.setup)
        for step in self.steps:
            yield f"$ {step.typed}"
            yield from step.answer


@dataclass
class Transcript:
    """One file: words for the reader, then the cases."""

    preface: list[str]
    cases: list[Case]

    def text(self) -> str:
        """The file."""
        blocks = ["\n".join(self.preface).strip(), *("\n".join(case.lines()) for case in self.cases)]
        return "\n\n".join(blocks) + "\n"


def read_transcript(path: Path) -> Transcript:
    """The cases of a file."""
    transcript = Transcript([], [])
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            transcript.cases.append(Case(line.removeprefix("== ")))
        elif not transcript.cases:
            transcript.preface.append(line)
        elif line.startswith("+ "):
            transcript.cases[-1].setup.append(line.removeprefix("+ "))
        elif line.startswith("$ "):
            transcript.cases[-1].steps.append(Step(line.removeprefix("$ ")))
        elif line.strip():
            assert line.startswith(_ANSWER), f"{path.name}: what is this? {line}"
            transcript.cases[-1].steps[-1].answer.append(line)
    return transcript


def played(case: Case, folder: Path) -> Case:
    """The same case with what is answered now."""
    told = Case(case.title, case.setup)
    with Scene(folder) as scene:
        for line in case.setup:
            scene.prepare(line)
        for step in case.steps:
            before = scene.files()
            answer = _answered(step.typed, scene)
            changes = _changes(before, scene.files())
            told.steps.append(Step(step.typed, [*_lines_of(answer, scene), f"exit {answer.code}", *changes]))
    return told


def _answered(typed: str, scene: Scene) -> Answer:
    """``bound`` before a command line runs it as a process that file permissions bind, ``full`` on a full disk."""
    first, _, rest = typed.partition(" ")
    play = {"bound": in_own_process, "full": on_a_full_disk}.get(first, in_this_process)
    words = shlex.split((typed if play is in_this_process else rest).replace("{here}", str(scene.folder)))
    return play(words, at=scene.folder, variables=scene.variables, stdin=scene.stdin)


def _lines_of(answer: Answer, scene: Scene) -> list[str]:
    lines = [f"> {line}".rstrip() for line in answer.out.splitlines()]
    lines += [f"! {line}".rstrip() for line in answer.err.splitlines()]
    return [_without_chance(line, scene) for line in lines]


def _without_chance(line: str, scene: Scene) -> str:
    """The line with a name in the place of all that differs from run to run."""
    for shown, name in scene.places():
        line = line.replace(shown, name)
    line = re.sub(_UUID, "{id}", line)
    line = re.sub(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "{time}", line)
    line = re.sub(r"(could not be checked from here: ).*", r"\1{why}", line)
    line = re.sub(r"(?<=the largest looked at has )[\d,]+", "{count}", line)
    line = re.sub(r"(?<=> optional parts  ).*", "{parts}", line)
    line = re.sub(r'(?<="parts":\{)[^}]*', "{parts}", line)
    line = re.sub(r"127\.0\.0\.1:\d{4,}", "{address}", line)
    line = line.replace(f"@{os.uname().nodename}", "@{host}")
    line = re.sub(r"(?<=since )\d\d:\d\d\b", "{clock}", line)
    line = re.sub(r"^(> +(?:attention +)?)\d\d:\d\d (?=\S)", r"\1{clock} ", line)
    line = re.sub(r"(?<=seconds=)\d+", "{seconds}", line)
    return re.sub(r" {3,}\d+s( \(longest path )?(?:\d+s\))?$", r"   {seconds}", line)


def _changes(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    new = [f"new {name}" for name in after if name not in before]
    changed = [f"changed {name}" for name in after if name in before and after[name] != before[name]]
    gone = [f"gone {name}" for name in before if name not in after]
    return [re.sub(_UUID, "{id}", each) for each in (*sorted(new), *sorted(changed), *sorted(gone))]


def _record(path: Path) -> None:
    transcript = read_transcript(path)
    for place, case in enumerate(transcript.cases):
        with tempfile.TemporaryDirectory() as folder:
            transcript.cases[place] = played(case, Path(folder).resolve())
    path.write_text(transcript.text(), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        _record(Path(name))
