"""Counts with their nouns. Imports nothing, since commands and the first frame of a screen use it."""


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "run"), counted(9312, "game")
    ('1 run', '9,312 games')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
