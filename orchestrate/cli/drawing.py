"""A block of lines at the foot of a terminal that is replaced in place; what stands above it stays.

The height of what was drawn is computed from its widths, also after the terminal was resized: nothing is asked of it.
"""

from collections.abc import Sequence

_CLEAR_DOWN = "\x1b[J"
#: Terminals that know it show a whole frame at once; others pass over it.
_BEGIN_FRAME, _END_FRAME = "\x1b[?2026h", "\x1b[?2026l"


class Block:
    """What stands at the foot of the terminal now."""

    def __init__(self) -> None:
        #: Widths of the lines that were drawn.
        self._widths: tuple[int, ...] = ()

    def frame(self, permanent: Sequence[str], lines: Sequence[str], *, widths: Sequence[int], columns: int) -> str:
        """The characters that put permanent lines where the block was, and the new block below them."""
        text = "".join(f"{line}\r\n" for line in (*permanent, *lines))
        erase = self._erased(columns)
        self._widths = tuple(widths)
        return f"{_BEGIN_FRAME}{erase}{text}{_END_FRAME}" if text or erase else ""

    def _erased(self, columns: int) -> str:
        height = sum(max(1, -(-width // max(1, columns))) for width in self._widths)
        return f"\x1b[{height}F{_CLEAR_DOWN}" if height else ""
