import pytest
from hypothesis import given, settings, strategies as st

from orchestrate.model.path_matching import PathPattern
from orchestrate.model.path_overlap import may_overlap


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("src/**", "src/a/b.py", True),
        ("src/**", "srcx/a.py", False),
        ("src", "src", True),  # a file of that name
        ("src", "src/a/b.py", True),  # or all that is in the folder
        ("src/", "src/a.py", True),
        ("./src/**", "src/a.py", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/b/a.py", False),  # one star stays in its folder
        ("src/a**b", "src/a-b", True),  # two stars are more only as a folder of their own
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/y/a.py", True),
        ("src/**/t/*.py", "src/t/a.py", True),
        ("src/**/t/*.py", "src/a/b/t/a.py", True),
        ("src/**/**/a.py", "src/a.py", True),
        ("**", "x/y", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("{a,b}/**", "b/x", True),
        ("{a,b}/**", "c/x", False),
        ("*.{py,pyi}", "x.pyi", True),
        ("{*.a,b*}", "bcd", True),
        ("[ab].py", "a.py", True),
        ("[!ab].py", "a.py", False),
        ("[^ab].py", "c.py", True),
        ("[]]", "]", True),
        ("[[]", "[", True),
        ("[z-a]", "[z-a]", True),  # a class that is none is text
        ("a.b", "axb", False),
        ("a+(b)", "a+(b)", True),
        ("Readme.md", "README.md", False),
        ("a\nb*", "a\nbc", True),
    ],
)
def test_what_a_pattern_matches(pattern, path, matches):
    assert PathPattern(pattern).matches(path) is matches


_PATTERN = st.lists(st.sampled_from(["a", "b", "*", "**", "a*", "?b", "{a,b}", "[ab]"]), min_size=1, max_size=4)
_PATH = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=4)


@given(first=_PATTERN, second=_PATTERN, path=_PATH)
@settings(max_examples=500, deadline=None)
def test_patterns_that_match_one_file_are_known_to_overlap(first, second, path):
    one, other, file = "/".join(first), "/".join(second), "/".join(path)
    if PathPattern(one).matches(file) and PathPattern(other).matches(file):
        assert may_overlap(one, other)
