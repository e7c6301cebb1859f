"""Which figures of a training make which curves: pure functions from names and points to what is drawn."""

import re
from collections.abc import Mapping, Sequence

from arena.runs.live_files import SPEED
from arena.tui.plotting import Curve

Figures = Mapping[str, Sequence[tuple[int, float]]]
"""Steps and values of every figure, by name; figures of learners but the first begin with the learner's name."""
MOST = 6
"""Curves in one plot."""


def scores(figures: Figures) -> list[Curve]:
    """Points a game against the pool and each reference."""
    return _curves(figures, "score/", leave_out=("score/return",))


def ratings(figures: Figures) -> list[Curve]:
    """Elo, with the band of its interval where there is one curve alone."""
    named = [name for name in figures if name == "elo" or name.endswith("/elo")][:MOST]
    curves = [_curve(name.removesuffix("/elo"), figures[name], number) for number, name in enumerate(named)]
    if len(named) == 1 and f"{named[0]}/low" in figures and f"{named[0]}/high" in figures:
        lows, highs = dict(figures[f"{named[0]}/low"]), dict(figures[f"{named[0]}/high"])
        band = [(step, lows[step], highs[step]) for step in lows if step in highs]
        return [Curve(curves[0].name, curves[0].points, band=band)]
    return curves


def losses(figures: Figures) -> list[Curve]:
    """Whatever learning calls a loss; figures of a manager's policies stand under their names."""
    plain = {re.sub(r"\bupdate/policy_\d+/", "update/", name): points for name, points in figures.items()}
    return _curves(plain, "update/loss", leave_out=())


def returns(figures: Figures) -> list[Curve]:
    """Mean return of the episodes of training, and of those that measure."""
    known = {"train/reward": "training", "score/return": "measured", "test/reward": "test"}
    found = [(told, figures[name]) for name, told in known.items() if name in figures]
    return [_curve(told, points, number) for number, (told, points) in enumerate(found)]


def speed(figures: Figures) -> list[Curve]:
    """Steps a second."""
    return [_curve("steps", figures[SPEED], 0)] if SPEED in figures else []


def _curves(figures: Figures, beginning: str, leave_out: Sequence[str]) -> list[Curve]:
    """Those whose names begin so, or do so after the name of a learner; its own first."""
    found: dict[str, Sequence[tuple[int, float]]] = {}
    for name, points in figures.items():
        learner, middle, rest = ("", "", name) if name.startswith(beginning) else name.partition("/")
        if rest.startswith(beginning) and rest not in leave_out:
            told = rest.removeprefix(beginning).lstrip("/") or rest.rpartition("/")[2]
            found[f"{learner}{middle}{told}"] = points
    first = sorted(found, key=lambda name: name.count("/"))[:MOST]
    return [_curve(name, found[name], number) for number, name in enumerate(first)]


def _curve(name: str, points: Sequence[tuple[int, float]], number: int) -> Curve:
    return Curve(name, points, look=f"seat-{number % 4}")
