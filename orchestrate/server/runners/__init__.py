"""The ways to carry out a run."""
