import anyio

from orchestrate.server.access import OWNER
from orchestrate.server.watching import StreamResponse
from tests.support.server_parts import LASTING, call, running


class Client:
    """Whoever reads a stream; leaves when told to."""

    def __init__(self):
        self.received = b""
        self.is_complete = False
        self.news = anyio.Event()
        self.leave = anyio.Event()

    async def receive(self):
        await self.leave.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        if message["type"] == "http.response.body":
            self.received += message["body"]
            self.is_complete = not message["more_body"]
            news, self.news = self.news, anyio.Event()
            news.set()

    async def wait_for(self, piece):
        while piece not in self.received:
            await self.news.wait()


def stream(our, run, *, last=None, heartbeat_seconds=3600.0):
    record = our.lookups.run_record(OWNER, run["agentId"], run["id"])
    return StreamResponse(our.lookups, run=record, last_event_id=last, heartbeat_seconds=heartbeat_seconds)


async def read_whole(response):
    client = Client()
    await response({}, client.receive, client.send)
    return client


async def test_an_ended_run_is_told_whole(tmp_path):
    async with running(tmp_path) as our:
        run = (await our.create(call('null-runner: {"reply": "said"}')))["run"]
        await our.ended(run)

        client = await read_whole(stream(our, run))

        assert client.is_complete
        assert client.received.count(b"event: result") == client.received.count(b"event: done") == 1
        assert b'data: {"text":"said"}' in client.received
        rest = await read_whole(stream(our, run, last="4.0.4"))
        assert rest.received == b"id: 4.0.5\nevent: done\ndata: {}\n\n"


async def test_a_living_run_is_told_to_its_end(tmp_path):
    async with running(tmp_path) as our, anyio.create_task_group() as tasks:
        run = (await our.create(call(LASTING)))["run"]
        client = Client()
        tasks.start_soon(stream(our, run), {}, client.receive, client.send)
        await client.wait_for(b"event: status")

        our.live_runs.cancel(our.live_runs.get(run["id"]))
        await client.wait_for(b"event: done")

        assert client.is_complete
        assert b'"status":"CANCELLED"' in client.received


async def test_a_client_that_leaves_is_not_waited_for(tmp_path):
    async with running(tmp_path) as our, anyio.create_task_group() as tasks:
        run = (await our.create(call(LASTING)))["run"]
        client = Client()
        tasks.start_soon(stream(our, run), {}, client.receive, client.send)
        await client.wait_for(b"event: status")

        client.leave.set()

    assert not client.is_complete


async def test_silence_is_broken_by_beats_and_ended_by_the_servers_end(tmp_path):
    async with running(tmp_path) as our, anyio.create_task_group() as tasks:
        run = (await our.create(call(LASTING)))["run"]
        client = Client()
        tasks.start_soon(stream(our, run, heartbeat_seconds=0), {}, client.receive, client.send)
        await client.wait_for(b"event: heartbeat")

        our.live_runs.stop()

    assert client.is_complete
    assert b"event: done" not in client.received


async def test_an_id_of_another_run_is_told_and_ends_the_stream(tmp_path):
    async with running(tmp_path) as our:
        run = (await our.create(call(LASTING)))["run"]
        for last in ("x", "99.0.2"):
            client = await read_whole(stream(our, run, last=last))

            assert client.is_complete
            assert client.received.startswith(b'event: error\ndata: {"code":"invalid_last_event_id"')
