"""Fuzzing: the same examples in every run, unless ``FUZZ_EXAMPLES=20000 pytest tests/fuzz`` asks for a longer, new hunt."""

import os

from hypothesis import HealthCheck, settings, strategies as st

_WANTED = os.environ.get("FUZZ_EXAMPLES")

#: Put it above ``@given``. What a hunt finds becomes an ``@example``, or a test of its own.
fuzzed = settings(
    max_examples=int(_WANTED or 250),
    derandomize=_WANTED is None,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)

#: Characters that parsers stumble over: line ends of all kinds, what nobody sees, what turns the reading direction.
ODD_CHARACTERS = "\0\t\n\r\x0b\x0c\x1b\x1c\x7f\x85\xa0\xad\u200b\u200e\u2028\u2029\u202e\u2066\ufeff\ufffd\ud800\U0001f600\u0130\u0345"
odd_text = st.text(alphabet=st.one_of(st.sampled_from(ODD_CHARACTERS), st.characters()), max_size=20)

json_scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(-(10**40), 10**40), st.floats(), odd_text, st.just("x" * 300)
)
json_values = st.recursive(
    json_scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(odd_text, inner, max_size=3)),
    max_leaves=6,
)


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """These bytes after up to four cuts, insertions, repetitions and replacements."""
    data = whole
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.one_of(st.integers(0, 8), st.integers(0, 400))))
        middle = draw(
            st.one_of(
                st.just(b""),
                st.binary(max_size=8),
                st.sampled_from([b"\n", b"{", b"}", b'"', b",", b"null", b"\0", b"\xff", b"1e999", b"[" * 200]),
                st.just(data[start:end] * 2),
            )
        )
        data = data[:start] + middle + data[end:]
    return data


@st.composite
def mutated(draw: st.DrawFn, document: object) -> object:
    """This JSON document after up to four changes, each somewhere in it: fields lost, renamed, doubled, or of another kind."""
    value = document
    for _ in range(draw(st.integers(1, 4))):
        value = _changed(draw, value)
    return value


def _changed(draw: st.DrawFn, value: object) -> object:
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 5)) == 0:
        return draw(json_values)
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = draw(st.sampled_from(list(keys)))
    how = draw(st.sampled_from(["inside", "inside", "inside", "lost", "doubled", "copied"]))
    if isinstance(value, dict):
        rest = {name: inner for name, inner in value.items() if name != key}
        match how:
            case "lost":
                return rest
            case "doubled":
                return {**value, draw(odd_text): value[key]}
            case "copied":
                return {**value, key: value[draw(st.sampled_from(list(keys)))]}
            case _:
                return {**value, key: _changed(draw, value[key])}
    match how:
        case "lost":
            return [*value[:key], *value[key + 1 :]]
        case "doubled":
            return [*value, value[key]]
        case "copied":
            return [*value[:key], value[draw(st.sampled_from(list(keys)))], *value[key + 1 :]]
        case _:
            return [*value[:key], _changed(draw, value[key]), *value[key + 1 :]]
