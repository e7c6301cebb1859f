"""The answer of `lz-genmove_analyze`, by which programs of the Go Text Protocol state a score with their move.

It began with Leela Zero; KataGo and others know it too. The move is in its last line, `play D4`; those before tell of
the moves that were searched:

    info move D4 visits 836 winrate 4656 prior 839 order 0 pv D4 Q16 info move Q16 visits 31 winrate 4520 ...

`winrate` and `prior` are hundredths of a percent, for the colour that moves.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

ANALYSE = "lz-genmove_analyze"
"""The command; a colour and an interval follow it."""
INTERVAL = 1_000_000
"""Interval between two reports in hundredths of a second: only the last one, after the search, is read."""
ALL = 10_000
"""Win rate of a won position."""

INFO = re.compile(r"\binfo move (\S+)((?: (?!info\b)\S+)*)")
WINRATE = re.compile(r" winrate (\d{1,6})(?![\d.])")
LINE = re.compile(r" pv((?: \S+)+)")


class GtpAnswer(NamedTuple):
    """Answer of a program: its move, and what it expects of it."""

    move: str
    """The move; empty if it names none."""
    value: float | None
    """Its expected return, -1 to 1; None without a score."""
    line: Sequence[str]
    """The moves that it expects, from its own on."""


def read_analysis(text: str) -> GtpAnswer:
    """Return what an answer says; of several reports of its move the latest counts."""
    *reports, last = text.splitlines() or [""]
    word, _, move = last.strip().partition(" ")
    move = move.strip() if word == "play" else ""
    value, line = None, [move]
    for report in reports:
        for searched, figures in INFO.findall(report):
            if searched.lower() != move.lower():
                continue
            winrate, expected = WINRATE.search(figures), LINE.search(figures)
            if winrate is not None:
                value = min(2 * int(winrate[1]) / ALL - 1, 1.0)
            if expected is not None:
                line = expected[1].split()
    return GtpAnswer(move, value, line)


def written_analysis(move: str, value: float | None, visits: int | None, line: Sequence[str]) -> str:
    """Return an answer: a move and, if the agent states one, its expected return -1 to 1, with visits and line."""
    play = f"play {move}"
    if value is None:
        return play
    winrate = round((min(max(value, -1.0), 1.0) + 1) / 2 * ALL)
    counted = "" if visits is None else f" visits {visits}"
    return f"info move {move}{counted} winrate {winrate} order 0 pv {' '.join(line or (move,))}\n{play}"
