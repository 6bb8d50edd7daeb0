import os

import pytest

from orchestrate.cli.template_files import load_templates
from orchestrate.errors import InputRefused


def test_a_file_of_ones_own_takes_the_place_of_the_shipped_one(tmp_path):
    (tmp_path / "worker.md.j2").write_text("Only this: {{ task.name }}")
    assert load_templates(tmp_path).render("worker.md.j2", {"task": {"name": "a"}}) == "Only this: a\n"
    load_templates(None).check()


def test_what_is_no_file_of_text_is_never_waited_for(tmp_path):
    path = tmp_path / "worker.md.j2"

    def refusal() -> str:
        with pytest.raises(InputRefused) as refused:
            load_templates(tmp_path)
        path.unlink()
        return refused.value.message.removeprefix(f"--templates: {path} ").removesuffix(" Nothing was launched.")

    os.mkfifo(path)
    assert refusal() == "is no file."
    path.symlink_to("/dev/zero")
    assert refusal() == "is no file."
    path.symlink_to(tmp_path / "gone")
    assert refusal() == "is no file."
    path.write_bytes(b"x" * 1_000_001)
    assert refusal() == "has more than 1,000,000 bytes."
    path.write_bytes(b"\xff")
    assert refusal() == "is no text in UTF-8."


def test_a_folder_without_templates_is_refused(tmp_path):
    with pytest.raises(InputRefused, match="holds no template"):
        load_templates(tmp_path)
    with pytest.raises(InputRefused, match="is no folder"):
        load_templates(tmp_path / "none")
