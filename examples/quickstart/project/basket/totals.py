"""Sums over a basket; a line is ``(name, price in cents, quantity)``."""


def subtotal(lines):
    """The price of all lines together, in cents."""
    return sum(price for _name, price, _quantity in lines)
