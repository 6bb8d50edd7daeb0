import os
from urllib.parse import parse_qs, urlsplit

import pytest

from orchestrate.errors import Refused
from orchestrate.server.access import Keyring
from orchestrate.server.downloads import LINK_SECONDS, Downloads, FileAnswer
from orchestrate.server.git import Git
from orchestrate.server.records import AgentRecord
from orchestrate.server.state import StateFolder

AGENT = AgentRecord("bc-1", "/bc-1/", "command", "2026", "run-1", {"name": "x"}, b"", {})
PATH = "artifacts/a b\u00e4.txt"


class StandingClock:
    seconds = 1000.0

    def now(self):
        return self.seconds


@pytest.fixture
def downloads(tmp_path):
    folder = StateFolder(tmp_path)
    folder.artifacts("bc-1").mkdir(parents=True)
    (folder.artifacts("bc-1") / "a b\u00e4.txt").write_bytes(b"content")
    return Downloads(
        folder=folder, git=Git({}), keyring=Keyring("token"), clock=StandingClock(), base_url="http://127.0.0.1:7"
    )


async def sent_by(answer):
    sent = []

    async def send(message):
        sent.append(message)

    await answer({}, None, send)
    return dict(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:])


async def test_a_link_names_its_file_and_its_end(downloads):
    told = await downloads.link(AGENT, PATH)
    url = urlsplit(told["url"])
    query = {name: values[0] for name, values in parse_qs(url.query).items()}

    assert (url.netloc, url.path) == ("127.0.0.1:7", "/v1/downloads/bc-1")
    assert (query["path"], query["expires"]) == (PATH, str(1000 + LINK_SECONDS))
    assert told["expiresAt"] == "1970-01-01T00:31:40.000Z"
    downloads.check_link("bc-1", **query)


async def test_a_link_is_for_one_agent_one_file_and_a_while(downloads):
    url = urlsplit((await downloads.link(AGENT, PATH))["url"])
    query = {name: values[0] for name, values in parse_qs(url.query).items()}
    changes = [
        {"path": "artifacts/other"},
        {"expires": "9999999999"},
        {"expires": "1" * 13},
        {"expires": "\u0661"},
        {"expires": ""},
        {"signature": "\u00e4"},
    ]
    for change in changes:
        with pytest.raises(Refused, match="not valid or has expired"):
            downloads.check_link("bc-1", **{**query, **change})
    with pytest.raises(Refused):
        downloads.check_link("bc-2", **query)
    downloads.clock.seconds = 1001.0 + LINK_SECONDS
    with pytest.raises(Refused):
        downloads.check_link("bc-1", **query)


async def test_a_file_is_sent_to_be_saved(downloads):
    headers, body = await sent_by(await downloads.file(AGENT, PATH))

    assert body == b"content"
    assert headers[b"content-length"] == b"7"
    assert headers[b"content-disposition"] == b"attachment; filename*=UTF-8''a%20b%C3%A4.txt"


async def test_what_is_not_there_has_no_link(downloads):
    for ask in (downloads.link, downloads.file):
        with pytest.raises(Refused, match="does not exist"):
            await ask(AGENT, "artifacts/none")


async def test_as_many_bytes_are_sent_as_were_announced(tmp_path):
    file = tmp_path / "growing"
    file.write_bytes(b"12345")
    answer = FileAnswer(os.open(file, os.O_RDONLY), name="x")
    sent = []

    async def send(message):
        sent.append(message)
        with file.open("ab") as more:
            more.write(b"more")

    await answer({}, None, send)
    assert b"".join(message["body"] for message in sent[1:]) == b"12345"
