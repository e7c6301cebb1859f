"""What a terminal can show: it is asked before the application reads its input."""

import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic

from arena.tui.drawing.graphics import Graphics, Kitty, PixelRoom, Sixel

PATIENCE_S = 1.0
"""Most seconds for which an answer is awaited: terminals answer at once, through a slow connection too."""
CELL_SIZE, ATTRIBUTES = "\x1b[16t", "\x1b[c"
"""Queries: the size of a cell in pixels (xterm), and primary device attributes, which every terminal answers (DEC)."""
KITTY = "\x1b_Gi=1,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
"""Query of kitty's graphics protocol: an image of one pixel, which is not stored."""
ANSWER_END = re.compile(r"\x1b\[\?([\d;]*)c")
"""The answer to `ATTRIBUTES`."""


@dataclass(frozen=True)
class PixelScreen:
    """Terminal that shows pixels."""

    graphics: Graphics
    answered: tuple[int, int] | None
    """Width and height of a cell in pixels, as the terminal has answered."""

    def room(self, columns: int, lines: int) -> PixelRoom | None:
        """Return so many cells with their size, which changes with the font; None if it is unknown."""
        size = _cell_size() or self.answered
        return None if size is None else PixelRoom(columns, lines, *size)


def pixel_screen(environment: Mapping[str, str] = os.environ) -> PixelScreen | None:
    """Ask the terminal for its graphics; None if it has none, does not answer or was typed into already.

    Terminals that call themselves dumb or Linux's console are not asked, nor are browsers. The query of kitty's
    protocol goes only to terminals that claim to know it, since others may take it for text or a title.
    """
    name = environment.get("TERM", "")
    if name in ("", "dumb", "linux") or "TEXTUAL_DRIVER" in environment:
        return None
    is_inside_another = "TMUX" in environment or "STY" in environment
    claims_kitty = "KITTY_WINDOW_ID" in environment or "kitty" in name or "ghostty" in name
    answer = _ask((KITTY if claims_kitty and not is_inside_another else "") + CELL_SIZE + ATTRIBUTES)
    size = re.search(r"\x1b\[6;([1-9]\d*);([1-9]\d*)t", answer)
    answered = (int(size[2]), int(size[1])) if size else None
    attributes = ANSWER_END.search(answer)
    if attributes and "4" in attributes[1].split(";"):
        return PixelScreen(Sixel(), answered)
    return PixelScreen(Kitty(), answered) if "\x1b_Gi=1;OK\x1b\\" in answer else None


def _cell_size() -> tuple[int, int] | None:
    """Return width and height of a cell in pixels by the terminal's device; None if it does not know."""
    try:
        from fcntl import ioctl
        from struct import unpack
        from termios import TIOCGWINSZ
    except ImportError:  # Windows
        return None
    assert sys.__stdout__ is not None
    try:
        lines, columns, width, height = unpack("4H", ioctl(sys.__stdout__.fileno(), TIOCGWINSZ, bytes(8)))
    except OSError:
        return None
    return (width // columns, height // lines) if width >= columns > 0 and height >= lines > 0 else None


def _ask(query: str) -> str:
    """Return what the terminal answers to a query that ends with `ATTRIBUTES`; "" if keys were typed before."""
    try:
        import termios
        import tty
        from select import select
    except ImportError:  # Windows
        return ""
    assert sys.__stdin__ is not None
    assert sys.__stdout__ is not None
    source, answer = sys.__stdin__.fileno(), ""
    with suppress(OSError, termios.error):
        before = termios.tcgetattr(source)
        tty.setcbreak(source, termios.TCSANOW)
        try:
            if select([source], [], [], 0)[0]:
                return ""  # these keys are for the screen
            sys.__stdout__.write(query)
            sys.__stdout__.flush()
            deadline = monotonic() + PATIENCE_S
            while not ANSWER_END.search(answer) and select([source], [], [], max(deadline - monotonic(), 0))[0]:
                answer += os.read(source, 1024).decode("latin-1")
        finally:
            termios.tcsetattr(source, termios.TCSANOW, before)
    return answer
