"""The quickstart's agent program: does four small jobs for real, with git and the project's own tests, without a model.

It works as any agent program does. The prompt comes on stdin and is all it knows; the working directory is a clone
with a branch of its own checked out; stdout is the reply, and the reply is the handoff; stderr is shown meanwhile.
"""

import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

IDENTITY = ("-c", "user.name=Quickstart agent", "-c", "user.email=agent@example.invalid")
#: Nothing of this machine's git set-up has a say in the example.
PLAIN_GIT = ("git", *IDENTITY, "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null")
SUITE = "python3 -m unittest -v"

WITHOUT_QUANTITY = "sum(price for _name, price, _quantity in lines)"
WITH_QUANTITY = "sum(price * quantity for _name, price, quantity in lines)"

RECEIPT = '''\
"""A basket as text; a line is ``(name, price in cents, quantity)``."""

from basket.totals import subtotal


def receipt(lines):
    """One text line for each line of the basket, then the total."""
    rows = [f"{quantity} x {name}: {price}" for name, price, quantity in lines]
    return "\\n".join([*rows, f"total: {subtotal(lines)}"])
'''

RECEIPT_TEST = '''\
"""What ``receipt`` promises."""

import unittest

from basket.receipt import receipt


class Receipt(unittest.TestCase):
    """A basket as text."""

    def test_each_line_is_named_and_the_total_comes_last(self):
        """One of each, so that only the receipt itself is tested here."""
        text = receipt([("bread", 320, 1), ("milk", 110, 1)])
        self.assertEqual(text.splitlines(), ["1 x bread: 320", "1 x milk: 110", "total: 430"])

    def test_an_empty_basket_has_a_total_too(self):
        """Nothing bought."""
        self.assertEqual(receipt([]), "total: 0")
'''

WORKER_HANDOFF = """\
## Status
{status}

## Branch
{branch}

## What I did
{done}

## Measurements
{measurements}

## Verification
{verification}

## Notes, concerns, deviations, findings, thoughts, feedback
{notes}

## Suggested follow-ups
(none)
"""

VERIFIER_HANDOFF = """\
## Verification
{verification}

## Target
{target}

## Branch
(no branch)

## Execution
{execution}

## Findings
{findings}

## Notes & suggestions
(none)
"""


class Failed(Exception):
    """The job cannot be done; the handoff says why."""


def main() -> None:
    """Do what the prompt asks and print the handoff."""
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    prompt = sys.stdin.read()
    jobs = {"Fix": fix, "Add": add, "Merge": merge, "Check": check}
    jobs |= {"Overstate": overstate, "Withhold": withhold, "Rename": rename}
    try:
        job = jobs.get(section(prompt, "Your goal").partition(" ")[0])
        if job is None:
            raise Failed(f"this program can {', '.join(jobs)}; the goal begins with another word")
        print(job(prompt))
    except Failed as reason:
        say(f"giving up: {reason}")
        print(worker_handoff(status="blocked", done="Nothing that counts.", notes=str(reason)))


def fix(prompt: str) -> str:
    """Let the quantity count; the suite shows the bug before and its absence after."""
    before = run_tests(prompt)
    file = Path(between_backticks(section(prompt, "Your goal"))[0])
    source = file.read_text()
    if WITHOUT_QUANTITY not in source:
        raise Failed(f"the line with the bug is not in {file}")
    say(f"editing {file}")
    file.write_text(source.replace(WITHOUT_QUANTITY, WITH_QUANTITY))
    after = run_tests(prompt)
    if not after.passed:
        raise Failed(f"the suite still fails: {after.summary}")
    push("Let the quantity count in the subtotal")
    return worker_handoff(
        done=f"`subtotal` multiplies each price by its quantity. Suite before: {before.summary}. After: {after.summary}.",
        measurements=f"failing tests: {before.failing} → {after.failing}",
        verification="unit-test-verified",
    )


def add(prompt: str) -> str:
    """Write the receipt and its test; only that test has to pass, for the bug next door is somebody else's."""
    for file, content in (("basket/receipt.py", RECEIPT), ("tests/test_receipt.py", RECEIPT_TEST)):
        say(f"editing {file}")
        Path(file).write_text(content)
    own = run_tests(prompt)
    if not own.passed:
        raise Failed(f"the tests of the receipt fail: {own.summary}")
    whole = run_suite(SUITE)
    push("Print a basket as a receipt")
    return worker_handoff(
        done=f"`receipt(lines)` in `basket/receipt.py`, tested in `tests/test_receipt.py`: {own.summary}.",
        verification="unit-test-verified",
        notes=f"The whole suite on this branch: {whole.summary}. That is the bug that another task fixes.",
    )


def merge(prompt: str) -> str:
    """Merge the branches that the prompt names, and look whether the parts work together."""
    lines = section(prompt, "Branches to merge").splitlines()
    branches = [between_backticks(line)[0] for line in lines if line.startswith("- `")]
    if not branches:
        raise Failed("the prompt names no branches to merge")
    for branch in branches:
        say(f"merging {branch}")
        git("fetch", "--quiet", "origin", f"refs/heads/{branch}")
        git("merge", "--quiet", "--no-ff", "-m", f"Merge {branch}", "FETCH_HEAD")
    merged = run_tests(prompt)
    push(None)
    return worker_handoff(
        status="success" if merged.passed else "partial",
        done="Merged " + " and ".join(f"`{branch}`" for branch in branches) + f". Suite: {merged.summary}.",
        verification="unit-test-verified" if merged.passed else "not-verified",
    )


