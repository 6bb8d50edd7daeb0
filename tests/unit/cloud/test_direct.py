import socket
from contextlib import asynccontextmanager

import anyio
import httpx
import pytest

from orchestrate.cloud import direct
from orchestrate.cloud.direct import DirectLane
from orchestrate.cloud.lanes import Outgoing
from tests.support.scripted_server import STREAM_END, STREAM_HEAD, answer, chunk, serving

HELLO = answer(200, b"hello")


def a_request(method="GET", path="/v1/me", *, headers=(), body=None, silence_seconds=5.0):
    return Outgoing(method, path, headers, body, silence_seconds)


@asynccontextmanager
async def a_lane(url, *, timeout_seconds=5.0, keep_seconds=60.0):
    lane = DirectLane(url, timeout_seconds=timeout_seconds, keep_seconds=keep_seconds)
    try:
        yield lane
    finally:
        await lane.aclose()


async def read(lane, request=None):
    response = await lane.begin(request or a_request())
    try:
        return response.status_code, await response.aread()
    finally:
        await response.aclose()


async def test_a_request_arrives_as_it_was_meant():
    async with serving(lambda _: [HELLO]) as server, a_lane(f"{server.url}/base/") as lane:
        request = a_request("POST", "/v1/agents?x=1", headers=[(b"X-Own", b"a: b")], body=b"{}")
        assert await read(lane, request) == (200, b"hello")
    (arrived,) = server.requests
    assert (arrived.method, arrived.target, arrived.body) == ("POST", "/base/v1/agents?x=1", b"{}")
    assert arrived.headers == {"host": server.url.removeprefix("http://"), "x-own": "a: b", "content-length": "2"}


async def test_a_post_without_a_body_says_so():
    async with serving(lambda _: [HELLO]) as server, a_lane(server.url) as lane:
        await read(lane, a_request("POST"))
        await read(lane, a_request("GET"))
    assert ["content-length" in request.headers for request in server.requests] == [True, False]


async def test_a_body_comes_while_it_is_sent():
    pieces = [STREAM_HEAD, chunk("one")]
    async with serving(lambda _: pieces) as server, a_lane(server.url) as lane:
        response = await lane.begin(a_request())
        assert await anext(response.aiter_bytes()) == b"one"
        await response.aclose()


async def test_a_connection_serves_one_request_after_the_other():
    answers = [[HELLO], [STREAM_HEAD, chunk("hel"), chunk("lo"), STREAM_END], [HELLO]]
    async with serving(lambda _: answers.pop(0)) as server, a_lane(server.url) as lane:
        assert [await read(lane) for _ in range(3)] == [(200, b"hello")] * 3
    assert server.connections == 1


async def test_a_body_that_was_not_read_to_its_end_takes_its_connection_along():
    answers = [[STREAM_HEAD, chunk("one")], [HELLO]]
    async with serving(lambda _: answers.pop(0)) as server, a_lane(server.url) as lane:
        await (await lane.begin(a_request())).aclose()
        assert await read(lane) == (200, b"hello")
    assert server.connections == 2


@pytest.mark.parametrize("more", [[None], [b"HTTP/1.1 408 Request Timeout\r\n\r\n"]])
async def test_a_connection_that_ended_or_spoke_unasked_is_not_used_again(more):
    answers = [[HELLO, *more], [HELLO]]
    async with serving(lambda _: answers.pop(0)) as server, a_lane(server.url) as lane:
        assert await read(lane) == (200, b"hello")
        while lane._connection.is_usable(60):
            await anyio.lowlevel.checkpoint()
        assert await read(lane) == (200, b"hello")
    assert server.connections == 2


async def test_an_old_connection_is_not_used_again():
    async with serving(lambda _: [HELLO]) as server, a_lane(server.url, keep_seconds=-1) as lane:
        await read(lane)
        await read(lane)
    assert server.connections == 2


@pytest.mark.parametrize(
    ("pieces", "kind"),
    [
        ([None], httpx.RemoteProtocolError),
        ([b"nonsense\r\n\r\n"], httpx.RemoteProtocolError),
        ([], httpx.ReadTimeout),
        ([HELLO[:-1]], httpx.ReadTimeout),
        ([HELLO[:-1], None], httpx.RemoteProtocolError),
    ],
)
async def test_what_goes_wrong_is_told_in_httpx_words(pieces, kind):
    async with serving(lambda _: pieces) as server, a_lane(server.url) as lane:
        with pytest.raises(kind):
            await read(lane, a_request(silence_seconds=0.05))


async def test_nobody_listening_is_told_with_its_cause():
    async with serving(lambda _: []) as server:
        gone = server.url
    async with a_lane(gone) as lane:
        with pytest.raises(httpx.ConnectError) as caught:
            await read(lane)
    assert isinstance(caught.value.__cause__, OSError)


async def test_a_connection_that_does_not_come_about_in_time_says_so(monkeypatch):
    async def never(*_):
        await anyio.sleep_forever()

    monkeypatch.setattr(direct.anyio, "connect_tcp", never)
    async with a_lane("http://127.0.0.1:1", timeout_seconds=0.01) as lane:
        with pytest.raises(httpx.ConnectTimeout):
            await read(lane)


async def test_a_server_that_takes_nothing_in_says_so_in_time():
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        async with a_lane(f"http://127.0.0.1:{deaf.getsockname()[1]}", timeout_seconds=0.2) as lane:
            with pytest.raises(httpx.WriteTimeout):
                await read(lane, a_request("POST", body=b"x" * 50_000_000))


@pytest.mark.parametrize("method", ["send", "receive"])
@pytest.mark.parametrize("error", [anyio.BrokenResourceError, anyio.ClosedResourceError])
async def test_a_socket_that_breaks_says_so(monkeypatch, method, error):
    async def broken(*_):
        raise error

    async with serving(lambda _: [HELLO]) as server, a_lane(server.url) as lane:
        await read(lane)
        monkeypatch.setattr(lane._connection._stream, method, broken)
        with pytest.raises(httpx.WriteError if method == "send" else httpx.ReadError):
            await read(lane)


@pytest.mark.parametrize("value", [b"a\r\nX-Two: b", b"a\nb", b"a\0"])
async def test_a_header_cannot_bring_another(value):
    async with serving(lambda _: [HELLO]) as server, a_lane(server.url) as lane:
        with pytest.raises(httpx.LocalProtocolError):
            await read(lane, a_request(headers=[(b"X-One", value)]))
    assert server.requests == []


async def test_a_request_that_is_given_up_leaves_no_answer_behind_for_the_next():
    answers = [[], [HELLO]]
    async with serving(lambda _: answers.pop(0)) as server, a_lane(server.url) as lane:
        with anyio.move_on_after(0.05):
            await read(lane)
        assert await read(lane) == (200, b"hello")
    assert server.connections == 2
