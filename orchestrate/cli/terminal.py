"""What a terminal can do, told from the environment and the options; nothing is asked of the terminal itself."""

import os
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass

from orchestrate.cli.screens.layout import Look
from orchestrate.cli.settings import Settings

_COLUMNS, _ROWS = 80, 24
#: Width of output that is no terminal and has no ``COLUMNS``.
_FILE_COLUMNS = 120
#: Consoles that would print the text of a title.
_WITHOUT_TITLE = ("", "dumb", "linux", "vt", "ansi", "cons", "sun")
#: Terminals that are known to take links (OSC 8), by ``TERM`` or ``TERM_PROGRAM``.
_LINKING = ("xterm-kitty", "alacritty", "foot", "xterm-ghostty", "wezterm")
_LINKING_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio"})
#: Terminals that show progress (OSC 9;4); others read that sequence as a message to the user.
_PROGRESS_PROGRAMS = frozenset({"WezTerm", "ghostty"})
#: Languages whose fonts may show our glyphs two columns wide.
_WIDE = ("ja", "zh", "ko")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What may be written to one stream."""

    #: The stream is a terminal whose lines can be replaced.
    is_live: bool = False
    has_color: bool = False
    has_unicode: bool = True
    has_links: bool = False
    has_title: bool = False
    has_progress: bool = False

    def look(self, *, columns: int, rows: int, program: str, argument: str, remote: str) -> Look:
        """A screen of this size with these abilities."""
        return Look(
            columns=columns,
            rows=rows,
            has_color=self.has_color,
            has_unicode=self.has_unicode,
            has_links=self.has_links,
            program=program,
            argument=argument,
            remote=remote,
        )


def capabilities_of(settings: Settings, args: Namespace, *, is_terminal: bool) -> Capabilities:
    """What a stream can do; ``--color`` wins over ``NO_COLOR``, that over ``FORCE_COLOR``, that over the terminal."""
    is_capable = is_terminal and not settings.is_dumb
    is_plain = bool(args.plain)
    is_modern = is_capable and not settings.is_ci and not is_plain
    return Capabilities(
        is_live=is_modern,
        has_color=_has_color(settings, str(args.color), is_capable=is_capable and not is_plain),
        has_unicode=settings.streams.has_unicode and not is_plain and not _has_wide_letters(settings.environ),
        has_links=is_modern and _has_links(settings.environ, term=settings.term),
        has_title=is_modern and not settings.term.startswith(_WITHOUT_TITLE[1:]) and bool(settings.term),
        has_progress=is_modern and _has_progress(settings.environ),
    )


def stdout_look(settings: Settings, args: Namespace, *, argument: str, remote: str = "origin") -> Look:
    """The look of what a verb prints on stdout."""
    is_terminal = settings.streams.stdout_is_terminal
    capabilities = capabilities_of(settings, args, is_terminal=is_terminal)
    columns, rows = size_of(1, settings, is_terminal=is_terminal)
    return capabilities.look(columns=columns, rows=rows, program=settings.program, argument=argument, remote=remote)


def size_of(descriptor: int, settings: Settings, *, is_terminal: bool) -> tuple[int, int]:
    """Columns and rows: the terminal's own, else ``COLUMNS`` and ``LINES``, else the usual."""
    if is_terminal:
        try:
            found = os.get_terminal_size(descriptor)
        except OSError:
            found = os.terminal_size((0, 0))
        return found.columns or settings.columns or _COLUMNS, found.lines or settings.rows or _ROWS
    return settings.columns or _FILE_COLUMNS, settings.rows or _ROWS


def _has_color(settings: Settings, choice: str, *, is_capable: bool) -> bool:
    if choice != "auto":
        return choice == "always"
    if settings.no_color:
        return False
    return settings.force_color or is_capable


def _has_links(environ: Mapping[str, str], *, term: str) -> bool:
    if environ.get("FORCE_HYPERLINK"):
        return environ["FORCE_HYPERLINK"] != "0"
    if environ.get("TERM_PROGRAM") in _LINKING_PROGRAMS or term.startswith(_LINKING):
        return True
    version = environ.get("VTE_VERSION", "")
    is_vte = version.isascii() and version.isdigit() and int(version) >= 5000  # noqa: PLR2004  first release with links
    return is_vte or bool(environ.get("WT_SESSION") or environ.get("KONSOLE_VERSION"))


def _has_progress(environ: Mapping[str, str]) -> bool:
    if environ.get("TERM_PROGRAM") in _PROGRESS_PROGRAMS:
        return True
    return bool(environ.get("WT_SESSION")) or environ.get("ConEmuANSI") == "ON"


def _has_wide_letters(environ: Mapping[str, str]) -> bool:
    """True where our glyphs may take two columns."""
    locale = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    return locale.startswith(_WIDE)
