import sys

from orchestrate.server.speed import has_uvloop, http_parser


def test_the_parts_in_c_are_used_where_they_are_there():
    assert http_parser() == "httptools"
    assert has_uvloop() == (sys.platform != "win32")


def test_without_them_the_server_does_with_python(monkeypatch):
    for name in ("httptools", "uvloop"):
        monkeypatch.setitem(sys.modules, name, None)

    assert http_parser() == "h11"
    assert not has_uvloop()
