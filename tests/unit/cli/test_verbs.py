import re
import shlex
from importlib import import_module

import pytest

from orchestrate.cli.parsing import add_common, verb_parser
from orchestrate.cli.verbs import GROUPS, HIDDEN, VERBS


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_has_a_module_that_can_be_configured_and_run(verb):
    module = import_module(verb.module)
    parser = verb_parser(verb, program="orchestrate")
    module.configure(parser)
    add_common(parser, has_dry_run=verb.has_dry_run)
    assert callable(module.run)
    assert verb.help in parser.format_help()
    assert verb.group in (*GROUPS, HIDDEN)


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_example_is_a_line_that_the_verb_can_read(verb):
    parser = verb_parser(verb, program="orchestrate")
    import_module(verb.module).configure(parser)
    add_common(parser, has_dry_run=verb.has_dry_run)
    for line, told in verb.examples:
        words = shlex.split(re.split(r" [<>|]", line)[0])
        assert words[0] == verb.name
        parser.parse_args(words[1:])
        assert told
