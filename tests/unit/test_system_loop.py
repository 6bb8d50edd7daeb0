import asyncio
import sys

import anyio.lowlevel

from orchestrate.system import run_event_loop


async def _module_of_the_loop() -> str:
    await anyio.lowlevel.checkpoint()
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]


def test_an_async_function_runs_to_its_end():
    async def main():
        await anyio.lowlevel.checkpoint()
        return 7

    assert run_event_loop(main) == 7


def test_the_loop_in_c_is_used_where_it_is_there():
    assert (run_event_loop(_module_of_the_loop) == "uvloop") == (sys.platform != "win32")


def test_without_it_the_loop_in_python_does(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvloop", None)

    assert run_event_loop(_module_of_the_loop) == "asyncio"
