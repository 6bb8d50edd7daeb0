import anyio.lowlevel

from orchestrate.system import run_event_loop


def test_an_async_function_runs_to_its_end():
    async def main():
        await anyio.lowlevel.checkpoint()
        return 7

    assert run_event_loop(main) == 7
