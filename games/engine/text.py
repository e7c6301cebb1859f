"""Untrusted text made safe to show: the one rule for what may reach a terminal, a file or a picture."""

LONGEST = 600
"""Most characters of a message."""


def printable(text: object) -> str:
    r"""Return a text as one line with all unprintable characters escaped.

    Control characters (escape sequences begin with one), ends of lines, characters that change the direction of
    writing and halves of characters become what Python writes for them.

    >>> printable("a\x1b[2J\nb\u202e")
    'a\\x1b[2J\\nb\\u202e'
    """
    text = str(text)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def message(error: object) -> str:
    """Return what an error says as one `printable` line; of a very long one, its beginning and its end."""
    text = printable(error)
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 + 10 :]}"


def printable_lines(text: object) -> str:
    r"""Return a text whose line breaks stay as they are, and whose lines are `printable`.

    >>> printable_lines("a\x1bb\nc")
    'a\\x1bb\nc'
    """
    return "\n".join(map(printable, str(text).split("\n")))
