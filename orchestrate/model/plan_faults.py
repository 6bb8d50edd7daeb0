"""What pydantic found wrong with a plan, in the plan's own words and at the plan's own places."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from orchestrate.model.faults import Location, Problem, quoted
from orchestrate.model.nearest import Nearest
from orchestrate.model.plan import ModelSelection, Plan
from orchestrate.model.plan_source import Unusable

#: Fields of old plans and what takes their place.
REPLACED_FIELDS: Mapping[str, str] = {
    "tracker": "there is no tracker any more; state.json and `orchestrate status` show progress, so take it out",
    "linearTeam": "there is no tracker any more; an agent that needs one reaches it itself, so take it out",
    "trackerRef": "there is no tracker any more; use slackKickoffRef for the run's thread, slackTs for a task's message",
    "parentTrackerRef": "there is no tracker any more; use slackKickoffRef for the run's thread",
    "controlRef": "use andonStateRef and andonStatePath instead",
    "slack": "use slackChannel instead, and slackKickoffRef for a thread that is there already",
}

_TYPES = {
    "string_type": "a string",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "mapping_type": "an object",
    "dict_type": "an object",
}


def problems_of(error: ValidationError, *, value: object) -> Iterator[Problem]:
    """Each thing that pydantic found; what reading the source has reported already is left out."""
    wording = _Wording()
    for detail in error.errors(include_url=False):
        if _is_echo(detail):
            continue
        location = _location(detail["loc"], value)
        yield Problem(location, wording.of(detail, location))


def _is_echo(detail: ErrorDetails) -> bool:
    """True for what follows from another fault: a value that reading refused, a list whose entries are all wrong."""
    given = detail["input"]
    if detail["type"] == "too_short":
        return isinstance(given, list) and len(given) > 0
    return detail["type"] == "string_unicode" or isinstance(given, Unusable)


def kind_of(value: object) -> str:
    """What JSON calls the value: ``a string``, ``a list``."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return "a string"
        case int() | float():
            return "a number"
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a value of the type {type(value).__name__}"


class _Wording:
    """The sentence for one detail; keeps what costs time to find near words."""

    def __init__(self) -> None:
        self._near_fields: dict[tuple[str, ...], Nearest] = {}

    def of(self, detail: ErrorDetails, location: Location) -> str:
        kind = detail["type"]
        context = detail.get("ctx", {})
        given = detail["input"]
        if kind == "int_type" and isinstance(given, float):
            return f"must be a whole number, not {given!r}"
        if kind == "model_type" and context.get("class_name") == ModelSelection.__name__:
            return f"must be the id of a model or an object, not {kind_of(given)}"
        if kind in _TYPES:
            return f"must be {_TYPES[kind]}, not {kind_of(given)}"
        match kind:
            case "extra_forbidden":
                return self._unknown_field(location)
            case "enum" | "literal_error":
                return _not_a_word(given, expected=context["expected"])
            case "union_tag_invalid":
                return _not_a_word(context["tag"], expected=context["expected_tags"], field="kind")
            case "value_error":
                return str(context["error"])
            case _:
                sentence = _SENTENCES.get(kind)
                return detail["msg"] if sentence is None else sentence(context)

    def _unknown_field(self, location: Location) -> str:
        name = str(location[-1])
        if name in REPLACED_FIELDS and len(location) in (1, 3):
            return REPLACED_FIELDS[name]
        known = _fields_at(location[:-1])
        if known not in self._near_fields:
            self._near_fields[known] = Nearest(known)
        return f"unknown field{self._near_fields[known].question(name)}"


#: Every bound of a plan's field is a whole number.
_SENTENCES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "is missing",
    "too_short": lambda _: "must have at least one entry",
    "finite_number": lambda _: "must be a finite number",
    "union_tag_not_found": lambda _: "must say its kind",
    "greater_than_equal": lambda context: f"must be {context['ge']:.0f} or more",
    "greater_than": lambda context: f"must be more than {context['gt']:.0f}",
    "less_than_equal": lambda context: f"must be {context['le']:.0f} or less",
}


def _location(loc: Sequence[int | str], value: object) -> Location:
    """Pydantic's place without the steps that only it knows (the variant of a union, the key of a mapping)."""
    location: list[str | int] = []
    current = value
    last = len(loc) - 1
    for position, step in enumerate(loc):
        child = _child(current, step)
        if child is _ABSENT and (position < last or step == "[key]" or not _may_have(current, step)):
            continue
        location.append(step)
        current = child
    return tuple(location)


_ABSENT = object()


def _child(value: object, step: str | int) -> object:
    if isinstance(value, dict):
        return value.get(step, _ABSENT)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return _ABSENT


def _may_have(value: object, step: str | int) -> bool:
    return isinstance(value, dict if isinstance(step, str) else list)


def _fields_at(location: Location) -> tuple[str, ...]:
    """The field names that the object at this place may have."""
    kinds: tuple[type[BaseModel], ...] = (Plan,)
    for step in location:
        if isinstance(step, int):
            continue
        fields = [field for kind in kinds for field in kind.model_fields.values() if field.alias == step]
        # A mapping's key is no field: what follows is still what the mapping holds.
        kinds = tuple(kind for field in fields for kind in _models_in(field.annotation)) or kinds
    return tuple(dict.fromkeys(field.alias or "" for kind in kinds for field in kind.model_fields.values()))


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _not_a_word(given: object, *, expected: object, field: str = "") -> str:
    begin = f"{field} must be" if field else "must be"
    words = str(expected).replace("'", "").replace(" or ", ", ").split(", ")
    listed = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
    if not isinstance(given, str):
        return f"{begin} {listed}, not {kind_of(given)}"
    return f"{begin} {listed}, not {quoted(given)}{Nearest(words).question(given)}"
