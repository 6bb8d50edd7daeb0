"""The kinds of value that fields of ``plan.json`` hold, each with its rule and its words."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, StrictBool, StrictFloat, StrictInt, WithJsonSchema

from orchestrate.model.faults import quoted
from orchestrate.model.javascript_patterns import check_flags
from orchestrate.model.names import TASK_NAME_LENGTH, TaskName, is_kebab_case, is_valid_ref

#: A slug becomes the name of a folder and part of a branch; file systems end at 255 bytes.
ROOT_SLUG_LENGTH = 200
#: No count in a plan is larger; beyond it sums and JSON readers become unsafe.
LARGEST_COUNT = 1_000_000_000

KEBAB_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$"
_NOT_A_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]")
_SOME_WORD = r"\S"
#: ``names.is_valid_ref`` as one expression that JavaScript reads as well.
_REF_PATTERN = (
    r"^(?!@$)(?![-+./])(?!.*(\.\.|@\{|//|/\.|\.lock(/|$)))[^\x00-\x20\x7f~^:?*\[\\]*[^\x00-\x20\x7f~^:?*\[\\./]$"
)
_PATH_PATTERN = r"^(?!(.*/)?\.{0,2}(/|$)).*\S"
_VARIABLE_PATTERN = "^[A-Za-z_][A-Za-z0-9_]*$"


def _with_words(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _kebab_case(name: str) -> str:
    if not name:
        raise ValueError("must not be empty")
    if is_kebab_case(name):
        return name
    raise ValueError(f"must be kebab-case: lower-case letters and digits joined by single hyphens{_proposal(name)}")


def _task_name(name: str) -> str:
    return _short_enough(_kebab_case(name), limit=TASK_NAME_LENGTH)


def _root_slug(slug: str) -> str:
    return _short_enough(_kebab_case(slug), limit=ROOT_SLUG_LENGTH)


def _short_enough(name: str, *, limit: int) -> str:
    if len(name) > limit:
        raise ValueError(f"must have at most {limit} characters, not {len(name)}")
    return name


def _proposal(name: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", name[: 2 * TASK_NAME_LENGTH].lower()).strip("-")[:TASK_NAME_LENGTH].strip("-")
    return f"; did you mean {quoted(slug)}?" if slug else ""


def _ref(ref: str) -> str:
    if is_valid_ref(ref):
        return ref
    if not ref:
        raise ValueError("must not be empty")
    if ref[0] in "-+":
        raise ValueError(f"a ref must not start with {quoted(ref[0])}")
    letter = _NOT_A_REF.search(ref)
    if letter is not None:
        raise ValueError(f"{quoted(ref)} is no ref that git accepts: it has {quoted(letter.group())} in it")
    raise ValueError(f"{quoted(ref)} is no ref that git accepts: {_why_no_ref(ref)}")


def _why_no_ref(ref: str) -> str:
    """What is wrong with a ref of good letters, as git's own rules have it."""
    if ref == "@":
        return "that is git's word for HEAD"
    part = next((part for part in ("..", "@{", "//", "/.") if part in ref), None)
    if part is not None:
        return f"it has {quoted(part)} in it"
    if ref[0] in "./":
        return f"it starts with {quoted(ref[0])}"
    ending = ref[-1] if ref[-1] in "./" else ".lock"
    return f"it ends with {quoted(ending)}" if ref.endswith(ending) else f"a part of it ends with {quoted(ending)}"


def _repository_path(path: str) -> str:
    if set(path.split("/")) & {"", ".", ".."}:
        raise ValueError(f"{quoted(path)} is no path inside the repository: write it like src/file, without ./ and ..")
    return path


def _variable(name: str) -> str:
    if re.fullmatch(_VARIABLE_PATTERN, name) is None or name.endswith("\n"):
        raise ValueError(f"{quoted(name)} is no name of an environment variable")
    return name


def _regex_flags(flags: str) -> str:
    """Refused flags are a ``ValueError`` with the reason."""
    check_flags(flags)
    return flags


#: Text that says something.
Text = Annotated[
    str, AfterValidator(_with_words), WithJsonSchema({"type": "string", "minLength": 1, "pattern": _SOME_WORD})
]
#: A task's name.
NameText = Annotated[
    TaskName,
    AfterValidator(_task_name),
    WithJsonSchema({"type": "string", "pattern": KEBAB_PATTERN, "minLength": 1, "maxLength": TASK_NAME_LENGTH}),
]
#: The name of another task; whether it is one is checked with the whole plan in sight.
Reference = Annotated[TaskName, WithJsonSchema({"type": "string", "pattern": KEBAB_PATTERN})]
#: The workspace's slug.
SlugText = Annotated[
    str,
    AfterValidator(_root_slug),
    WithJsonSchema({"type": "string", "pattern": KEBAB_PATTERN, "minLength": 1, "maxLength": ROOT_SLUG_LENGTH}),
]
#: A branch, tag or commit as git takes it, never an option or a force push.
Ref = Annotated[str, AfterValidator(_ref), WithJsonSchema({"type": "string", "minLength": 1, "pattern": _REF_PATTERN})]
#: A file's path inside the repository, as git writes it.
RepositoryPath = Annotated[
    str,
    AfterValidator(_with_words),
    AfterValidator(_repository_path),
    WithJsonSchema({"type": "string", "minLength": 1, "pattern": _PATH_PATTERN}),
]
#: The name of an environment variable.
VariableName = Annotated[
    str, AfterValidator(_variable), WithJsonSchema({"type": "string", "pattern": _VARIABLE_PATTERN})
]
#: Flags of a regular expression, as JavaScript writes them.
RegexFlags = Annotated[str, AfterValidator(_regex_flags), WithJsonSchema({"type": "string", "pattern": "^[dgimsuy]*$"})]
#: true or false, nothing that could be read as one.
Flag = StrictBool
#: A whole number from 1.
Count = Annotated[StrictInt, Field(ge=1, le=LARGEST_COUNT)]
#: A whole number from 0.
CountFromZero = Annotated[StrictInt, Field(ge=0, le=LARGEST_COUNT)]
#: Room for text, in bytes; below the least there would be nothing but marks of what is left out.
ByteBudget = Annotated[StrictInt, Field(ge=1000, le=LARGEST_COUNT)]
#: A whole number of either sign.
Rank = Annotated[StrictInt, Field(ge=-LARGEST_COUNT, le=LARGEST_COUNT)]
#: A number above 0.
Amount = Annotated[StrictFloat, Field(gt=0, le=LARGEST_COUNT, allow_inf_nan=False)]
#: A number from 0.
AmountFromZero = Annotated[StrictFloat, Field(ge=0, le=LARGEST_COUNT, allow_inf_nan=False)]
#: A part of a whole.
Fraction = Annotated[StrictFloat, Field(ge=0, le=1, allow_inf_nan=False)]
