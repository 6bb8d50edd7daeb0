"""Effects and their families of answers."""

from dataclasses import FrozenInstanceError

import pytest

from orchestrate.core import effects
from orchestrate.core.effects import Effect, EndRun


def test_the_module_s_table_names_every_effect():
    rows = [line.split()[0] for line in (effects.__doc__ or "").splitlines() if line[:1].isupper() and "  " in line]
    assert {kind.__name__ for kind in Effect.__subclasses__()} <= set(rows)


def test_an_effect_is_never_changed_once_it_is_made():
    with pytest.raises(FrozenInstanceError):
        EndRun(exit_code=0).exit_code = 1
