"""What an event says under a name."""

from orchestrate.core.scenes import Scene
from tests.support.builders import a_row, moment


def test_what_is_no_text_says_nothing():
    scene = Scene(moment(), {"by": "ana", "attempt": 2}, None, a_row())
    assert (scene.said("by"), scene.said("attempt"), scene.said("note")) == ("ana", "", "")
