import dataclasses

import pytest

from orchestrate.model.handoff import Handoff, MeasurementClaim


def test_a_handoff_of_which_nothing_is_clear_guesses_nothing():
    handoff = Handoff()

    assert (handoff.status, handoff.branch, handoff.verification, handoff.measurements_none) == (None, None, None, None)
    assert (handoff.structured, handoff.measurements, handoff.notes) == (False, (), ())


@pytest.mark.parametrize("record", [Handoff(), MeasurementClaim(name="n", before="1", op="→", after="2")])
def test_a_handoff_never_changes(record):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, dataclasses.fields(record)[0].name, None)
