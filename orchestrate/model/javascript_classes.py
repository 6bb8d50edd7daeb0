"""``[...]`` of JavaScript in the words of the ``regex`` library."""

from orchestrate.model.javascript_escapes import SETS, PatternRefused, Source, character, character_property

ANY = r"[\s\S]"
NEVER = "(?!)"
_BACKSPACE = "\x08"


def character_class(source: Source) -> str:
    r"""What stands between the brackets; sets such as ``\D`` go beside the rest: no class of the library holds them."""
    is_negated = source.take_if("^")
    inside, beside = _members(source)
    choices = [*([f"[{inside}]"] if inside else []), *beside]
    if not choices:
        return ANY if is_negated else NEVER
    if is_negated:
        return f"(?:(?!{'|'.join(choices)}){ANY})" if beside else f"[^{inside}]"
    return choices[0] if len(choices) == 1 else f"(?:{'|'.join(choices)})"


def _members(source: Source) -> tuple[str, list[str]]:
    inside, beside = "", []
    while not source.take_if("]"):
        member = _member(source)
        if member.is_outside:
            beside.append(member.text)
        elif member.is_set:
            inside += member.text
        else:
            inside += _range_or_character(source, member.text)
    return inside, beside


class _Member:
    """A character, or a set of them."""

    def __init__(self, text: str, *, is_set: bool = False, is_outside: bool = False) -> None:
        self.text = text
        self.is_set = is_set or is_outside
        self.is_outside = is_outside


def _member(source: Source) -> _Member:
    if source.is_at_end:
        raise PatternRefused("a [ is never closed")
    letter = source.take()
    if letter != "\\":
        return _Member(letter)
    letter = source.take_escaped()
    if letter in "dws":
        return _Member(SETS[letter], is_set=True)
    if letter in "DWS":
        return _Member(f"[^{SETS[letter.lower()]}]", is_outside=True)
    if letter in "pP":
        return _Member(character_property(source, letter), is_outside=True)
    return _Member(_BACKSPACE if letter == "b" else character(source, letter))


def _range_or_character(source: Source, first: str) -> str:
    """A hyphen at the end, or before a set, stands for itself."""
    start = source.at
    if not source.take_if("-") or source.text.startswith("]", source.at):
        source.at = start
        return _spelled(first)
    last = _member(source)
    if last.is_set:
        source.at = start
        return _spelled(first)
    if last.text < first:
        raise PatternRefused("a range in brackets has its ends the wrong way round")
    return f"{_spelled(first)}-{_spelled(last.text)}"


def _spelled(letter: str) -> str:
    return letter if letter.isalnum() else f"\\U{ord(letter):08x}"
