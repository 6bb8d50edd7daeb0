import base64

import pytest

from orchestrate.text.redaction import REDACTED, Redactor
from tests.support.corpus import PlainCase, SecretCase, plain_cases, secret_cases

LONG = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"


def test_known_values_go_in_every_form():
    secret = 'pa"ss/word+1'
    text = f'{secret} pa%22ss%2Fword%2B1 pa\\"ss/word+1 {base64.b64encode(secret.encode()).decode()}'
    assert Redactor([secret]).redact(text) == " ".join([REDACTED] * 4)


def test_the_longest_known_value_goes_first():
    assert Redactor(["abcdef", "abcdefghi"]).redact("xabcdefghix abcdef") == f"x{REDACTED}x {REDACTED}"


def test_short_values_are_no_secrets():
    assert Redactor(["abc", "", "  "]).redact("abc") == "abc"


@pytest.mark.parametrize(
    "secret",
    [
        "AKIA" + "Q" * 16,
        f"ghp_{LONG[:36]}",
        f"github_pat_{LONG}",
        f"glpat-{LONG[:20]}",
        "xoxb-" + "1234567890-abcdef",
        f"sk-proj-{LONG}",
        f"sk-ant-api03-{LONG}",
        f"AIza{LONG[:35]}",
        f"npm_{LONG[:36]}",
        f"hf_{LONG[:34]}",
        f"crsr_{LONG}",
        "key_" + "0123456789abcdef" * 4,
        f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIiwi.{LONG}",
        f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{LONG}\n{LONG[:10]}==\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN PRIVATE KEY-----\\n{LONG}\\n-----END PRIVATE KEY-----",
    ],
)
def test_what_has_the_shape_of_a_secret_goes(secret):
    assert Redactor().redact(f"before {secret} after") == f"before {REDACTED} after"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("https://me:s3cr3tw0rd@host/x", f"https://{REDACTED}@host/x"),
        (
            "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijkl",
            f"https://hooks.slack.com/services/{REDACTED}",
        ),
        (f"Authorization: Bearer {LONG}", f"Authorization: Bearer {REDACTED}"),
        (f'"x-api-key": "{LONG}"', f'"x-api-key": "{REDACTED}"'),
        ("DB_PASSWORD=hunter22", f"DB_PASSWORD={REDACTED}"),
        ('{"password": "hunter2hunter"}', f'{{"password": "{REDACTED}"}}'),
        (f"client_secret: {LONG}", f"client_secret: {REDACTED}"),
    ],
)
def test_what_stands_around_a_secret_stays(text, left):
    assert Redactor().redact(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "The token must be rotated; the password: ask the vault. Bearer token authentication is used.",
        "sk-learn-how-to-write-good-prose-here",
        "git@github.com:o/r.git https://user:password@host http://host:8080/x@y",
        "const token = getToken(); password: string; API_KEY=${API_KEY}; SECRET=your-secret; token == other",
        "-----BEGIN PRIVATE KEY----- is how a key starts",
        "MAX_TOKENS=4096 token_count=12345678 tokens: 123456789012",
        f"token={REDACTED}",
    ],
)
def test_prose_about_secrets_stays(text):
    assert Redactor().redact(text) == text


def test_twice_is_once():
    redactor = Redactor(["topsecret1"])
    once = redactor.redact(f"topsecret1 https://a:topsecret1@h DB_TOKEN=topsecret1 Authorization: Bearer {LONG}")
    assert redactor.redact(once) == once


def test_it_is_told_whether_there_is_a_secret():
    assert Redactor(["topsecret1"]).holds_secret("a topsecret1")
    assert not Redactor(["topsecret1"]).holds_secret("a secret")


SECRETS, PLAIN = secret_cases(), plain_cases()


@pytest.mark.parametrize("case", SECRETS, ids=[case.id for case in SECRETS])
def test_a_secret_of_the_corpus_goes_and_what_stands_around_it_stays(case: SecretCase):
    redacted = Redactor(case.known).redact(case.text)
    assert [hidden for hidden in case.hidden if hidden in redacted] == []
    assert [kept for kept in case.kept if kept not in redacted] == []
    assert Redactor(case.known).redact(redacted) == redacted


@pytest.mark.parametrize("case", PLAIN, ids=[case.id for case in PLAIN])
def test_a_text_of_the_corpus_that_only_talks_about_secrets_stays(case: PlainCase):
    assert Redactor().redact(case.text) == case.text, case.reason
