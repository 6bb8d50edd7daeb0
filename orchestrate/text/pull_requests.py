"""The number of a pull request, taken only from a link into the plan's own repository."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from orchestrate.text.markdown import Line, LineKind
from orchestrate.text.readings import Reading
from orchestrate.text.sections import Section
from orchestrate.text.titles import Title

_SCP_LIKE = re.compile(r"(?:[^\s@/]{1,64}@)?(?P<host>[^\s:/@]{1,255}):(?P<path>[^\s:].{0,400})\Z")
_OWN_PLACES = frozenset({Title.PULL_REQUEST, Title.BRANCH})


def read_pull_request(sections: Sequence[Section], *, repo_url: str | None) -> Reading[int]:
    """From its own place, else the only one that is linked in the text; a code block elsewhere is text of others."""
    link = _link_pattern(repo_url) if repo_url else None
    if link is None:
        return Reading()
    for lines in _places(sections):
        numbers = {int(match["number"]) for line in lines for match in link.finditer(line.text)}
        if len(numbers) > 1:
            shown = ", ".join(f"#{number}" for number in sorted(numbers))
            return Reading(note=f"Pull request: several are linked ({shown}); none was taken")
        if numbers:
            return Reading(value=numbers.pop())
    return Reading()


def _places(sections: Sequence[Section]) -> Iterable[list[Line]]:
    own = [line for section in sections if section.title in _OWN_PLACES for line in section.lines]
    rest = [line for section in sections for line in section.lines]
    yield [line for line in own if line.kind is not LineKind.QUOTE]
    yield [line for line in rest if line.kind not in (LineKind.QUOTE, LineKind.CODE)]


def host_and_path(repo_url: str) -> tuple[str, str]:
    """Where the repository's pages are; empty for one without a web host."""
    if "://" not in repo_url:
        match = _SCP_LIKE.match(repo_url)
        return (match["host"], _trimmed(match["path"])) if match else ("", "")
    try:
        parts = urlsplit(repo_url)
        host = parts.hostname or ""
    except ValueError:
        return "", ""
    return (host, _trimmed(parts.path)) if parts.scheme in ("http", "https", "ssh", "git") else ("", "")


def _link_pattern(repo_url: str) -> re.Pattern[str] | None:
    """Links to pull and merge requests of that repository; None for a repository without a web host."""
    host, path = host_and_path(repo_url)
    if not host or not path:
        return None
    return re.compile(
        rf"https?://(?:www\.)?{re.escape(host)}(?::\d{{1,5}})?/{re.escape(path)}"
        r"/(?:-/)?(?:pulls?|merge_requests|pull-requests)/(?P<number>[1-9]\d{0,8})(?![\w-])",
        re.IGNORECASE,
    )


def _trimmed(path: str) -> str:
    return path.strip("/").removesuffix(".git").strip("/")