def check(prompt: str) -> str:
    """Run the whole suite on the branch that is checked out and say what came of it."""
    result = run_tests(prompt)
    verification, finding = judge(result)
    branch = between_backticks(section(prompt, "What you check"))[1]
    return VERIFIER_HANDOFF.format(
        verification=verification,
        target=f"branch `{branch}`, commit {git('rev-parse', 'HEAD').strip()}",
        execution=f"`{result.command}`, exit status {result.status}:\n\n```text\n{result.output.strip()}\n```",
        findings=finding,
    )


def overstate(prompt: str) -> str:
    """What no agent should do, for the plan ``findings.json``: claim a number that nobody will measure."""
    push_note("overstated.txt")
    name, _command = between_backticks(section(prompt, "What to measure"))[:2]
    return worker_handoff(done="One line.", measurements=f"- `{name}`: 0 → 100")


def withhold(_prompt: str) -> str:
    """The same: say success and push nothing."""
    Path("withheld.txt").write_text("one line\n")
    return worker_handoff(done="It is written here, and nobody else can see it.")


def rename(_prompt: str) -> str:
    """The same: push under a name of its own choice."""
    git("switch", "--quiet", "--create", "a-name-of-my-own")
    push_note("renamed.txt")
    return worker_handoff(done="One line, on a branch that nobody asked for.")


def push_note(file: str) -> None:
    """A line in a file of its own, pushed."""
    Path(file).write_text("one line\n")
    push(f"Add {file}")


def judge(result: "Tests") -> tuple[str, str]:
    """The level of verification that a run of the suite gives, and why."""
    if result.count == 0:
        return "verifier-blocked", "No test ran."
    if not result.passed:
        return "verifier-failed", f"{result.failing} of {result.count} tests fail."
    missing = [file for file in ("basket/totals.py", "basket/receipt.py") if not Path(file).exists()]
    if missing:
        return "verifier-failed", f"The suite passes, but the branch lacks {' and '.join(missing)}."
    return "unit-test-verified", f"All {result.count} tests pass; fix and receipt are both there."


class Tests:
    """One run of the tests: what was run and what came of it."""

    def __init__(self, command: str, finished: subprocess.CompletedProcess[str]) -> None:
        self.command = command
        self.status = finished.returncode
        self.output = finished.stderr or finished.stdout
        ran = re.search(r"^Ran (\d+) tests?", self.output, re.MULTILINE)
        self.count = int(ran[1]) if ran else 0
        self.failing = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", self.output))
        self.passed = self.status == 0 and self.count > 0
        self.summary = f"{self.count} tests, {self.failing} failing"


def section(prompt: str, title: str) -> str:
    """What the prompt says under a heading; empty without that heading."""
    return prompt.partition(f"\n## {title}\n")[2].partition("\n## ")[0].strip()


def between_backticks(text: str) -> list[str]:
    """All words of a text that are set as code."""
    return re.findall(r"`([^`\n]+)`", text)


def run_tests(prompt: str) -> Tests:
    """Run the command that the recipe names, a worker's own or that of the task which a verifier checks."""
    recipe = section(prompt, "How to verify") or section(prompt, "What you check")
    commands = [words for words in between_backticks(recipe) if words.startswith("python3 ")]
    return run_suite(commands[0] if commands else SUITE)


def run_suite(command: str) -> Tests:
    """Run the tests with the Python that runs this program."""
    say(f"running {command}")
    program, *arguments = shlex.split(command)
    if program != "python3":
        raise Failed(f"only python3 is run here, not {program}")
    return Tests(
        command, subprocess.run([sys.executable, "-B", *arguments], capture_output=True, text=True, check=False)
    )


def push(message: str | None) -> None:
    """Push the branch that is checked out; with a message, commit what changed before."""
    if message is not None:
        git("add", "--all")
        git("commit", "--quiet", "--message", message)
    say(f"pushing {current_branch()}")
    git("push", "--quiet", "origin", "HEAD")


def current_branch() -> str:
    """The name of the branch that is checked out."""
    return git("symbolic-ref", "--short", "HEAD").strip()


def git(*arguments: str) -> str:
    """Run git, answer its output, and give up with its own words."""
    finished = subprocess.run([*PLAIN_GIT, *arguments], capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        raise Failed(f"git {arguments[0]}: {(finished.stderr or finished.stdout).strip()}")
    return finished.stdout


def worker_handoff(
    *,
    done: str,
    status: str = "success",
    measurements: str = "(none)",
    verification: str = "not-verified",
    notes: str = "(none)",
) -> str:
    """The last message of a worker."""
    return WORKER_HANDOFF.format(
        status=status,
        branch=current_branch(),
        done=done,
        measurements=measurements,
        verification=verification,
        notes=notes,
    )


def say(activity: str) -> None:
    """Show what happens now, long enough to be read."""
    print(activity, file=sys.stderr, flush=True)
    time.sleep(0.2)


if __name__ == "__main__":
    main()
