"""Screens: pure functions from what is known of a run to the lines that people read."""
