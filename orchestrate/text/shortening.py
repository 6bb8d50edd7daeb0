"""How much of each upstream handoff a prompt holds: all of it while the sum fits, else fair shares with visible marks."""

from collections.abc import Sequence

#: Bytes of all upstream handoffs of one prompt together.
UPSTREAM_BUDGET_BYTES = 200_000


def fair_shares(sizes: Sequence[int], *, budget: int) -> list[int]:
    """Max-min fair: small ones are whole, the others share what is left evenly."""
    shares = [0] * len(sizes)
    left = budget
    order = sorted(range(len(sizes)), key=lambda index: sizes[index])
    for place, index in enumerate(order):
        shares[index] = min(sizes[index], left // (len(order) - place))
        left -= shares[index]
    return shares


def shortened(text: str, *, limit: int, whole_text: str | None = None) -> str:
    """The text in at most about ``limit`` bytes: its head and its tail, with a mark between them where it was cut."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return text
    where = f"; the whole text is in {whole_text}" if whole_text else ""
    mark = f"\n\n[... {len(encoded) - limit:,} bytes or more of this handoff were left out here{where} ...]\n\n"
    room = max(0, limit - len(mark.encode()))
    head = _whole_characters(encoded[: room // 2])
    tail = _whole_characters(encoded[len(encoded) - (room - room // 2) :])
    return f"{_up_to_a_line(head)}{mark}{_from_a_line(tail)}"


def _whole_characters(encoded: bytes) -> str:
    return encoded.decode("utf-8", "ignore")


def _up_to_a_line(text: str) -> str:
    """Cut at a line's end, unless that would lose more than a quarter."""
    end = text.rfind("\n")
    return text[:end] if end >= len(text) * 3 // 4 else text


def _from_a_line(text: str) -> str:
    start = text.find("\n")
    return text[start + 1 :] if 0 <= start <= len(text) // 4 else text
