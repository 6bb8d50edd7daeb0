from orchestrate.text.markdown import Line, LineKind
from orchestrate.text.readings import Reading, agreed, spoken_lines
from orchestrate.text.sections import Section, Strength
from orchestrate.text.titles import Title


def section_of(*lines: tuple[LineKind, str]) -> Section:
    section = Section(title=Title.STATUS, strength=Strength.HEADING, number=1)
    section.lines = [Line(kind=kind, text=text, number=index) for index, (kind, text) in enumerate(lines, start=2)]
    return section


def test_the_own_voice_comes_before_quotes_and_code():
    mixed = section_of((LineKind.QUOTE, "a"), (LineKind.TEXT, "b"), (LineKind.CODE, "c"))
    assert [line.text for line in spoken_lines(mixed)] == ["b"]
    aside = section_of((LineKind.QUOTE, "a"), (LineKind.CODE, "c"))
    assert [line.text for line in spoken_lines(aside)] == ["a", "c"]


def test_only_ticked_boxes_speak():
    boxes = section_of((LineKind.ITEM, "[ ] a"), (LineKind.ITEM, "[X] b"), (LineKind.TEXT, "c"))
    assert [line.text for line in spoken_lines(boxes)] == ["b", "c"]


def test_values_agree_or_there_is_none():
    sections = [section_of((LineKind.TEXT, "a")), section_of((LineKind.TEXT, "b"))]
    same = agreed(sections, lambda _: Reading(value=1), name="X")
    assert same == Reading(value=1)
    other = agreed(sections, lambda section: Reading(value=section.lines[0].text), name="X")
    assert other == Reading(note="X: 2 places say different things (a, b); none was taken")
    assert agreed([], lambda _: Reading(value=1), name="X") == Reading()
    assert agreed(sections, lambda _: Reading(note="odd"), name="X") == Reading(note="odd")
