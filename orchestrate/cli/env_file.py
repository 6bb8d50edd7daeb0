"""``--env-file``: variables of a file that the user names; no such file is ever read by itself."""

import re
from collections.abc import Mapping
from pathlib import Path

from orchestrate.cli.settings import BACKEND_VARIABLE
from orchestrate.errors import InputRefused

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*\Z", re.ASCII | re.DOTALL)
_QUOTED = re.compile(r"""(?:"([^"]*)"|'([^']*)')\s*(?:#.*)?\Z""")
_COMMENT = re.compile(r"\s+#.*\Z")


def read_env_file(path: Path) -> Mapping[str, str]:
    """The variables of the file; it is refused with the line that is none. Values never reach a message."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        why = (error.strerror or "no reason").lower()
        raise InputRefused(
            f"--env-file: {path} cannot be read: {why}", hint="name a file of NAME=VALUE lines"
        ) from error
    except UnicodeDecodeError as error:
        raise InputRefused(f"--env-file: {path} is no text in UTF-8", hint="name a file of NAME=VALUE lines") from error
    variables: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, value = _variable(line, where=f"{path}:{number}")
        variables[name] = value
    return variables


def _variable(line: str, *, where: str) -> tuple[str, str]:
    match = _LINE.match(line)
    if match is None or "\0" in line:
        raise InputRefused(f"{where}: not of the form NAME=VALUE", hint="write NAME=VALUE, one a line")
    name, value = match.groups()
    if name == BACKEND_VARIABLE:
        raise InputRefused(f"{where}: {name} is taken from the real environment only", hint=f"export {name} instead")
    quoted = _QUOTED.match(value)
    if quoted is not None:
        return name, quoted[1] if quoted[1] is not None else quoted[2]
    return name, _COMMENT.sub("", value)
