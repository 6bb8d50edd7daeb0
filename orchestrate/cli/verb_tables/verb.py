"""What is known of a verb without importing its module."""

from dataclasses import dataclass


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
