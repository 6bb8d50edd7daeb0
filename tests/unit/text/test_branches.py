import pytest

from orchestrate.text.branches import BranchReading, read_branch, unwrapped
from orchestrate.text.markdown import read
from orchestrate.text.sections import split, titled
from orchestrate.text.titles import Title


def reading_of(value: str) -> BranchReading:
    sections = titled(split(read(f"## Branch\n{value}").lines), Title.BRANCH)
    return read_branch(sections[0])


NAMES = {
    "`cursor/foo`": "cursor/foo",
    "cursor/foo": "cursor/foo",
    "**cursor/foo**": "cursor/foo",
    "- cursor/foo": "cursor/foo",
    "After several attempts:\n\n`cursor/foo`": "cursor/foo",
    "1. cursor/foo": "cursor/foo",
    "'cursor/foo'": "cursor/foo",
    "“cursor/foo”": "cursor/foo",
    "<cursor/foo>": "cursor/foo",
    "cursor/foo ✅": "cursor/foo",
    "cursor/foo.": "cursor/foo",
    "origin/cursor/foo": "cursor/foo",
    "`refs/heads/cursor/foo`": "cursor/foo",
    "cursor/foo@abc1234": "cursor/foo",
    "[cursor/foo](https://github.com/o/r/tree/cursor/foo)": "cursor/foo",
    "[see it](https://github.com/o/r/tree/cursor%2Ffoo)": "cursor/foo",
    "[`cursor/foo`](https://example.org)": "cursor/foo",
    "https://github.com/o/r/tree/cursor/foo": "cursor/foo",
    "https://gitlab.example.org/o/r/-/tree/cursor/foo?x=1": "cursor/foo",
    "cursor/foo (pushed, 3 commits)": "cursor/foo",
    "cursor/foo: 3 commits": "cursor/foo",
    "cursor/foo based on main": "cursor/foo",
    "cursor/foo at commit abc1234def": "cursor/foo",
    "`cursor/foo` (based on `main`)": "cursor/foo",
    "`cursor/foo`, branched from `release/1`": "cursor/foo",
    "`cursor/foo` @ `abc1234`": "cursor/foo",
    "`cursor/foo` → `main`": "cursor/foo",
    "`cursor/foo` → PR https://github.com/o/r/pull/5": "cursor/foo",
    "`cursor/foo`; [PR #5](https://github.com/o/r/pull/5)": "cursor/foo",
    "`cursor/foo`: see `src/a.py` and **note:** more": "cursor/foo",
    "Pushed to `cursor/foo`.": "cursor/foo",
    "Pushed to cursor/foo.": "cursor/foo",
    "I worked on branch cursor/foo and pushed it": "cursor/foo",
    "The branch is cursor/foo": "cursor/foo",
    "On branch cursor/foo": "cursor/foo",
    "Pushed my work here:\n\n`cursor/foo`": "cursor/foo",
    "Renamed from `orch/x/a` to `cursor/foo`": "cursor/foo",
    "`orch/x/a` (renamed to `cursor/foo`)": "cursor/foo",
    "The planned `orch/x/a` was not used; pushed `cursor/foo`": "cursor/foo",
    "No new branch: pushed to the existing `cursor/foo`": "cursor/foo",
    "`cursor/foo`\nBase: `main`": "cursor/foo",
    "cursor/foo\n\nStarted from origin/main.": "cursor/foo",
    "cursor/foo\n\n`cursor/foo`": "cursor/foo",
    "Branch: `cursor/foo`": "cursor/foo",
    "| Branch | `cursor/foo` |": "cursor/foo",
    "```\ncursor/foo\n```": "cursor/foo",
    "> cursor/foo": "cursor/foo",
    "## cursor/foo...origin/cursor/foo [ahead 1]": "cursor/foo",
    "```\n## cursor/foo...origin/cursor/foo\n M a.py\n```": "cursor/foo",
    "- [x] `cursor/foo`\n- [ ] `cursor/bar`": "cursor/foo",
    "main": "main",
    "branch `main`": "main",
    "feature": "feature",
    "fix-dates": "fix-dates",
    "fix-dates (pushed)": "fix-dates",
}


@pytest.mark.parametrize(("value", "name"), NAMES.items())
def test_the_name_is_read_out_of_what_stands_around_it(value, name):
    assert reading_of(value) == BranchReading(name=name)


NO_BRANCH = [
    *(
        "(no branch)",
        "none",
        "None.",
        "n/a",
        "N/A — verification only",
        "nothing pushed",
        "I did not push anything",
        "—",
        "No.",
    ),
    *(
        "Not pushed (no permission)",
        "`cursor/foo` (nothing pushed)",
        "cursor/foo\n\nThe push was rejected.",
        "HEAD (no branch)",
    ),
    *(
        "No branch was pushed; I only reviewed `cursor/target`.",
        "None — only `cursor/target` was checked",
        "no changes were needed",
    ),
    *(
        "kein Branch",
        "Nichts gepusht",
        "aucune branche",
        "sin rama",
        "nenhum branch",
        "geen branch",
        "нет",
        "没有推送",
        "ブランチなし",
        "없음",
    ),
    *("The branch could not be created", "## HEAD (no branch)", "Branch: none"),
]


