import os
from pathlib import Path

import orchestrate
from orchestrate.server.serve import ServerStatus, _importable, server_status, stop_server


def test_a_folder_without_server_has_none(tmp_path):
    assert server_status(tmp_path) == ServerStatus(is_running=False)
    assert not stop_server(tmp_path)


def test_the_package_is_found_also_from_a_checkout():
    source = str(Path(orchestrate.__file__).parent.parent)

    assert _importable({})["PYTHONPATH"] == source
    assert _importable({"PYTHONPATH": "/mine", "TZ": "b"}) == {"PYTHONPATH": f"{source}{os.pathsep}/mine", "TZ": "b"}
