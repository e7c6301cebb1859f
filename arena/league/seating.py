"""Who sits at which board: the learner at every one, against itself, snapshots, other learners, or references."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.league.matchmaker import LEAST, draw
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.protocol import Policy

LEARNER = 0
"""Number and label of the learner among the policies; members of the league are labelled 1, 2, ..., others -1, ..."""

Load = Callable[[int], Policy]
"""Gives the member of the league of a label."""


@dataclass(frozen=True)
class Plan:
    """Whom the games that begin are against: numbers alone, so that it can be sent and saved."""

    self_play: float = 1.0
    """Share of games that the learner plays against itself, 0 to 1."""
    pool: float = 0.0
    """Share of games against `opponents` (against itself while there are none); references get the rest."""
    opponents: tuple[int, ...] = ()
    """Places among the manager's policies of those invited."""
    shares: tuple[float, ...] = ()
    """What part of the pool's games each of them gets; they sum to 1."""
    labels: tuple[int, ...] = ()
    """Of all the manager's policies; `LEARNER` for a place that is free."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Plan":
        """From a file; `asdict` gives what belongs there."""
        sequences = (tuple(data[key]) for key in ("opponents", "shares", "labels"))
        return cls(data["self_play"], data["pool"], *sequences)


class LeagueSeating:
    """Answers a `MultiAgentPolicyManager` that asks who plays the games that begin.

    The learner is policy 0. A share of the games it plays on all seats; in the others it takes a seat drawn at
    random, and one opponent takes the rest. Opponents are policies 1, 2, ... of the manager: references, then rivals,
    then places for members of the league. A member that is no longer wanted stays until its last game has ended.

    Args:
        learner: who learns from these games.
        references: fixed opponents.
        num_players: seats of the game.
        slots: the largest number of different members that are invited at the same time.
        rivals: other learners that may be opponents, as they are at that moment.
        rivals_learn: whether they learn from these games as well.

    """

    def __init__(
        self,
        learner: Policy,
        references: Sequence[Policy],
        num_players: int,
        slots: int,
        rivals: Sequence[Policy] = (),
        rivals_learn: bool = False,
    ):
        self.num_players = num_players
        fixed = [*references, *rivals]
        self._references = np.arange(1, 1 + len(references))
        self._slots = np.arange(1 + len(fixed), 1 + len(fixed) + 2 * slots)  # as many again for games of before
        self._invited = slots
        self.rng = np.random.default_rng(0)
        taught = range(1 + len(references), 1 + len(fixed)) if rivals_learn else ()
        self.manager = MultiAgentPolicyManager(
            [learner, *fixed, *[learner] * len(self._slots)], mapping=self, learners=[LEARNER, *taught]
        )
        self.manager.labels = np.array([LEARNER, *(-1 - np.arange(len(fixed))), *[LEARNER] * len(self._slots)])
        self.plan = Plan(labels=tuple(self.manager.labels.tolist()))
        """What holds for games that begin; set by `invite` and `follow`."""

    def __call__(self, env_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Policy numbers [n, P] for games that begin in these environments."""
        n, plan = len(env_ids), self.plan
        kind = self.rng.random(n)
        opponent = np.zeros(n, np.int64)
        in_pool = (kind >= plan.self_play) & (kind < plan.self_play + plan.pool)
        if plan.opponents:
            shares = None if np.ptp(plan.shares) < LEAST else np.array(plan.shares)
            opponent[in_pool] = self.rng.choice(np.array(plan.opponents), np.count_nonzero(in_pool), p=shares)
        reference = kind >= plan.self_play + plan.pool
        if len(self._references):
            opponent[reference] = self.rng.choice(self._references, np.count_nonzero(reference))
        seated = np.repeat(opponent[:, None], self.num_players, axis=1)
        seated[np.arange(n), self.rng.integers(self.num_players, size=n)] = LEARNER
        return seated

    def invite(self, shares: Mapping[int, float], rng: np.random.Generator, load: Load) -> None:
        """From now on, new games are against these, with `shares` of all games by label (`LEARNER`'s: self-play).

        References get what is left. Of more members than there are places some are drawn, so that on average the shares
        are those given. While games against earlier ones still hold all places, a member has to wait for the next
        invitation; the others get its share.
        """
        pool = sum(share for label, share in shares.items() if label != LEARNER)
        members = sorted(label for label in shares if label > LEARNER)
        wanted = {-label: share for label, share in shares.items() if label < LEARNER}
        if members:
            asked = np.array([shares[label] for label in members])
            chosen, parts = draw(asked / asked.sum(), self._invited, rng)
            places = self._places([members[index] for index in chosen], load)
            for index, part in zip(chosen, parts, strict=True):
                if (place := places.get(members[index])) is not None:
                    wanted[place] = float(part * asked.sum())
        order = tuple(sorted(wanted))
        parts = np.array([wanted[place] for place in order])
        labels = tuple(self.manager.labels.tolist())
        self.plan = Plan(shares.get(LEARNER, 0.0), pool, order, tuple((parts / parts.sum()).tolist()), labels)

    def _places(self, labels: Sequence[int], load: Load) -> dict[int, int]:
        """Places for these members, as far as there are any, by label."""
        held, playing = self.manager.labels, self.manager.playing()
        kept = {int(held[slot]): int(slot) for slot in self._slots if held[slot] != LEARNER}
        places = {label: kept[label] for label in labels if label in kept}
        free = [int(slot) for slot in self._slots if slot not in playing and slot not in places.values()]
        for label in labels:
            if label not in places and free:
                places[label] = free.pop(0)
                self._seat(places[label], label, load)
        return places

    def _seat(self, slot: int, label: int, load: Load) -> None:
        self.manager.replace_policy(load(label), slot)
        self.manager.labels[slot] = label

    def follow(self, plan: Plan, load: Load) -> None:
        """Take over a plan that another seating of the same make has made: its members, in the same places."""
        for slot, label in enumerate(plan.labels):
            if label > LEARNER and self.manager.labels[slot] != label:
                self._seat(slot, label, load)
        self.plan = replace(plan)
