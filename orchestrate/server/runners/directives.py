"""Orders to a test runner, written into a prompt as a name, a colon and JSON."""

import json

from orchestrate.server.faults import invalid


def find_directive(prompt: str, *, name: str) -> object | None:
    """The JSON value behind the first ``<name>:`` of a prompt, whatever follows it; None if there is none.

    The name may stand anywhere, so that it survives whatever a prompt template puts around a goal.
    """
    start = prompt.find(f"{name}:")
    if start < 0:
        return None
    text = prompt[start + len(name) + 1 :].lstrip()
    try:
        value: object = json.JSONDecoder().raw_decode(text)[0]
    except json.JSONDecodeError as error:
        raise invalid(f"prompt.text: `{name}:` is not followed by JSON: {error}") from error
    return value
