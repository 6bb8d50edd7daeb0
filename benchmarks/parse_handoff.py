"""How fast a handoff is read, from 10 KB to 5 MB: ``python benchmarks/parse_handoff.py``.

Each kind of text is grown to each size; a reader whose speed falls with the size is not linear.
"""

import sys
import time

from orchestrate.text.handoffs import parse_handoff

SIZES = (10_000, 100_000, 1_000_000, 5_000_000)
HEAD = "## Status\nsuccess\n\n## Branch\n`cursor/x-1f2a`\n\n## What I did\n"
TAIL = "\n\n## Verification\nunit-test-verified\n"
#: Repeated until the size is reached; all but the first two are unkind on purpose.
KINDS = {
    "prose": "The export now streams rows instead of holding them, and `csv.py` has a test.\n",
    "notes and code": "- changed `a.py`\n- added a test\n\n```sh\npytest -q\n```\n\nSome more words about it.\n\n",
    "short list": "- a\n",
    "lists in turn": "- a\n* b\n",
    "nested quotes": "> " * 15 + "a\n",
    "quote markers": ">",
    "list markers": "- ",
    "brackets": "[",
    "backticks": "`a",
    "asterisks": "**a",
    "glued headings": "x## Status ",
    "headings": "## Status\nsuccess\n",
    "labels": "**Branch:** `cursor/x-1f2a`\n",
    "claims": "## Measurements\n- a: 1 → 2\n",
    "fences": "```\n## Status\n```\n",
    "mixed fences": "```\n~~~\n",
    "comments": "<!-- ",
    "tables": "|a|b|\n|-|-|\n",
    "escapes": "\x1b[0",
    "html": "<div>\n\n",
}


def seconds_for(unit: str, size: int) -> float:
    text = HEAD + unit * (size // len(unit)) + TAIL
    start = time.perf_counter()
    parse_handoff(text)
    return time.perf_counter() - start


def main() -> None:
    sizes = [size for size in SIZES if len(sys.argv) < 2 or size <= int(sys.argv[1])]
    print(f"{'text':<16}" + "".join(f"{size / 1000:>9.0f} KB" for size in sizes) + "   (MB/s)")
    for kind, unit in KINDS.items():
        speeds = [size / 1e6 / seconds_for(unit, size) for size in sizes]
        print(f"{kind:<16}" + "".join(f"{speed:>12.2f}" for speed in speeds), flush=True)


if __name__ == "__main__":
    main()
