"""Curves of a training: pure functions from its figures to what is plotted."""

import re
from collections.abc import Mapping, Sequence

from arena.policy.snapshots import RETURN
from arena.training.live_files import SPEED
from arena.training.scores import OTHER
from arena.tui.drawing.plotting import Curve

Figures = Mapping[str, Sequence[tuple[int, float]]]
"""(step, value) points of every figure by name; names of further learners' figures start with the learner's."""
RETURNS = re.compile(rf"(^|/)score/{RETURN}(_low|_high|/.*)?$")
"""Figures of returns, which are no scores."""
MAX_CURVES = 6
"""Maximum number of curves in one plot."""


def scores(figures: Figures) -> list[Curve]:
    """Return points a game against the pool and each reference."""
    return _curves({name: points for name, points in figures.items() if not RETURNS.search(name)}, "score/")


def ratings(figures: Figures) -> list[Curve]:
    """Return Elo ratings, with the confidence band if there is one curve alone."""
    named = [name for name in figures if name == "elo" or name.endswith("/elo")][:MAX_CURVES]
    curves = [_curve(name.removesuffix("/elo"), figures[name], number) for number, name in enumerate(named)]
    if len(named) == 1 and f"{named[0]}/low" in figures and f"{named[0]}/high" in figures:
        lows, highs = dict(figures[f"{named[0]}/low"]), dict(figures[f"{named[0]}/high"])
        band = [(step, lows[step], highs[step]) for step in lows if step in highs]
        return [Curve(curves[0].name, curves[0].points, band=band)]
    return curves


def losses(figures: Figures) -> list[Curve]:
    """Return all losses; those of a manager's policies share the policy's curve."""
    plain = {re.sub(r"\bupdate/policy_\d+/", "update/", name): points for name, points in figures.items()}
    return _curves(plain, "update/loss")


def returns(figures: Figures) -> list[Curve]:
    """Return mean returns of training and of evaluation, of the newest snapshot and of others beside it."""
    labels = {"train/reward": "training", f"score/{RETURN}": "measured", "test/reward": "test"}
    other = f"score/{OTHER}"
    labels |= {name: name.removeprefix(other) for name in figures if name.startswith(other)}
    labelled = [(label, figures[name]) for name, label in labels.items() if name in figures]
    return [_curve(label, points, number) for number, (label, points) in enumerate(labelled[:MAX_CURVES])]


def speed(figures: Figures) -> list[Curve]:
    """Return steps a second."""
    return [_curve("steps", figures[SPEED], 0)] if SPEED in figures else []


def _curves(figures: Figures, beginning: str) -> list[Curve]:
    """Return figures with this prefix, alone or after the name of a learner; unprefixed names first."""
    selected: dict[str, Sequence[tuple[int, float]]] = {}
    for name, points in figures.items():
        learner, middle, rest = ("", "", name) if name.startswith(beginning) else name.partition("/")
        if rest.startswith(beginning):
            label = rest.removeprefix(beginning).lstrip("/") or rest.rpartition("/")[2]
            selected[f"{learner}{middle}{label}"] = points
    names = sorted(selected, key=lambda name: name.count("/"))[:MAX_CURVES]
    return [_curve(name, selected[name], number) for number, name in enumerate(names)]


def _curve(name: str, points: Sequence[tuple[int, float]], number: int) -> Curve:
    return Curve(name, points, look=f"seat-{number % 4}")
