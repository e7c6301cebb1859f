"""Screens in plain ASCII: every sign beyond it becomes one within it, of the same width, on the way to the terminal."""

import sys

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

SIGNS = {
    "●○▲■": "XO#@",
    "♔♕♖♗♘♙♚♛♜♝♞♟": "KQRBNPkqrbnp",
    "│┃║": "|||",
    "─━═▔▁▂": "------",
    "╭╮╰╯┌┐└┘├┤┬┴┼╪╞╡": "++++++++++++++++",
    "█▇▆▅▉▊▋▓▄▀": "##########",
    "▌▐▍▎▏▃▒░": "||||||::",
    "·•∙…−–—×½": ".**~---xh",
    "›‹»«‘’“”": "><><''\"\"",
    "←→↑↓↵␣⏎⌫": "<>^v/_/<",
    "▶▷▸►◀◂▼▾▴△": ">>>><<vv^^",
    "✓✔✗✘★☆◌◐": "++xx**oo",
}
"""Signs, and what stands for each; what is in neither list becomes a question mark (braille: dots)."""
TABLE = {ord(sign): plain for signs, plains in SIGNS.items() for sign, plain in zip(signs, plains, strict=True)}
TABLE |= {0x2800 + dots: "." if dots else " " for dots in range(256)}


def plain(text: str) -> str:
    """The text in ASCII, as wide as it was.

    >>> plain("● 1½ – ½ ○  ╭───╮ Go 碁")
    'X 1h - h O  +---+ Go ??'
    """
    if text.isascii():
        return text
    text = text.translate(TABLE)
    return text if text.isascii() else "".join(sign if sign.isascii() else "?" * cell_len(sign) for sign in text)


def knows_unicode() -> bool:
    """Whether the terminal's encoding has all signs."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


class PlainFilter(LineFilter):
    """Turns lines of a screen into ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with plain texts."""
        return [Segment(plain(text), style, control) for text, style, control in segments]
