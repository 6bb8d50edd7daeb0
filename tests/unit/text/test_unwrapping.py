from orchestrate.text.unwrapping import read_sections


def told(text: str) -> tuple[dict[str, list[str]], list[str]]:
    sections, notes = read_sections(text)
    return {section.title.value: [line.text for line in section.lines] for section in sections}, notes


CORE = "## Status\nsuccess\n## Branch\na/b\n"


def test_a_message_without_fences_is_read_as_it_is():
    assert told(CORE)[0]["Branch"] == ["a/b"]


def test_the_only_fenced_handoff_is_read():
    assert told(f"Sure:\n```\n{CORE}```\n```\nother\n```")[0]["Branch"] == ["a/b"]


def test_of_two_fenced_handoffs_none_is_read():
    sections, notes = told(f"```\n{CORE}```\n\n```\n{CORE}```")
    assert "Branch" not in sections
    assert notes == ["Several code blocks look like a handoff; none was read"]


def test_a_fence_without_a_handoff_stays_code():
    assert told("x\n```\ncode\n```") == ({"(other)": ["x", "code"]}, [])


def test_a_wrapper_that_its_own_block_closes_is_taken_off():
    text = f"```md\n{CORE}## Execution\n```sh\npytest\n```\n## Verification\nnot-verified\n"
    for message in (f"{text}```", text, f"Done.\n\n{text}```"):
        sections, notes = told(message)
        assert sections["Execution"] == ["pytest"]
        assert sections["Verification"] == ["not-verified"]
        assert notes == []
    bare = f"```md\n{CORE}## Execution\n```\npytest\n```\n## Verification\nnot-verified\n```"
    assert told(bare)[0]["Execution"] == ["pytest"]


def test_a_fenced_sample_before_the_message_stays_a_sample():
    sections, notes = told(f"```\n## Status\nblocked\n```\n{CORE}```\nout\n```")
    assert sections["Status"] == ["success"]
    assert notes == []
    sections, _ = told(f"# Report\n```\n## Verification\nx\n```\n{CORE}")
    assert sections["(other)"] == ["## Verification", "x"]
    sections, _ = told(f"```\n## Verification\nx\n```\n{CORE}")
    assert "Verification" not in sections


def test_a_fence_closed_by_the_other_kind_is_noted():
    sections, notes = told(f"{CORE}```\ncode\n~~~\n## Verification\nnot-verified")
    assert sections["Verification"] == ["not-verified"]
    assert notes == ["A code block is closed by the other kind of fence; what follows it was read"]
    assert told(f"{CORE}~~~\ncode\n```\nno headings")[1] == []


def test_headings_in_an_open_fence_are_noted_and_not_read():
    sections, notes = told(f"{CORE}```\ncode\n## Verification\nnot-verified")
    assert "Verification" not in sections
    assert notes == ["A code block is never closed; headings inside it were not read"]
    assert told(f"{CORE}```\ncode\n")[1] == []


def test_a_message_behind_a_mixed_fence_is_read():
    sections, notes = told(f"```\ncode\n~~~\n{CORE}")
    assert sections["Branch"] == ["a/b"]
    assert len(notes) == 1
