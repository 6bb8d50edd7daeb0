import stat

import pytest

from orchestrate.errors import InputRefused
from orchestrate.server.state import StateFolder


def test_the_folder_is_made_private_even_if_it_was_there(tmp_path):
    (tmp_path / "state").mkdir(mode=0o755)

    StateFolder(tmp_path / "state").make()

    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_the_token_is_drawn_once(tmp_path):
    folder = StateFolder(tmp_path)

    token = folder.token()

    assert folder.token() == token
    assert len(token) >= 32


@pytest.mark.parametrize("content", ["", "short", "\n"])
def test_a_token_that_was_cut_short_is_drawn_anew(tmp_path, content):
    (tmp_path / "token").write_text(content)

    assert len(StateFolder(tmp_path).token()) >= 32


def test_a_file_in_the_folders_place_is_refused(tmp_path):
    (tmp_path / "state").write_text("")

    with pytest.raises(InputRefused, match="state folder"):
        StateFolder(tmp_path / "state").make()
