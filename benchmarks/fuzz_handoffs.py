"""Coverage-guided fuzzing of what reads agents' messages: ``python benchmarks/fuzz_handoffs.py -max_total_time=600``.

Needs ``pip install atheris``. Arguments are libFuzzer's. A crash or a message that takes longer than ``-timeout``
seconds ends it, and the input is left in a file beside it. Seeds are the messages of the corpus.
"""

import sys
import tempfile
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[1]))

with atheris.instrument_imports(include=["orchestrate.text", "orchestrate.model", "markdown_it"]):
    from orchestrate.model.names import is_valid_ref
    from orchestrate.text.handoffs import parse_handoff
    from orchestrate.text.redaction import Redactor

from tests.support.corpus import handoff_cases

TYPES = ("worker", "subplanner", "verifier")
REPO_URL = "https://github.com/example/shop"
REDACTOR = Redactor(["hunter-22-hunter"])


def read_one(data: bytes) -> None:
    """No exception, a branch that git takes, and redaction that leaves nothing for a second time."""
    text = data[1:].decode("utf-8", "surrogateescape")
    handoff = parse_handoff(text, task_type=TYPES[data[0] % 3 if data else 0], repo_url=REPO_URL)
    assert handoff.branch is None or (is_valid_ref(handoff.branch) and len(handoff.branch) <= 200)
    once = REDACTOR.redact(text)
    assert REDACTOR.redact(once) == once


def main() -> None:
    with tempfile.TemporaryDirectory() as seeds:
        for number, case in enumerate(handoff_cases()):
            (Path(seeds) / str(number)).write_bytes(b"\0" + case.text.encode("utf-8", "surrogateescape"))
        atheris.Setup([sys.argv[0], *sys.argv[1:], "-timeout=20", "-max_len=4096", seeds], read_one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
