import pytest

from orchestrate.model.nearest import Nearest


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("bild", "build"),
        ("Build", "build"),
        ("depends_on", "dependsOn"),
        ("DEPENDSON", "dependsOn"),
        ("zzz", None),
        ("", None),
        ("build" * 50, None),
    ],
)
def test_the_nearest_word_is_found_whatever_its_spelling(word, nearest):
    assert Nearest(["build", "dependsOn", "x" * 1000]).to(word) == nearest


def test_the_question_ends_a_sentence():
    assert Nearest(["build"]).question("bild") == '; did you mean "build"?'
    assert Nearest(["build"]).question("zzz") == ""
    assert Nearest([]).question("bild") == ""


def test_many_questions_about_many_words_end_early():
    nearest = Nearest(f"word-{number:05}" for number in range(10_000))

    answers = [nearest.to(f"wrd-{number:05}") for number in range(100)]

    assert answers[0] == "word-00000"
    assert answers[-1] is None
    assert nearest.to("wrd-00000") == "word-00000"  # what was answered stays so
    assert nearest.to("WORD_00099") == "word-00099"  # and spelling alone costs nothing
