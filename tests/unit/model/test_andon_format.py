import json

import pytest

from orchestrate.model.andon_format import encode_raised, published_andon, raised_andon
from orchestrate.model.rows import Andon

AT = "2026-01-02T03:04:05.678Z"


def state(andon):
    return json.dumps({"tasks": [], "andon": andon}).encode()


def test_a_raised_andon_comes_back():
    andon = Andon(AT, "ana", "main is broken")
    assert raised_andon(encode_raised(andon)) == andon


def test_a_state_without_one_has_none():
    assert published_andon(b'{"tasks": []}') is None


def test_a_cleared_one_is_read_whole():
    found = published_andon(
        state({"raisedAt": AT, "cleared": True, "clearedAt": AT, "clearedBy": "ana", "clearNote": "go"})
    )
    assert found == Andon(AT, None, None, True, AT, "ana", "go")


def test_texts_are_cut_and_lose_what_a_terminal_would_obey():
    found = published_andon(state({"raisedAt": AT, "reason": "\x1b[2J" + "x" * 600}))
    assert found.reason == " [2J" + "x" * 496


@pytest.mark.parametrize(
    "data",
    [
        b"no json",
        b"[]",
        b'{"tasks": 1}',
        state("raised"),
        state({"cleared": "yes"}),
        state({"raisedAt": "yesterday"}),
        state({"raisedAt": 5}),
        state({"reason": ["x"]}),
    ],
)
def test_what_is_no_state_is_told(data):
    with pytest.raises(ValueError, match=r"."):
        published_andon(data)


def test_a_raise_that_is_not_raised_is_none():
    with pytest.raises(ValueError, match="not raised"):
        raised_andon(b"{}")
