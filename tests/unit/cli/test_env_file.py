import pytest

from orchestrate.cli.env_file import read_env_file
from orchestrate.errors import InputRefused


def written(tmp_path, text: str):
    path = tmp_path / "variables"
    path.write_text(text)
    return path


def test_names_and_values_are_read_as_shells_write_them(tmp_path):
    path = written(
        tmp_path,
        "# a comment\n\nA=1\nexport B = two words \nC='single # kept'\nD=\"double\" # gone\nE=bare # gone\nF=\nG=a=b\n",
    )
    assert read_env_file(path) == {
        "A": "1",
        "B": "two words",
        "C": "single # kept",
        "D": "double",
        "E": "bare",
        "F": "",
        "G": "a=b",
    }


@pytest.mark.parametrize("line", ["no assignment", "1A=2", "A-B=2", "A=\0"])
def test_a_line_that_is_none_is_refused_with_its_number_and_without_its_text(tmp_path, line):
    with pytest.raises(InputRefused, match=r":2: not of the form") as refusal:
        read_env_file(written(tmp_path, f"A=1\n{line}\n"))
    assert "assignment" not in refusal.value.message


def test_the_backend_address_is_refused_there(tmp_path):
    with pytest.raises(InputRefused, match="real environment only"):
        read_env_file(written(tmp_path, "CURSOR_BACKEND_URL=https://elsewhere.example.org\n"))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(InputRefused, match="cannot be read"):
        read_env_file(tmp_path / "missing")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InputRefused, match="UTF-8"):
        read_env_file(tmp_path / "binary")
