"""Run large coding jobs on fleets of coding agents."""

__version__ = "0.1.0"
