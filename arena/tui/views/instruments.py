"""The instruments of a training: the latest of the figures by which learners are judged, in one line."""

import re
from collections.abc import Mapping, Sequence

from arena.training.live_files import GAMES_SPEED

FORMATS = {
    "lr": "lr {:.3g}",
    "grad_norm": "gradient {:.3g}",
    "entropy": "entropy {:.3g}",
    "kl": "KL {:.2g}",
    "clip_fraction": "clipped {:.0%}",
    "explained_variance": "explained variance {:.2f}",
}
"""Formats of the figures of updates, by name."""


def instruments(figures: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """Return the latest figures of the learner, of the first one in a league; empty before there are any.

    `figures` are (step, value) points by name, such as `update/lr`, `update/policy_0/lr` or `main/update/policy_0/lr`.
    """
    shown = []
    for name, form in FORMATS.items():
        pattern = re.compile(rf"(.*/)?update/(policy_\d+/)?{name}")
        named = sorted((one for one in figures if pattern.fullmatch(one)), key=lambda one: one.count("/"))
        if named and figures[named[0]]:
            shown.append(form.format(figures[named[0]][-1][1]))
    if figures.get(GAMES_SPEED):
        shown.append(f"{figures[GAMES_SPEED][-1][1]:,.0f} games/s")
    return "  ".join(shown)
