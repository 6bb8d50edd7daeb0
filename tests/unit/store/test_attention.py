import pytest

from orchestrate.errors import InputRefused, StorageFailed
from orchestrate.store import attention as attention_module
from orchestrate.store.attention import append_attention
from orchestrate.store.files import Folder
from tests.support.records import MOMENT, attention


def test_each_item_is_one_dated_line_behind_the_others(tmp_path):
    append_attention(Folder(tmp_path), [attention("one"), attention("two")])
    append_attention(Folder(tmp_path), [attention("three")])

    lines = [f"{MOMENT} one", f"{MOMENT} two", f"{MOMENT} three"]
    assert (tmp_path / "attention.log").read_text().splitlines() == lines


@pytest.mark.parametrize("message", ["a\nb", "a\r\n\tb", "a\x1b\x9bb", "a\u2028\u0085b", " a b\n"])
def test_a_message_cannot_make_a_second_line_or_steer_a_terminal(tmp_path, message):
    append_attention(Folder(tmp_path), [attention(message)])
    assert (tmp_path / "attention.log").read_text() == f"{MOMENT} a b\n"


def test_a_lone_surrogate_is_written_as_a_question_mark(tmp_path):
    append_attention(Folder(tmp_path), [attention("\udcff")])
    assert (tmp_path / "attention.log").read_text() == f"{MOMENT} ?\n"


def test_a_link_is_refused(tmp_path):
    (tmp_path / "attention.log").symlink_to("elsewhere")
    with pytest.raises(InputRefused):
        append_attention(Folder(tmp_path), [attention("one")])


def test_a_full_disk_is_told(tmp_path, monkeypatch):
    def fail(descriptor, data, end):
        raise OSError(28, "x")

    monkeypatch.setattr(attention_module, "append_whole", fail)
    with pytest.raises(StorageFailed, match="no space left"):
        append_attention(Folder(tmp_path), [attention("one")])
