"""Amounts of money in words."""


def dollars(cents: float) -> str:
    """``$4.12``."""
    return f"${cents / 100:,.2f}"
