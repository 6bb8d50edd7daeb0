import pytest

from orchestrate.model.secret_shapes import REDACTED, without_shapes

LONG = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HEX = "0123456789abcdef"


@pytest.mark.parametrize(
    "secret",
    [
        f"shpat_{HEX * 2}",
        f"ATATT3{LONG}",
        f"xoxe.xoxp-1-{LONG}",
        f"figd_{LONG}",
        f"sbp_{HEX * 2}{HEX[:8]}",
        f"glsa_{LONG[:32]}_01234567",
        f"dp.pt.{LONG}",
        f"PMAK-{(HEX * 2)[:24]}-{(HEX * 3)[:34]}",
        f"pat-na1-{HEX[:8]}-0123-0123-0123-{HEX[:12]}",
        "AGE-SECRET-KEY-1" + "Q" * 58,
    ],
)
def test_tokens_are_known_by_their_issuers_forms(secret):
    assert without_shapes(f"before {secret}, after") == f"before {REDACTED}, after"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"GET /x?access_token={LONG}&page=2", f"GET /x?access_token={REDACTED}&page=2"),
        (f"tool --token {LONG} --env prod", f"tool --token {REDACTED} --env prod"),
        (f'"{{\\"api_key\\": \\"{LONG}\\"}}"', f'"{{\\"api_key\\": \\"{REDACTED}\\"}}"'),
        (f"SECRET_KEY_BASE={LONG}", f"SECRET_KEY_BASE={REDACTED}"),
        ("DB_PASS=hunter22", f"DB_PASS={REDACTED}"),
        (f"PRIVATE-TOKEN: {LONG}", f"PRIVATE-TOKEN: {REDACTED}"),
    ],
)
def test_values_beside_a_name_that_says_so_go(text, left):
    assert without_shapes(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "use --token to pass it",
        "PWD=/home/user1/x",
        "a pass: 12 of 12 ok",
        "MAX_TOKENS=4096",
        "/x?token=abc&page=12345678901",
    ],
)
def test_the_rest_stays(text):
    assert without_shapes(text) == text
