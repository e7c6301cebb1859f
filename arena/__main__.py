"""`python -m arena`: the same program as `arena`."""

import sys

from arena.cli.main import main

sys.exit(main())
