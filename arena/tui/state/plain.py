"""Text for terminals without Unicode."""

import os
import sys

ASCII = {
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼╔╗╚╝╟╢", "+"),
    **dict.fromkeys("│┃║‖▏▎▍▌▐▊▉", "|"),
    **dict.fromkeys("─═╸╺", "-"),
    **dict.fromkeys("█▓▇▆▅■◆▙▟▛▜▚▞▖▗▘▝", "#"),
    **dict.fromkeys("▄▃▀", "="),
    **dict.fromkeys("▂▁▔", "_"),
    **dict.fromkeys("▒░", ":"),
    **dict.fromkeys("●⬤◉", "X"),
    **dict.fromkeys("○◯◌", "O"),
    "▲": "A",
    **dict.fromkeys("━┅", "="),
    **dict.fromkeys("┏┓┗┛┯┷┳┻╵╶╷╴", "+"),
    **dict(zip("♠♥♦♣", "shdc", strict=True)),
    **dict(zip("⚀⚁⚂⚃⚄⚅", "123456", strict=True)),
    **dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPkqrbnp", strict=True)),
    **dict.fromkeys("›▶▸▷→", ">"),
    **dict.fromkeys("‹◀◂←", "<"),
    **dict.fromkeys("↑△", "^"),
    **dict.fromkeys("↓▽▼", "v"),
    **dict.fromkeys("–—−", "-"),
    **dict.fromkeys("·…•", "."),
    "½": "+",
    "±": "~",
    "×": "x",
    "↵": "^",
    "␣": "_",
    "☐": "[",
    "✓": "y",
    "⁄": "/",
}
"""Replacement of a character where only ASCII can be shown; each takes one column, as the character did."""
_TABLE = str.maketrans(ASCII)


def plain(text: str) -> str:
    """Return `text` in ASCII alone, column by column.

    >>> plain("╭─ arena › watch ─╮ ⠋●½")
    '+- arena > watch -+ *X+'
    """
    if text.isascii():
        return text
    text = text.translate(_TABLE)
    return "".join(c if c.isascii() else "*" if "\u2800" <= c <= "\u28ff" else "?" for c in text)


def ascii_only() -> bool:
    """Return whether only ASCII may be sent: `ARENA_ASCII` is set, or the terminal's encoding is not Unicode.

    `LC_ALL=C` counts as ASCII here, while Python treats it, like a missing locale, as UTF-8.
    """
    wish = os.environ.get("ARENA_ASCII", "")
    if wish:
        return wish != "0"
    if os.environ.get("LC_ALL") in ("C", "POSIX"):
        return True
    encoding = ((sys.__stdout__ and sys.__stdout__.encoding) or "utf-8").lower()
    return not encoding.replace("-", "").startswith("utf")
