from orchestrate.text.markdown import LineKind, read


def kinds_of(text: str) -> list[tuple[str, str]]:
    return [(line.kind.value, line.text) for line in read(text).lines]


def test_each_line_knows_what_it_is():
    text = (
        "# Title #\ntext\n\n- item\n  more\n\n```\ncode\n```\n\n    indented\n\n> # quoted\n> | a |\n> |---|\n\n***\n"
    )
    assert kinds_of(text) == [
        ("heading", "Title"),
        ("text", "text"),
        ("item", "item"),
        ("text", "more"),
        ("code", "code"),
        ("code", "indented"),
        ("quote", "quoted"),
        ("quote", "a"),
    ]


def test_of_an_underlined_paragraph_only_the_last_line_is_a_heading():
    assert kinds_of("above\nTitle\n===\n\ntext\n---\n") == [
        ("text", "above"),
        ("heading", "Title"),
        ("underlined", "text"),
    ]


def test_rows_keep_their_cells():
    lines = read("| a | b |\n|---|---|\n| c | `d` |\n").lines
    assert [(line.kind, line.cells) for line in lines] == [
        (LineKind.HEADER_ROW, ("a", "b")),
        (LineKind.ROW, ("c", "`d`")),
    ]


def test_line_numbers_are_those_of_the_message():
    text = "a\n\n## b\n```\nc\n```\n<div>\nd\n</div>\n\n| e | f |\n|---|---|\n| g | h |\n"
    assert [(line.text, line.number) for line in read(text).lines] == [
        *[("a", 1), ("b", 3), ("c", 5), ("d", 8), ("e | f", 11), ("g | h", 13)]
    ]


def test_html_is_read_through():
    assert kinds_of("<!-- hidden\n# no\n-->\n") == []
    assert kinds_of("<!-- hidden --> # seen\n") == [("heading", "seen")]
    assert kinds_of("<!-- never closed\n# seen\n") == [("text", "never closed"), ("heading", "seen")]
    assert kinds_of("<pre>\n# code\n</pre>\n") == [("code", "# code")]
    assert kinds_of("<details>\n## seen\n</details>\n") == [("heading", "seen")]
    assert kinds_of("> <div>\n> quoted\n> </div>\n") == [("quote", "quoted")]


def test_fences_know_their_place_and_whether_they_are_closed():
    fences = read("x\n````md\na\n```\n````\n\n~~~\nb\n```\n").fences
    assert [(f.content, f.marker, f.is_closed, f.start, f.end) for f in fences] == [
        ("a\n```\n", "````", True, 1, 5),
        ("b\n```\n", "~~~", False, 6, 9),
    ]


def test_depth_hides_nothing_of_the_rest():
    for marker in ("- ", "> ", "1. ", "* > "):
        assert ("heading", "end") in kinds_of(f"{marker * 200}x\n\n## end\n")
    stairs = "".join(f"{'  ' * depth}- a\n" for depth in range(200))
    assert ("heading", "end") in kinds_of(f"{stairs}\n## end\n")
