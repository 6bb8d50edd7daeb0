from orchestrate.model.javascript_escapes import Source, character, digits


def test_a_source_is_taken_bit_by_bit():
    source = Source("ab12c", "")
    assert (source.take(), source.take_if("x"), source.take_if("b"), digits(source), digits(source)) == (
        "a",
        False,
        True,
        "12",
        "",
    )
    assert not source.is_at_end
    assert (source.take_escaped(), source.is_at_end) == ("c", True)


def test_two_halves_of_a_character_are_one():
    assert character(Source("d83d\\ude00", ""), "u") == "😀"
    assert character(Source("d83dx", ""), "u") == "\ud83d"
