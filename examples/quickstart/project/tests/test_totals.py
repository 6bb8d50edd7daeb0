"""What ``subtotal`` promises; one of these tests fails until the bug is fixed."""

import unittest

from basket.totals import subtotal


class Subtotal(unittest.TestCase):
    """The price of all lines together."""

    def test_an_empty_basket_costs_nothing(self):
        """No lines, no price."""
        self.assertEqual(subtotal([]), 0)

    def test_prices_are_added(self):
        """One of each."""
        self.assertEqual(subtotal([("bread", 320, 1), ("milk", 110, 1)]), 430)

    def test_the_quantity_counts(self):
        """Three of a thing cost three times as much."""
        self.assertEqual(subtotal([("milk", 110, 3)]), 330)
