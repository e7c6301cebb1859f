"""Whom the learner meets: one function for each rule."""

from collections.abc import Callable, Sequence

import numpy as np

Rule = Callable[[Sequence[int], int, np.random.Generator], list[int]]
"""From the numbers of all snapshots (oldest first) and how many opponents are wanted to those chosen, all different."""


def latest(snapshots: Sequence[int], count: int, rng: np.random.Generator) -> list[int]:
    """The newest `count` snapshots."""
    return list(snapshots[-count:]) if count else []


def uniform(snapshots: Sequence[int], count: int, rng: np.random.Generator) -> list[int]:
    """`count` snapshots of all, each with the same chance."""
    chosen = rng.choice(len(snapshots), min(count, len(snapshots)), replace=False)
    return sorted(snapshots[i] for i in chosen)


RULES: dict[str, Rule] = {"latest": latest, "uniform": uniform}
"""Rules by the names that configuration knows them by."""
