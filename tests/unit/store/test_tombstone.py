import pytest

from orchestrate.model.stops import Stop
from orchestrate.store.files import Folder
from orchestrate.store.tombstone import read_stop, remove_stop, write_stop

STOP = Stop("s1", by="ana", at="2026-03-04T14:31:36.123Z")


def test_a_tombstone_stands_until_it_is_removed(tmp_path):
    folder = Folder(tmp_path)
    assert read_stop(folder) is None
    write_stop(folder, STOP)
    assert read_stop(folder) == STOP
    assert remove_stop(folder)
    assert read_stop(folder) is None
    assert not remove_stop(folder)


@pytest.mark.parametrize("kind", ["link", "large", "empty"])
def test_something_in_its_place_stops_as_well(tmp_path, kind):
    path = tmp_path / "stop.json"
    match kind:
        case "link":
            path.symlink_to(tmp_path / "elsewhere")
        case "large":
            path.write_bytes(b" " * 100_000)
        case _:
            path.touch()
    assert read_stop(Folder(tmp_path)).by == "somebody"
    assert remove_stop(Folder(tmp_path))
    assert read_stop(Folder(tmp_path)) is None
