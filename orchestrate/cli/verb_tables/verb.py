"""What is known of a verb without importing its module."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb; its module offers ``configure(parser)`` and ``run(args, settings) -> int``."""

    name: str
    module: str
    group: str
    #: One line, without a full stop.
    help: str
    #: Command lines behind the program's name, each with what it does.
    examples: tuple[tuple[str, str], ...]
    epilog: str = ""
    #: What a refusal means to ``--json``: 1, or 2 where the verb's own exit codes say so.
    refusal_exit_code: int = 1
    #: True where ``--dry-run`` is kept: the verb changes nothing anyway, or tells what it would do.
    has_dry_run: bool = True
    #: True where the answer is one JSON object unless ``--human`` is given, failures in the codes of docs/errors.md.
    speaks_json: bool = False
    #: The option with which it does so, where it does not always.
    speaks_json_with: str | None = None

    def is_delegation(self, words: Iterable[str]) -> bool:
        """True where this command line, readable or not, is answered in the contract of the delegation verbs."""
        option = self.speaks_json_with
        if self.speaks_json or option is None:
            return self.speaks_json
        before_end = takewhile(lambda word: word != "--", words)
        return any(word.partition("=")[0] == option for word in before_end)
