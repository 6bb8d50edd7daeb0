"""The collector's settings while a command runs, and behind it."""

import gc

from orchestrate.cli.collector import collecting_rarely


def test_fewer_collections_last_as_long_as_the_block():
    before = gc.get_threshold()
    with collecting_rarely():
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_threshold() == before
