import io
import os

import anyio

from orchestrate.cli.writing import Writer


def test_text_reaches_the_stream():
    stream = io.StringIO()
    Writer(stream).write("a")
    Writer(stream).write("")
    assert stream.getvalue() == "a"


def test_a_letter_that_the_stream_lacks_is_no_fault():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Writer(stream).write("✓ a")
    assert stream.buffer.getvalue() == b"? a"


def test_a_reader_that_is_gone_is_no_fault():
    reading, writing = os.pipe()
    os.close(reading)
    stream = io.TextIOWrapper(os.fdopen(writing, "wb", buffering=0), write_through=True)
    Writer(stream).write("a")
    stream.close()
    Writer(stream).write("a")


async def test_a_thread_writes_so_that_nobody_waits():
    stream = io.StringIO()
    await Writer(stream).write_beside("a")
    assert stream.getvalue() == "a"


async def test_what_was_cancelled_before_a_thread_took_it_comes_with_the_next_text():
    stream = io.StringIO()
    writer = Writer(stream)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await writer.write_beside("a")
    assert stream.getvalue() == ""
    writer.write("b")
    assert stream.getvalue() == "ab"
