"""``python -m orchestrate``."""

import sys

from orchestrate.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
