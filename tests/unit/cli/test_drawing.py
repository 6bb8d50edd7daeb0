import re

from orchestrate.cli.drawing import Block

_UP = re.compile(r"\x1b\[(\d+)F")


def drawn(block: Block, permanent: list[str], lines: list[str], *, columns: int = 80) -> str:
    return block.frame(permanent, lines, widths=[len(line) for line in lines], columns=columns)


def test_the_first_frame_erases_nothing():
    assert drawn(Block(), [], ["a", "b"]) == "\x1b[?2026ha\r\nb\r\n\x1b[?2026l"


def test_the_next_one_replaces_the_block_and_leaves_permanent_lines_above():
    block = Block()
    drawn(block, [], ["a", "b"])
    assert drawn(block, ["over"], ["c"]) == "\x1b[?2026h\x1b[2F\x1b[Jover\r\nc\r\n\x1b[?2026l"


def test_after_a_resize_the_height_is_that_of_the_wrapped_lines():
    block = Block()
    drawn(block, [], ["x" * 80, "", "y" * 41])
    found = _UP.search(drawn(block, [], ["z"], columns=40))
    assert found is not None
    assert int(found[1]) == 2 + 1 + 2


def test_nothing_to_show_is_nothing_to_write():
    block = Block()
    assert drawn(block, [], []) == ""
    drawn(block, [], ["a"])
    assert drawn(block, [], []) == "\x1b[?2026h\x1b[1F\x1b[J\x1b[?2026l"
    assert drawn(block, [], []) == ""
