"""``orchestrate unarchive``: take follow-ups again."""

import argparse

from orchestrate.cli.delegation.archiving import configure_archiving, run_archiving
from orchestrate.cli.settings import Settings


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the verb."""
    configure_archiving(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Do it; done already is a success."""
    return run_archiving(args, settings, verb="unarchive", archived=False)
