import anyio
import pytest

from orchestrate.cloud import sending
from orchestrate.cloud.client import CloudClient
from orchestrate.errors import OutcomeUnknown, ProtocolBroken, Unavailable
from orchestrate.model.names import AgentId, RunId
from tests.support.scripted_server import STREAM_END, STREAM_HEAD, answer, chunk, serving

AGENT = AgentId("bc-1")
RUN = RunId("run-1")
ME = answer(200, b'{"apiKeyName":"mine"}')
STATUS = chunk('id: 1\nevent: status\ndata: {"status":"RUNNING"}\n\n')
RESULT = chunk('id: 2\nevent: result\ndata: {"status":"FINISHED"}\n\n')
DONE = chunk("event: done\n\n")


def _client(server, **options):
    return CloudClient(base_url=server.url, api_key="key-123", **options)


async def _events(client):
    async with client.stream_run(AGENT, RUN) as frames:
        return [frame.event async for frame in frames]


async def test_calls_share_a_connection():
    async with serving(lambda _: [ME]) as server, _client(server) as client:
        for _ in range(3):
            await client.me()
    assert (len(server.requests), server.connections) == (3, 1)


async def test_a_request_with_its_body_arrives_in_one_piece():
    pieces = []

    async def serve(peer):
        async with peer:
            pieces.append(await peer.receive())

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, serve)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        async with CloudClient(base_url=f"http://127.0.0.1:{port}", api_key="key-123") as client:
            with pytest.raises(OutcomeUnknown):
                await client.create_agent(b'{"prompt": {}}', key="once")
        tasks.cancel_scope.cancel()
    assert pieces[0].endswith(b'\r\n\r\n{"prompt": {}}')


async def test_streams_that_ended_leave_their_connection_to_the_next():
    pieces = [STREAM_HEAD, STATUS, RESULT, DONE, STREAM_END]
    async with serving(lambda _: pieces) as server, _client(server) as client:
        for _ in range(3):
            assert await _events(client) == ["status", "result", "done"]
    assert server.connections == 1


async def test_a_reader_that_leaves_at_the_result_leaves_the_connection_too():
    pieces = [STREAM_HEAD, STATUS, RESULT, DONE, STREAM_END]
    async with serving(lambda _: pieces) as server, _client(server) as client:
        for _ in range(3):
            async with client.stream_run(AGENT, RUN) as frames:
                async for frame in frames:
                    if frame.event == "result":
                        break
    assert server.connections == 1


@pytest.mark.parametrize("pieces", [[STREAM_HEAD, RESULT], [STREAM_HEAD, RESULT, None]])
async def test_after_the_result_nobody_waits_long_for_the_end(monkeypatch, pieces):
    monkeypatch.setattr(sending, "_LAST_BYTES", 0.01)
    async with serving(lambda _: pieces) as server, _client(server) as client, client.stream_run(AGENT, RUN) as frames:
        assert (await anext(frames)).event == "result"
    assert len(server.requests) == 1


async def test_a_reader_may_leave_in_the_middle():
    def script(request):
        return [STREAM_HEAD, STATUS] if "stream" in request.target else [ME]

    async with serving(script) as server, _client(server) as client:
        async with client.stream_run(AGENT, RUN) as frames:
            assert (await anext(frames)).event == "status"
        await client.me()


async def test_an_error_of_the_reader_is_its_own():
    async with serving(lambda _: [STREAM_HEAD, STATUS]) as server, _client(server) as client:
        with pytest.raises(ZeroDivisionError):
            async with client.stream_run(AGENT, RUN):
                raise ZeroDivisionError


async def test_a_stream_that_is_cut_says_so():
    pieces = [STREAM_HEAD, STATUS, None]
    async with serving(lambda _: pieces) as server, _client(server) as client, client.stream_run(AGENT, RUN) as frames:
        assert (await anext(frames)).event == "status"
        with pytest.raises(Unavailable) as caught:
            await anext(frames)
    assert caught.value.code == "disconnected"


async def test_a_silent_stream_ends_as_unavailable(monkeypatch):
    monkeypatch.setattr(sending, "_STREAM_SILENCE", 0.05)
    async with serving(lambda _: [STREAM_HEAD, STATUS]) as server, _client(server) as client:
        with pytest.raises(Unavailable) as caught:
            await _events(client)
    assert caught.value.code == "timeout"


async def test_streams_side_by_side_have_a_connection_each():
    async with serving(lambda _: [STREAM_HEAD, STATUS]) as server, _client(server) as client:
        both = client.stream_run(AGENT, RUN), client.stream_run(AGENT, RUN)
        async with both[0] as first, both[1] as second:
            assert [(await anext(first)).event, (await anext(second)).event] == ["status", "status"]
    assert server.connections == 2


@pytest.mark.parametrize(
    "pieces", [[None], [b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{", None], [b"nonsense\r\n\r\n"]]
)
async def test_a_connection_that_breaks_after_a_create_was_sent_leaves_it_unknown(pieces):
    async with serving(lambda _: pieces) as server, _client(server) as client:
        with pytest.raises(OutcomeUnknown) as caught:
            await client.create_agent(b"{}", key="k")
    assert caught.value.code == "disconnected"
    assert len(server.requests) == 1


async def test_a_create_without_an_answer_in_time_is_unknown():
    async with serving(lambda _: []) as server, _client(server, timeout_seconds=0.05) as client:
        with pytest.raises(OutcomeUnknown) as caught:
            await client.create_agent(b"{}", key="k")
    assert caught.value.code == "timeout"


async def test_an_answer_that_trickles_for_ever_ends_at_the_deadline(monkeypatch):
    monkeypatch.setattr(sending, "_WHOLE_CALL", 0.05)
    pieces = [b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"]
    async with serving(lambda _: pieces) as server, _client(server, timeout_seconds=1) as client:
        with pytest.raises(Unavailable) as caught:
            await client.me()
    assert caught.value.code == "timeout"


async def test_nobody_listening_means_that_nothing_was_sent():
    async with serving(lambda _: []) as server:
        gone = server.url
    async with CloudClient(base_url=gone, api_key="k") as client:
        with pytest.raises(Unavailable, match="nothing listens there") as caught:
            await client.create_agent(b"{}", key="k")
    assert caught.value.code == "unreachable"


async def test_an_endless_answer_is_not_read(monkeypatch):
    monkeypatch.setattr(sending, "_LARGEST_ANSWER", 100)
    async with serving(lambda _: [answer(200, b"x" * 1000)]) as server, _client(server) as client:
        with pytest.raises(ProtocolBroken, match="more than 100 bytes"):
            await client.me()


async def test_a_call_that_is_given_up_gives_its_lane_back():
    answers = [[], [ME]]
    async with serving(lambda _: answers.pop(0)) as server, _client(server) as client:
        with anyio.move_on_after(0.05):
            await client.me()
        assert (await client.me()).api_key_name == "mine"


async def test_the_proxy_of_the_environment_is_not_asked_for_this_machine(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://proxy.invalid:1")
    async with serving(lambda _: [ME]) as server, _client(server) as client:
        assert (await client.me()).api_key_name == "mine"
