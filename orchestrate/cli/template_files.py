"""The prompt templates of a run: those that come with the program, single ones replaced by those of ``--templates``."""

import os
from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.shipped import shipped
from orchestrate.text.templates import TEMPLATE_NAMES, Templates

_LARGEST_TEMPLATE = 1_000_000


def load_templates(folder: Path | None) -> Templates:
    """The shipped templates, each replaced by the file of its name in ``folder``; InputRefused for a broken one."""
    sources = {name: (shipped("templates") / name).read_text(encoding="utf-8") for name in TEMPLATE_NAMES}
    if folder is None:
        return Templates(sources)
    if not folder.is_dir():
        raise InputRefused(
            f"--templates: {folder} is no folder. Nothing was launched.", hint="name a folder of templates"
        )
    own = _own_templates(folder)
    if not own:
        hint = f"name a file like one of {', '.join(name for name in TEMPLATE_NAMES if not name.startswith('_'))}"
        raise InputRefused(f"--templates: {folder} holds no template. Nothing was launched.", hint=hint)
    templates = Templates({**sources, **own})
    templates.check()
    return templates


def _own_templates(folder: Path) -> dict[str, str]:
    return {name: _own_template(folder / name) for name in TEMPLATE_NAMES if os.path.lexists(folder / name)}


def _own_template(path: Path) -> str:
    """The text of one template; what is no file, or no template for its size, is not read."""
    try:
        if not path.is_file():
            raise InputRefused(f"--templates: {path} is no file. Nothing was launched.", hint="move it away")
        with path.open("rb") as file:
            data = file.read(_LARGEST_TEMPLATE + 1)
        if len(data) > _LARGEST_TEMPLATE:
            told = f"--templates: {path} has more than {_LARGEST_TEMPLATE:,} bytes. Nothing was launched."
            raise InputRefused(told, hint="keep long texts in the repository")
        return data.decode()
    except OSError as error:
        told = f"--templates: {path} cannot be read: {(error.strerror or 'no reason').lower()}. Nothing was launched."
        raise InputRefused(told, hint="give yourself the right to read it") from error
    except UnicodeDecodeError as error:
        raise InputRefused(
            f"--templates: {path} is no text in UTF-8. Nothing was launched.", hint="save it as UTF-8"
        ) from error
