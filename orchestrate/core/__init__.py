"""The machine: events in, changes and effects out. It knows no clock, no files, no network and no randomness."""
