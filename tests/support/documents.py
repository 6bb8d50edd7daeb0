"""What documentation says: its code blocks, commands and links."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.wheel import PROJECT

_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`(?P<text>orchestrate [^`]+)`")
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Document:
    """One page of Markdown."""

    path: Path
    text: str

    def blocks(self, language: str) -> list[str]:
        """The code blocks of that language."""
        return [match["text"] for match in _BLOCK.finditer(self.text) if match["language"] == language]

    def json_blocks(self) -> list[object]:
        """The JSON blocks, read."""
        return [json.loads(text) for text in self.blocks("json")]

    def commands(self) -> Iterator[list[str]]:
        """The words behind ``orchestrate`` of each command, in blocks and in the text; up to a pipe or a redirection."""
        lines = [line for text in self.blocks("sh") for line in text.splitlines()]
        spans = [match["text"] for match in _SPAN.finditer(_BLOCK.sub("", self.text))]
        for line in (*lines, *spans):
            if re.match(r"orchestrate [a-z]", line) and "=" not in line.split()[1]:
                yield shlex.split(re.split(r" [<>|] ", line)[0])[1:]

    def links(self) -> list[str]:
        """The targets of its links that lie in the project."""
        return [target for target in _LINK.findall(self.text) if "://" not in target]


def documents() -> list[Document]:
    """README, its neighbours, the docs, and the skill for agents."""
    places = [*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md"), *(PROJECT / "skills").rglob("*.md")]
    return [Document(path, path.read_text(encoding="utf-8")) for path in sorted(places)]


def document(name: str) -> Document:
    """The document of that path."""
    return Document(PROJECT / name, (PROJECT / name).read_text(encoding="utf-8"))
