"""Filter for all screen output: text from others cannot carry control sequences to the terminal."""

from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter


class Printable(LineFilter):
    """Replaces characters that cannot be printed; widths are kept."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Filter the segments of a line."""
        return [
            one if one.control or one.text.isprintable() else Segment(_replaced(one.text), one.style)
            for one in segments
        ]


@lru_cache(1024)
def _replaced(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" * cell_len(c) for c in text)
