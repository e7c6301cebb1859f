"""Anchors, the players whose rating is 0: only ratings with the same zero can be compared."""

from collections.abc import Sequence

MEAN = "mean"
"""Word for the mean rating as zero."""
USUAL = "random"
"""The player that is 0 wherever it plays, unless the user names another."""


def anchors_among(names: Sequence[str], wanted: str | None = None) -> list[str]:
    """Return the players whose rating is 0, the first choice first; none where the mean is 0.

    `wanted` is a player, `mean`, or None for `random` where it plays.
    """
    if wanted == MEAN and MEAN not in names:
        return []
    chosen = [] if wanted is None else [wanted]
    return [*chosen, *([USUAL] if USUAL in names and wanted != USUAL else [])]


def zero_words(anchor: str | None) -> str:
    """Return what is 0 in words: a player, or the mean of all."""
    return f"{anchor or 'the mean of all'} is 0"
