"""Prompt templates: compiled once, sandboxed, strict about unknown names; values are never read as template text."""

from collections.abc import Mapping
from types import TracebackType

from jinja2 import (
    FunctionLoader,
    StrictUndefined,
    Template,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
    nodes,
)
from jinja2.sandbox import ImmutableSandboxedEnvironment

from orchestrate.errors import InputRefused
from orchestrate.text.fencing import code, fence, item
from orchestrate.text.template_language import CHARGED, COUNTED, STEPS, Steps, bounded, charged, counted

#: Every template that the engine loads; those with an underscore are parts of others.
TEMPLATE_NAMES = (
    "worker.md.j2",
    "subplanner.md.j2",
    "verifier.md.j2",
    "root.md.j2",
    "postmortem-failure.md.j2",
    "postmortem-finished-no-handoff.md.j2",
    "_context.md.j2",
    "_handoff-verifier.md.j2",
    "_handoff-work.md.j2",
    "_identity.md.j2",
    "_levels.md.j2",
    "_loop.md.j2",
    "_measurements.md.j2",
    "_rules.md.j2",
    "_task.md.j2",
    "_tasks.md.j2",
    "_upstreams.md.j2",
)

#: A text beyond this is no prompt: ten times what the service takes.
LARGEST_TEXT = 10_000_000
_HINT = "correct the template, or leave --templates out to use the ones that come with orchestrate"
#: What a template of a user's own can do wrong while it runs, beside jinja's own errors.
_MISTAKES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def _grouped(number: int) -> str:
    return f"{number:,}"


_FILTERS = {"code": code, "fence": fence, "item": item, "grouped": _grouped}


class _Environment(ImmutableSandboxedEnvironment):
    """Takes the language of ``template_language`` only."""

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        return bounded(super()._parse(source, name, filename), name=name, own_filters=_FILTERS)


class Templates:
    """A set of templates by name; a mistake in one is refused with its name and line."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = dict(sources)
        self._environment = _Environment(
            loader=FunctionLoader(self._source_of),
            undefined=StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            auto_reload=False,
        )
        self._environment.filters.update(_FILTERS)
        self._environment.filters.update({COUNTED: counted, CHARGED: charged})

    def render(self, name: str, values: Mapping[str, object]) -> str:
        """The text of a template with these values."""
        template = self._compiled(name)
        try:
            return f"{self._text(template, values).rstrip()}\n"
        except TemplateNotFound as error:
            raise InputRefused(f"template {name}: there is no template {error}", hint=_HINT) from error
        except TemplateSyntaxError as error:
            raise _syntax_refusal(error, name) from error
        except (TemplateError, *_MISTAKES) as error:
            place = self._place(error.__traceback__) or name
            raise InputRefused(f"template {place}: {error}", hint=_HINT) from error

    def _text(self, template: Template, values: Mapping[str, object]) -> str:
        parts, size = [], 0
        for part in template.generate({**values, STEPS: Steps()}):
            parts.append(part)
            size += len(part)
            if size > LARGEST_TEXT:
                raise InputRefused(
                    f"template {template.name}: its text has more than {LARGEST_TEXT:,} characters", hint=_HINT
                )
        return "".join(parts)

    def check(self) -> None:
        """Compile every template, so that a mistake is found before anything starts."""
        for name in self._sources:
            self._compiled(name)

    def _compiled(self, name: str) -> Template:
        try:
            return self._environment.get_template(name)
        except TemplateNotFound as error:
            raise InputRefused(f"template {name}: there is no such template", hint=_HINT) from error
        except TemplateSyntaxError as error:
            raise _syntax_refusal(error, name) from error

    def _source_of(self, name: str) -> tuple[str, str, None] | None:
        source = self._sources.get(name)
        return None if source is None else (source, name, None)

    def _place(self, traceback: TracebackType | None) -> str | None:
        """The innermost template line on the way to the error."""
        place = None
        while traceback is not None:
            file = traceback.tb_frame.f_code.co_filename
            if file in self._sources:
                place = f"{file}:{traceback.tb_lineno}"
            traceback = traceback.tb_next
        return place


def _syntax_refusal(error: TemplateSyntaxError, name: str) -> InputRefused:
    return InputRefused(f"template {error.name or name}:{error.lineno}: {error.message}", hint=_HINT)
