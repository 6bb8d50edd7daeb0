"""``orchestrate skill install``: put the skill for agents where agents look for skills."""

import argparse
from pathlib import Path

from orchestrate.cli import output
from orchestrate.cli.messages import count_of
from orchestrate.cli.settings import Settings
from orchestrate.cli.skill_files import NAME, USUAL_FOLDER, install, skill_files
from orchestrate.text.terminal import escape_for_terminal


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    parser.add_argument("action", choices=("install",), help="write the skill's files; those of a former one stay")
    parser.add_argument(
        "--dir", metavar="DIR", type=Path, default=USUAL_FOLDER, help=f"folder of skills (default: {USUAL_FOLDER})"
    )
    parser.add_argument("--force", action="store_true", help="replace files of the skill that differ")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Write the files; exit code 0 also where they were there."""
    del settings  # nothing of the surroundings has a say
    files = skill_files(args.dir)
    if args.dry_run:
        written = [file.place for file in files if not file.is_there]
    else:
        written = install(files, replaces=args.force)
    if args.json:
        document = {"folder": str(args.dir / NAME), "written": [str(place) for place in written]}
        output.put_json(output.success("skill", **document, **({"dryRun": True} if args.dry_run else {})))
    elif not args.quiet:
        output.say([escape_for_terminal(_told(args, len(written), of=len(files)))])
    return 0


def _told(args: argparse.Namespace, written: int, *, of: int) -> str:
    if not written:
        return f"{args.dir / NAME} has the skill already"
    files = count_of(written, "file") if written == of else f"{written} of {count_of(of, 'file')}"
    return f"{args.dir / NAME}: {files} {'would be written' if args.dry_run else 'written'}"
