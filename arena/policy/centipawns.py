"""Centipawns as expected returns, on the scale of Elo: 400 of them stand for an expected score of ten to one."""

import math

TEN_TO_ONE = 400.0
MATE = 12_800
"""A sure win, and the largest score that is written."""


def expected_return(centipawns: float) -> float:
    """Return the expected return, -1 to 1, of a score in centipawns; the largest for any beyond `MATE`.

    >>> round(expected_return(400), 3), expected_return(0)
    (0.818, 0.0)
    """
    return 2 / (1 + 10 ** (-min(max(centipawns, -MATE), MATE) / TEN_TO_ONE)) - 1


def centipawns(value: float) -> int:
    """Return the score in centipawns of an expected return, -1 to 1; the largest for a sure win.

    >>> centipawns(0.0), centipawns(0.5), centipawns(-1.0)
    (0, 191, -12800)
    """
    if abs(value) >= 1:
        return MATE if value > 0 else -MATE
    return round(TEN_TO_ONE * math.log10((1 + value) / (1 - value)))
