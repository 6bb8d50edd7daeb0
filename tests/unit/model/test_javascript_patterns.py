import pytest
import regex

from orchestrate.model.javascript_escapes import PatternRefused
from orchestrate.model.javascript_patterns import translate


def first_match(pattern, text, flags=""):
    translated = translate(pattern, flags=flags)
    compiled = regex.compile(translated.text, regex.IGNORECASE if translated.ignores_case else 0)
    found = (compiled.match if translated.is_sticky else compiled.search)(text)
    return None if found is None else found.group()


#: Pattern, flags, text, and what ``text.match(new RegExp(pattern, flags))[0]`` is in JavaScript.
CASES = [
    (r"total: (?<n>\d+)\b", "", "total: 12", "total: 12"),
    ("x", "dgimsuy"[:2], "axx", "x"),
    ("PASS", "i", "pass", "pass"),
    ("b", "y", "ab", None),
    ("a", "y", "ab", "a"),
    ("^b$", "", "a\nb\n", None),
    ("b$", "", "b\n", None),
    ("^b$", "m", "a\r\nb\r\nc", "b"),
    ("^b$", "m", "a\u2028b", "b"),
    ("a.b", "", "a\u2028b a\rb a-b", "a-b"),
    ("a.b", "s", "a\nb", "a\nb"),
    (r"\d+", "", "٣ 12", "12"),
    (r"\w+", "", "éa", "a"),
    (r"[\W]", "i", "ks-", "-"),
    (r"[^\Dx]+", "", "ab12", "12"),
    (r"[^\D]+", "", "ab12", "12"),
    (r"[\D]+", "", "12ab", "ab"),
    (r"[\S\d]+", "", " a1", "a1"),
    (r"\s", "", "a\ufeffb", "\ufeff"),
    (r"\S\D\W", "", "12ab-", "ab-"),
    (r"\Ba\B", "", "a bab", "a"),
    ("[^]", "", "\n", "\n"),
    ("[]", "", "x", None),
    ("[^a]", "", "ab", "b"),
    ("[[a]]", "", "a]", "a]"),
    ("[a&&|~]+", "", "a&|~", "a&|~"),
    (r"[\w-.]+", "", "a-.", "a-."),
    (r"[a-\d]+", "", "a-1b", "a-1"),
    ("[a-c-]+", "", "b-d", "b-"),
    (r"[\b]", "", "\b", "\b"),
    ("a{,3}b", "", "aab a{,3}b", "a{,3}b"),
    ("a{2}b{1,}c{1,2}?", "", "aabbcc", "aabbc"),
    ("a+?", "", "aaa", "a"),
    ("}]", "", "}]", "}]"),
    (r"(?<a>x)\k<a>", "", "xx", "xx"),
    (r"(a)(b)\2\1", "", "abba", "abba"),
    (r"\2(a)(b)", "", "ab", "ab"),
    (r"(?:(x)|y)\1z", "", "yz", "yz"),
    ("(?=a)(?!b)(?<=^)(?<!x)a", "", "a", "a"),
    (r"\((?:a)\)[(]", "", "(a)(", "(a)("),
    (r"\p{L}+", "u", "1é", "é"),
    (r"[^\p{L}]", "u", "éa1", "1"),
    (r"\P{L}", "u", "a1", "1"),
    (r"\u{1f600}", "u", "😀", "😀"),
    ("\\ud83d\\ude00", "", "😀", "😀"),
    (r"\ud83d", "", "😀", None),
    (r"\u0041\x42\cJ\0\t", "", "AB\n\0\t", "AB\n\0\t"),
    (r"\/\-\:\.", "", "/-:.", "/-:."),
    ("a||b", "", "b", ""),
    ("# b", "", "a # b", "# b"),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "flags", "text", "found"), CASES)
def test_it_finds_what_javascript_finds(pattern, flags, text, found):
    assert first_match(pattern, text, flags) == found


@pytest.mark.parametrize(
    ("pattern", "flags", "reason"),
    [
        ("x", "v", '"v"'),
        ("x", "x", "letters out of"),
        ("x", "gg", "twice"),
        ("x" * 2001, "", "longer"),
        ("(a", "", "never closed"),
        ("a)", "", "closes nothing"),
        ("[a", "", "never closed"),
        ("[a\\", "", "lone backslash"),
        ("a\\", "", "lone backslash"),
        ("[z-a]", "", "wrong way round"),
        ("a{3,1}", "", "wrong way round"),
        ("a{", "u", "must be escaped"),
        ("*a", "", "repeats nothing"),
        ("a++", "", "repeats nothing"),
        ("(?=a)*", "", "repeats nothing"),
        ("(?P<n>a)", "", "no group of JavaScript"),
        ("(?i:a)", "", "no group of JavaScript"),
        ("(?<n>a)|(?<n>b)", "", "two groups"),
        (r"\k<n>", "", "names no group"),
        (r"(a)\2", "", "not there"),
        (r"\A", "", "means nothing"),
        (r"\01", "", "octal"),
        (r"\c1", "", "not followed by a letter"),
        (r"\xg1", "", "its digits"),
        (r"\u{110000}", "u", "no character"),
        (r"\p{L}", "", "needs the flag u"),
        (r"\pL", "u", "property in braces"),
        ("a{1001}", "", "more than 1000"),
        ("(?:a{1000}){11}", "", "in all"),
        ("a{1000}" * 11, "", "in all"),
        ("(" * 21 + ")" * 21, "", "nested"),
    ],
)
def test_what_cannot_be_said_alike_is_refused_with_the_reason(pattern, flags, reason):
    with pytest.raises(PatternRefused, match=reason):
        translate(pattern, flags=flags)
