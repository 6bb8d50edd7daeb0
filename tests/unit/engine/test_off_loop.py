import threading

from orchestrate.engine.off_loop import off_loop_if_large


async def test_small_work_is_done_at_once():
    assert await off_loop_if_large(threading.get_ident, size=100) == threading.get_ident()


async def test_large_work_is_done_in_a_thread():
    assert await off_loop_if_large(threading.get_ident, size=5_000_000) != threading.get_ident()
