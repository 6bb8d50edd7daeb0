"""What is worth a word in a plan that is otherwise good: nothing here keeps it from running."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from orchestrate.model.faults import Problem, quoted
from orchestrate.model.graph import dependencies_first, dependencies_of
from orchestrate.model.javascript_escapes import PatternRefused
from orchestrate.model.names import TaskName, placeholder_branch
from orchestrate.model.nearest import Nearest
from orchestrate.model.path_overlap import MAX_COMPARISONS, AllowedPath, overlaps_of
from orchestrate.model.pattern_compiling import compiled
from orchestrate.model.plan import Plan
from orchestrate.model.plan_parts import RegexParser
from orchestrate.model.plan_source import Reading, walk
from orchestrate.model.secret_shapes import without_shapes
from orchestrate.model.vocabulary import TaskType

#: Tasks beyond which no paths are compared: knowing what runs side by side takes memory by the square of the plan.
MAX_TASKS_COMPARED = 20_000

#: Longer texts are searched for the shapes below alone, which takes a hundredth of the time of a thorough search.
_SEARCHED_THOROUGHLY = 200_000
_BESIDE_ITS_NAME = "a secret beside its name"

#: What a secret looks like, from the issuers' own descriptions of their tokens. Each begins with fixed letters, which
#: the search jumps to; what must not stand before these is looked at after them.
SECRET_SHAPES: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "a GitHub token": (
        re.compile(r"gh[pousr]_[A-Za-z0-9]{36}"),
        re.compile(r"github_pat_[A-Za-z0-9_]{60}"),
    ),
    "a GitLab token": (re.compile(r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_.-]{20}"),),
    "an Atlassian token": (re.compile(r"AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{24}"),),
    "a Slack token": (
        re.compile(r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10}"),
        re.compile(r"xapp-\d-[A-Za-z0-9-]{20}"),
        re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20}"),
    ),
    "an AWS access key": (re.compile(r"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),),
    "a Google key": (
        re.compile(r"AIza[A-Za-z0-9_-]{35}"),
        re.compile(r"ya29\.[0-9A-Za-z_-]{20}"),
        re.compile(r"GOCSPX-[0-9A-Za-z_-]{20}"),
    ),
    "a payment key": (
        re.compile(r"sk_(?:live|test)_[0-9a-zA-Z]{16}"),
        re.compile(r"rk_(?:live|test)_[0-9a-zA-Z]{16}"),
        re.compile(r"whsec_[0-9a-zA-Z]{24}"),
        re.compile(r"shp(?:at|ss|ca|pa|ua)_[a-fA-F0-9]{32}"),
    ),
    "a token of a package index": (
        re.compile(r"npm_[A-Za-z0-9]{36}"),
        re.compile(r"pypi-[A-Za-z0-9_-]{50}"),
        re.compile(r"dckr_[po]at_[A-Za-z0-9_-]{20}"),
    ),
    "an API key": (
        re.compile(r"sk-(?<![A-Za-z0-9]sk-)[A-Za-z0-9_-]{20}"),
        re.compile(r"key_(?<![A-Za-z0-9]key_)[0-9a-f]{32}"),
        re.compile(r"crsr_[A-Za-z0-9]{32}"),
        re.compile(r"hf_(?<![A-Za-z0-9]hf_)[A-Za-z0-9]{30}"),
        re.compile(r"gsk_[A-Za-z0-9]{40}"),
        re.compile(r"xai-[A-Za-z0-9]{40}"),
        re.compile(r"lin_(?:api|oauth)_[A-Za-z0-9]{40}"),
        re.compile(r"do[opr]_v1_[0-9a-f]{64}"),
        re.compile(r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ),
    _BESIDE_ITS_NAME: (
        re.compile(
            r"=(?:(?<=TOKEN=)|(?<=SECRET=)|(?<=PASSWORD=)|(?<=API_KEY=)|(?<=ACCESS_KEY=)|(?<=PRIVATE_KEY=))[\"']?"
            r"(?=[^\s\"'`]{0,64}\d)(?=[^\s\"'`]{0,64}[A-Za-z])[A-Za-z0-9+/=._~!-]{12}"
        ),
        re.compile(r"uthorization: (?:Bearer|Basic|bearer|basic|token) (?=[^\s\"']{0,64}\d)[A-Za-z0-9._~+/=-]{20}"),
    ),
    "a JSON web token": (re.compile(r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8}"),),
    "a private key": (re.compile(r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----"),),
    "a password in an address": (re.compile(r"://[^\s/:@]{1,100}:[^\s/@]{1,100}@"),),
}


def warnings_of(plan: Plan, reading: Reading) -> Iterator[Problem]:
    """Everything to warn of; the plan is the one that the reading gave."""
    yield from _secrets(reading)
    yield from _ignored_pull_requests(plan)
    yield from _unusable_patterns(plan)
    yield from _paths_outside(plan)
    order = _Order(plan)
    yield from _loose_starting_refs(plan, order)
    yield from _shared_paths(plan, order)


def secret_kind(text: str) -> str | None:
    """What kind of secret the text seems to hold: ``a GitHub token``; None if it looks harmless."""
    for kind, shapes in SECRET_SHAPES.items():
        if any(shape.search(text) for shape in shapes):
            return kind
    is_short = len(text) <= _SEARCHED_THOROUGHLY
    return _BESIDE_ITS_NAME if is_short and without_shapes(text) != text else None


def _secrets(reading: Reading) -> Iterator[Problem]:
    if reading.text is not None and "\\" not in reading.text and secret_kind(reading.text) is None:
        return  # nothing is written with escapes, so that the text as a whole holds all that its values do
    texts = [(location, value) for location, value in walk(reading.value) if isinstance(value, str)]
    if secret_kind("\0".join(text for _, text in texts)) is None:
        return  # one search instead of one in each of many thousand values
    for location, text in texts:
        kind = secret_kind(text)
        if kind is not None:
            yield Problem(location, f"looks like {kind}; agents and everybody who reads the plan get it, take it out")


def _ignored_pull_requests(plan: Plan) -> Iterator[Problem]:
    for index, task in enumerate(plan.tasks):
        if task.open_pr and task.type is not TaskType.WORKER:
            yield Problem(("tasks", index, "openPR"), f"is ignored: a {task.type} opens no pull request")


def _unusable_patterns(plan: Plan) -> Iterator[Problem]:
    for index, task in enumerate(plan.tasks):
        for place, measurement in enumerate(task.measurements):
            if not isinstance(measurement.parser, RegexParser):
                continue
            try:
                compiled(measurement.parser.pattern, flags=measurement.parser.flags)
            except PatternRefused as refusal:
                location = ("tasks", index, "measurements", place, "parser", "pattern")
                yield Problem(location, f"cannot be used, {refusal}; this will be parse-failed")


def _paths_outside(plan: Plan) -> Iterator[Problem]:
    for index, task in enumerate(plan.tasks):
        for field, patterns in (("pathsAllowed", task.paths_allowed), ("pathsForbidden", task.paths_forbidden)):
            for place, pattern in enumerate(patterns):
                if ".." in pattern.split("/"):
                    yield Problem(
                        ("tasks", index, field, place),
                        f"{quoted(pattern)} leads out of the folder that it begins in, and matches no file",
                    )


def _loose_starting_refs(plan: Plan, order: "_Order") -> Iterator[Problem]:
    planned = {placeholder_branch(plan.root_slug, task.name, task_type=task.type): task.name for task in plan.tasks}
    nearest = Nearest(planned)
    for index, task in enumerate(plan.tasks):
        ref = task.starting_ref or ""
        other = planned.get(ref)
        if other is None and ref.startswith(placeholder_branch(plan.root_slug, "", task_type=TaskType.WORKER)):
            yield Problem(
                ("tasks", index, "startingRef"),
                f"has the form of a planned branch, and no task has it{nearest.question(ref)}",
            )
        if other is not None and other != task.name and not order.is_before(other, task.name):
            yield Problem(
                ("tasks", index, "startingRef"),
                f"is the planned branch of {quoted(other)}, and nothing makes this task wait for it;"
                f" add {quoted(other)} to dependsOn",
            )


def _shared_paths(plan: Plan, order: "_Order") -> Iterator[Problem]:
    if len(plan.tasks) > MAX_TASKS_COMPARED:
        yield Problem(("tasks",), f"has more than {MAX_TASKS_COMPARED} entries; their paths were not compared")
        return
    names = [task.name for task in plan.tasks]

    def side_by_side(one: AllowedPath, other: AllowedPath) -> bool:
        first, second = names[one.task], names[other.task]
        return not order.is_before(first, second) and not order.is_before(second, first)

    overlaps = overlaps_of(_allowed_paths(plan), side_by_side=side_by_side)
    for earlier, later in overlaps.pairs:
        yield Problem(
            ("tasks", later.task, "pathsAllowed", later.place),
            f"{quoted(names[later.task])} and {quoted(names[earlier.task])} may run side by side"
            f" and both may change {quoted(later.pattern)}",
        )
    if not overlaps.is_whole:
        yield Problem(("tasks",), f"more than {MAX_COMPARISONS} pairs of paths may overlap; the rest was not compared")


def _allowed_paths(plan: Plan) -> Iterator[AllowedPath]:
    for index, task in enumerate(plan.tasks):
        if task.type is not TaskType.VERIFIER:
            for place, pattern in enumerate(task.paths_allowed):
                yield AllowedPath(task=index, place=place, pattern=pattern, forbidden=task.paths_forbidden)


class _Order:
    """Which task surely ends before which one starts: for each task a number whose bits are the tasks before it."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def is_before(self, first: TaskName, second: TaskName) -> bool:
        return bool(self._before[second] >> self._place[first] & 1)

    @cached_property
    def _place(self) -> dict[TaskName, int]:
        return {task.name: place for place, task in enumerate(self._plan.tasks)}

    @cached_property
    def _before(self) -> dict[TaskName, int]:
        before: dict[TaskName, int] = {}
        dependencies = dependencies_of(self._plan)
        for name in dependencies_first(dependencies):
            bits = 0
            for other in dependencies[name]:
                bits |= before[other] | 1 << self._place[other]
            before[name] = bits
        return before
