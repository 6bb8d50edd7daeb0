import re

from orchestrate.cli.verbs import GROUPS, HIDDEN, VERBS
from orchestrate.cli.verbs_page import verbs_page


def test_every_verb_that_people_call_has_a_section_in_its_group():
    page = verbs_page()
    sections = re.findall(r"^### (\S+)$", page, re.MULTILINE)
    assert sorted(sections) == sorted(verb.name for verb in VERBS if verb.group != HIDDEN)
    groups = [name.capitalize() for name in GROUPS if any(verb.group == name for verb in VERBS)]
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == [*groups, "Options of every verb"]


def test_a_section_has_examples_options_and_exit_codes():
    _, section = verbs_page().split("### run\n")
    section = section.partition("\n## ")[0]
    assert "orchestrate run .orchestrate/csv-export --runtime local\n" in section
    assert "| `--runtime cloud\\|local` | where agents run |" in section
    assert "| `[PLAN]` |" in section
    assert "| 100 | planned checkpoint" in section


def test_options_of_every_verb_are_told_once():
    page = verbs_page()
    assert page.count("| `-n`, `--dry-run` |") == 1


def test_a_verb_without_codes_of_its_own_has_the_usual_ones():
    _, section = verbs_page().split("### status\n")
    assert "| 0 | it was done |" in section.partition("###")[0]
