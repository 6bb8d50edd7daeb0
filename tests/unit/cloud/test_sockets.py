import ssl

import anyio
import httpcore
import pytest

from orchestrate.cloud.sockets import GatheringBackend, GatheringStream


class Wire(httpcore.AsyncNetworkStream):
    """The far end as a list of what left, one item a write."""

    def __init__(self):
        self.sent = []
        self.is_closed = False

    async def read(self, max_bytes, timeout=None):  # noqa: ASYNC109  httpcore has it so
        return b"answer"

    async def write(self, buffer, timeout=None):  # noqa: ASYNC109  httpcore has it so
        self.sent.append(buffer)

    async def aclose(self):
        self.is_closed = True

    async def start_tls(self, ssl_context, server_hostname=None, timeout=None):  # noqa: ASYNC109  httpcore has it so
        return Wire()

    def get_extra_info(self, info):
        return f"the {info}"


async def written(*buffers):
    wire = Wire()
    stream = GatheringStream(wire)
    for buffer in buffers:
        await stream.write(buffer)
    return wire.sent


async def test_head_and_body_leave_in_one_write():
    assert await written(b"POST / HTTP/1.1\r\n\r\n", b"body", b"") == [b"POST / HTTP/1.1\r\n\r\nbody"]


async def test_a_request_without_a_body_is_one_write_as_well():
    assert await written(b"GET / HTTP/1.1\r\n\r\n", b"", b"") == [b"GET / HTTP/1.1\r\n\r\n"]


async def test_what_is_large_is_not_kept():
    large = b"x" * 70_000
    assert await written(b"head", large, large, b"") == [b"head" + large, large]


async def test_nothing_is_read_before_what_was_written_has_left():
    wire = Wire()
    stream = GatheringStream(wire)
    await stream.write(b"half")
    assert wire.sent == []
    assert await stream.read(10) == b"answer"
    assert wire.sent == [b"half"]


async def test_a_closed_connection_sends_nothing_any_more():
    wire = Wire()
    stream = GatheringStream(wire)
    await stream.write(b"half")
    await stream.aclose()
    assert (wire.sent, wire.is_closed) == ([], True)


async def test_an_encrypted_connection_gathers_too():
    stream = await GatheringStream(Wire()).start_tls(ssl.create_default_context())
    assert isinstance(stream, GatheringStream)
    assert stream.get_extra_info("ssl_object") == "the ssl_object"


async def test_a_connection_is_readable_once_the_other_side_has_closed_it():
    hang_up = anyio.Event()

    async def serve(peer):
        async with peer:
            await hang_up.wait()

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, serve)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        stream = await GatheringBackend().connect_tcp("127.0.0.1", port)
        assert not stream.get_extra_info("is_readable")
        hang_up.set()
        with anyio.fail_after(10):
            assert await stream.read(1) == b""
        assert stream.get_extra_info("is_readable")
        await stream.aclose()
        assert stream.get_extra_info("is_readable")
        tasks.cancel_scope.cancel()


async def test_nobody_listening_is_an_error_of_the_connection():
    with pytest.raises(httpcore.ConnectError):
        await GatheringBackend().connect_tcp("127.0.0.1", 1)
