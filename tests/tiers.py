"""Cases of a test that takes long: a few in every run, the others with `bash scripts/test.sh --all`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest

FAST_GAMES = {"tic_tac_toe", "leduc_poker", "rock_paper_scissors"}
"""Open, hidden and simultaneous: the games by which contracts of all games are tested with `--fast`."""


def mostly_slow(cases: Iterable[Any], quick: Collection[str], reason: str) -> list[Any]:
    """Return `cases` of `pytest.mark.parametrize`: those whose first value is not in `quick` marked `slow`."""
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]
    slow = pytest.mark.slow(reason)
    return [pytest.param(*row, marks=() if row[0] in quick else slow) for row in rows]
