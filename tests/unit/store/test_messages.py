import stat

import pytest

from orchestrate.errors import InputRefused
from orchestrate.store.files import Folder
from orchestrate.store.messages import LARGEST_MESSAGE_BYTES, MessageFiles
from tests.support.messages import M1, M2


def test_a_text_is_kept_byte_for_byte_for_its_owner_alone(tmp_path):
    files = MessageFiles(Folder(tmp_path))
    files.put(M1, b"Keep the flag.\r\n\xc3\xa4")
    assert files.read(M1) == b"Keep the flag.\r\n\xc3\xa4"
    assert files.read(M2) is None
    assert stat.S_IMODE((tmp_path / "messages" / f"{M1}.md").stat().st_mode) == 0o600


def test_what_is_no_id_or_too_large_is_refused(tmp_path):
    files = MessageFiles(Folder(tmp_path))
    with pytest.raises(InputRefused, match="no id of a message"):
        files.read("../x")
    with pytest.raises(InputRefused, match="larger than"):
        files.put(M1, b"x" * (LARGEST_MESSAGE_BYTES + 1))


def test_a_text_that_nobody_will_send_is_taken_away(tmp_path):
    files = MessageFiles(Folder(tmp_path))
    files.put(M1, b"a")
    files.put(M2, b"b")
    files.remove(M1)
    assert (files.read(M1), files.read(M2)) == (None, b"b")
