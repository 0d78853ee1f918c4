"""`python -m loa`: the command `loa`."""

import sys

from loa.cli import main

if __name__ == "__main__":
    sys.exit(main())
