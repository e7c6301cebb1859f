"""`LeagueSeating`: assigns opponents to a learner's games: itself, snapshots, other learners, or references."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.typed import record
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.protocol import Policy
from arena.training.league.matchmaker import LEAST, draw

LEARNER = 0
"""Number and label of the learner's policy; members of the league have the labels 1, 2, ..., others -1, -2, ..."""

Load = Callable[[int], Policy]
"""Returns the policy of the league member with a label."""


@dataclass(frozen=True)
class OpponentPlan:
    """Distribution over the opponents of new games; numbers alone, so that it can be sent and saved."""

    self_play: float = 1.0
    """Share of games that the learner plays against itself, 0 to 1."""
    pool: float = 0.0
    """Share of games against `opponents` (against itself while there are none); references get the rest."""
    opponents: tuple[int, ...] = ()
    """Numbers of the invited opponents among the manager's policies."""
    shares: tuple[float, ...] = ()
    """Share of the pool's games of each of them; they sum to 1."""
    labels: tuple[int, ...] = ()
    """Labels of all the manager's policies; `LEARNER` for a free place."""

    @classmethod
    def from_json(cls, data: Any) -> "OpponentPlan":
        """Return a plan from what `asdict` returned; raise `FieldError` if it is malformed."""
        return record(cls, data)


class LeagueSeating:
    """Assigns policies to the seats of new games; the `mapping` of a `MultiAgentPolicyManager`.

    The learner is policy 0. In a share of the games it plays all seats; in the others it takes a random seat, and one
    opponent takes the rest. Opponents are policies 1, 2, ... of the manager: references, then rivals, then places for
    members of the league. A member that is no longer invited keeps its place until its last game has ended.

    Args:
        learner: the policy that learns from these games.
        references: fixed opponents.
        num_players: number of seats of the game.
        slots: largest number of different members that are invited at the same time.
        rivals: other learners that may be opponents, with their current weights.
        rivals_learn: True if the rivals learn from these games, too.

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
        self._slots = np.arange(1 + len(fixed), 1 + len(fixed) + 2 * slots)  # twice, for members with unfinished games
        self._invited = slots
        self.rng = np.random.default_rng(0)
        taught = range(1 + len(references), 1 + len(fixed)) if rivals_learn else ()
        self.manager = MultiAgentPolicyManager(
            [learner, *fixed, *[learner] * len(self._slots)], mapping=self, learners=[LEARNER, *taught]
        )
        self.manager.labels = np.array([LEARNER, *(-1 - np.arange(len(fixed))), *[LEARNER] * len(self._slots)])
        self.plan = OpponentPlan(labels=tuple(self.manager.labels.tolist()))
        """Plan for new games; set by `invite` and `follow`."""

    def __call__(self, env_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return policy numbers [n, P] for new games in these environments."""
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
        """Set the opponents of new games, by label and share of all games (`LEARNER`: self-play).

        References get the remaining share. If there are more members than places, some are drawn, so that their
        expected shares are `shares`. If unfinished games occupy all places, a member waits for the next invitation,
        and the others get its share.
        """
        pool = sum(share for label, share in shares.items() if label != LEARNER)
        members = sorted(label for label in shares if label > LEARNER)
        by_place = {-label: share for label, share in shares.items() if label < LEARNER}
        if members:
            member_shares = np.array([shares[label] for label in members])
            chosen, parts = draw(member_shares / member_shares.sum(), self._invited, rng)
            places = self._places([members[index] for index in chosen], load)
            for index, part in zip(chosen, parts, strict=True):
                if (place := places.get(members[index])) is not None:
                    by_place[place] = float(part * member_shares.sum())
        order = tuple(sorted(by_place))
        parts = np.array([by_place[place] for place in order])
        labels = tuple(self.manager.labels.tolist())
        self.plan = OpponentPlan(shares.get(LEARNER, 0.0), pool, order, tuple((parts / parts.sum()).tolist()), labels)

    def _places(self, labels: Sequence[int], load: Load) -> dict[int, int]:
        """Return places for these members by label; members without a free place are left out."""
        seated, playing = self.manager.labels, self.manager.playing()
        current = {int(seated[slot]): int(slot) for slot in self._slots if seated[slot] != LEARNER}
        places = {label: current[label] for label in labels if label in current}
        free = [int(slot) for slot in self._slots if slot not in playing and slot not in places.values()]
        for label in labels:
            if label not in places and free:
                places[label] = free.pop(0)
                self._seat(places[label], label, load)
        return places

    def _seat(self, slot: int, label: int, load: Load) -> None:
        self.manager.replace_policy(load(label), slot)
        self.manager.labels[slot] = label

    def follow(self, plan: OpponentPlan, load: Load) -> None:
        """Adopt the plan of another seating made with the same arguments, with its members in the same places."""
        for slot, label in enumerate(plan.labels):
            if label > LEARNER and self.manager.labels[slot] != label:
                self._seat(slot, label, load)
        self.plan = replace(plan)
