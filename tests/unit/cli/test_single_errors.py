import anyio
import pytest

from orchestrate.cli.single_errors import single_errors
from orchestrate.errors import InputRefused


async def test_an_error_of_ours_comes_out_of_its_groups():
    async def fails(error):
        raise error

    async def in_a_group():
        with single_errors():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(fails, ValueError("late"))
                tasks.start_soon(fails, InputRefused("wrong"))

    with pytest.raises(InputRefused, match="wrong"):
        await in_a_group()


def test_without_one_of_ours_it_is_the_first():
    with pytest.raises(BrokenPipeError), single_errors():
        raise BaseExceptionGroup("group", [ExceptionGroup("inner", [BrokenPipeError()])])


def test_other_errors_pass_as_they_are():
    with pytest.raises(KeyError), single_errors():
        raise KeyError("a")