@pytest.mark.parametrize("value", NO_BRANCH)
def test_saying_no_is_understood_in_any_wording(value):
    assert reading_of(value) == BranchReading(says_none=True)


UNCLEAR = {
    "`cursor/a` and `cursor/b`": "Branch: names several branches (cursor/a, cursor/b); none was taken",
    "cursor/a, cursor/b": "Branch: names several branches (cursor/a, cursor/b); none was taken",
    "- `cursor/a`\n- `cursor/b`": "Branch: names several branches (cursor/a, cursor/b); none was taken",
    "`cursor/a` for the api and `cursor/b` for docs": (
        "Branch: names several branches (cursor/a, cursor/b); none was taken"
    ),
    "(no branch)\n\n`cursor/a`": "Branch: says that there is none and names cursor/a; none was taken",
    "cursor/a...origin/main": "Branch: cursor/a follows main on the remote; none was taken",
    "cursor/a...origin/cursor/a [gone]": "Branch: cursor/a is gone from the remote; none was taken",
    "bad..ref": "Branch: not a name that git takes: bad..ref",
    "octo:cursor/foo": "Branch: not a name that git takes: octo:cursor/foo",
    "`bad ref`": "Branch: names no branch that can be read: `bad ref`",
    "`git push origin HEAD`": "Branch: names no branch that can be read: `git push origin HEAD`",
    "Same as above": "Branch: names no branch that can be read: Same as above",
    "the remote": "Branch: names no branch that can be read: the remote",
    "Pushed to": "Branch: names no branch that can be read: Pushed to",
    "`abc1234`": "Branch: names no branch that can be read: `abc1234`",
    "protection rules apply here": "Branch: names no branch that can be read: protection rules apply here",
    "[#5](https://github.com/o/r/pull/5)": "Branch: names no branch that can be read: [#5](https://github.com/o/r/pull/5)",
    "![shot](x.png)": "Branch: names no branch that can be read: ![shot](x.png)",
    "Base: `main`": "Branch: names no branch: Base: `main`",
    "": "Branch: the section is empty",
}


@pytest.mark.parametrize(("value", "note"), UNCLEAR.items())
def test_what_is_unclear_is_none_with_a_note(value, note):
    assert reading_of(value) == BranchReading(note=note)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("| Branch | `cursor/foo` |\n|---|---|\n| Base | `main` |", "cursor/foo"),
        ("| Branch | Pushed |\n|---|---|\n| `cursor/foo` | yes |", "cursor/foo"),
        ("| Commits | Name |\n|---|---|\n| 3 | cursor/foo |", "cursor/foo"),
        ("| Branch | Pushed |\n|---|---|", None),
        ("- **Name**: `cursor/foo`\n- **Base**: `main`", "cursor/foo"),
        ("head: `cursor/foo`", "cursor/foo"),
        ("Pushed to:\n```\ncursor/foo\n```", "cursor/foo"),
        ("[cursor/foo][1]", "cursor/foo"),
        ("`git push -u origin cursor/foo`", "cursor/foo"),
        ("git push origin HEAD:cursor/foo", "cursor/foo"),
        ("$BRANCH", None),
        ("https://github.com/o/r/compare/main...cursor/foo", None),
        ("`cursor/foo`\n\nI left `main` as it was.", "cursor/foo"),
        ("`cursor/foo`\n\n`main`", None),
    ],
)
def test_tables_labels_and_blocks_are_looked_into(value, name):
    assert reading_of(value).name == name


def test_a_link_into_another_repository_names_no_branch_of_ours():
    sections = split(read("## Branch\nhttps://github.com/o/other/tree/cursor/foo").lines)
    (section,) = titled(sections, Title.BRANCH)
    assert read_branch(section, repo_url="https://github.com/o/r").name is None
    assert read_branch(section, repo_url="git@github.com:o/Other.git").name == "cursor/foo"
    assert read_branch(section, repo_url="/srv/repo").name == "cursor/foo"
    (section,) = titled(split(read("## Branch\n[x](https://github.com/o/other/tree/b)").lines), Title.BRANCH)
    assert read_branch(section, repo_url="https://github.com/o/r").note


def test_a_link_whose_words_name_another_branch_is_unclear():
    assert "several" in (reading_of("[cursor/foo](https://github.com/o/r/tree/cursor/bar)").note or "")


def test_a_very_long_name_is_believed_of_nobody():
    assert reading_of(f"`{'x' * 200}`").name == "x" * 200
    assert "more than 200" in (reading_of(f"`{'x' * 201}`").note or "")


def test_a_template_that_was_not_filled_in_says_nothing():
    reading = reading_of("<branch name, or (no branch)>")
    assert (reading.name, reading.says_none) == (None, False)
    assert "not filled in" in (reading.note or "")


def test_a_ref_is_unwrapped():
    assert unwrapped(" `refs/remotes/origin/a/b` ") == "a/b"
