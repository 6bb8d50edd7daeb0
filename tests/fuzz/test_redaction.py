"""Whatever stands around a secret: it is gone, nothing else of the text comes in its place, and once is enough."""

import base64
import json
from urllib.parse import quote

from hypothesis import given, strategies as st

from orchestrate.engine.view import ActivityView
from orchestrate.model.names import TaskName
from orchestrate.model.wire import Frame
from orchestrate.text.redaction import REDACTED, Redactor
from tests.support.fuzzing import fuzzed, odd_text

#: Made up; the shapes of real tokens, which are known without being told.
SHAPED = (
    "ghp_" + "a1B2" * 9,
    "AKIA" + "ABCDEFGH12345678",
    "xoxb-1234567890-abcdef",
    "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "sk-" + "a1B2c3D4e5F6g7H8i9J0",
    "crsr_" + "0123456789abcdef" * 2,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnop",
)
#: What may stand beside a secret and be taken for a part of it.
NEIGHBOURS = (
    "",
    " ",
    "=",
    "'",
    '"',
    "`",
    ":",
    "://",
    "@",
    "token=",
    "Bearer ",
    "-----BEGIN ",
    "\\n",
    "\0",
    "\u200b",
    REDACTED,
)
#: Letters that stand in no other text here, so that any piece of a secret gives it away.
known_secrets = st.text(alphabet='ΑΒΓΔΕΖΗΘ+/%"\\', min_size=6, max_size=40).filter(
    lambda secret: sum(character.isalpha() for character in secret) >= 6
)
other_secrets = st.text(alphabet="АБВГДЕ", min_size=6, max_size=40)
#: The alphabets of those two.
GREEK_AND_CYRILLIC = range(0x370, 0x530)
around = st.lists(st.one_of(st.sampled_from(NEIGHBOURS), odd_text), max_size=4).map(
    lambda pieces: "".join(character for character in "".join(pieces) if ord(character) not in GREEK_AND_CYRILLIC)
)


def forms_of(secret):
    encoded = secret.encode()
    return (
        secret,
        quote(encoded, safe=""),
        json.dumps(secret, ensure_ascii=False)[1:-1],
        base64.b64encode(encoded).decode(),
    )


@fuzzed
@given(known_secrets, st.integers(0, 3), around, around)
def test_a_known_secret_is_gone_in_each_of_its_forms(secret, form, before, after):
    text = forms_of(secret)[form]
    redacted = Redactor([secret]).redact(f"{before}{text}{after}")

    assert text not in redacted
    assert not any(character in redacted for character in secret if character.isalpha())


@fuzzed
@given(known_secrets, other_secrets, st.permutations(range(4)), around)
def test_secrets_that_touch_or_hold_each_other_are_all_gone(one, other, order, between):
    secrets = [one, other, one + other, other + one]
    redacted = Redactor(secrets).redact(between.join(secrets[place] for place in order))

    assert not any(character.isalpha() and ord(character) in GREEK_AND_CYRILLIC for character in redacted)


@fuzzed
@given(st.sampled_from(SHAPED), around, around)
def test_a_token_is_gone_by_its_shape_alone(token, before, after):
    redacted = Redactor().redact(f"{before} {token} {after}")

    assert token not in redacted
    assert token[:14] not in redacted


@fuzzed
@given(around, known_secrets, st.sampled_from(SHAPED), around)
def test_twice_is_as_good_as_once(before, secret, token, after):
    redactor = Redactor([secret])
    once = redactor.redact(f"{before}{secret} {token}{after}")

    assert redactor.redact(once) == once


@fuzzed
@given(st.text(alphabet=" abcdefgh.,;()\n#*-", max_size=200))
def test_prose_stays_as_it_is(text):
    assert Redactor(["Geheim-Wort"]).redact(text) == text


@fuzzed
@given(
    known_secrets,
    st.one_of(st.integers(0, 100), st.integers(4040, 4100)),
    st.sampled_from([" ", "x", "a b", "\t"]),
    st.integers(1, 60),
)
def test_nothing_of_a_secret_shows_where_a_long_command_is_cut(secret, length, filler, tail):
    command = (filler * length)[:length] + secret + "y" * tail
    frame = Frame("1", "tool_call", {"name": "shell", "args": {"command": command}})

    doing = ActivityView(Redactor([secret])).saw(TaskName("a"), frame, at=0.0)

    assert not any(character in (doing or "") for character in secret if character.isalpha())


@fuzzed
@given(known_secrets, st.integers(1, 30), st.sampled_from(["", "start ", "one line\n"]))
def test_nothing_of_a_secret_shows_where_a_long_line_comes_in_pieces(secret, cut, before):
    view, text = ActivityView(Redactor([secret])), f"{before}{secret}\n"
    pieces = text[: len(before) + min(cut, len(secret) - 1)], text[len(before) + min(cut, len(secret) - 1) :]

    shown = [view.saw(TaskName("a"), Frame(None, "thinking", {"text": piece}), at=0.0) or "" for piece in pieces]

    assert not any(character in words for words in shown for character in secret if character.isalpha())
