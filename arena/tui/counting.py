"""Numbers with their nouns; nothing is imported, since commands and the first picture of a screen use it."""


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "run"), counted(9312, "game")
    ('1 run', '9,312 games')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
