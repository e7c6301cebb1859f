"""Who sits at which board: the learner at every one, against itself, its past, or a fixed reference."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.protocol import Policy

LEARNER = 0
"""Number and label of the learner among the policies; references have labels -1, -2, ...; snapshots their number."""


class LeagueSeating:
    """Answers a `MultiAgentPolicyManager` that asks who plays the games that begin.

    The learner is policy 0. A share of the games it plays on all seats; in the others it takes a seat drawn at
    random, and one opponent takes the rest. Opponents are policies 1, 2, ... of the manager. A snapshot that is no
    longer wanted stays until its last game has ended.

    Args:
        num_players: seats of the game.
        self_play: share of games that the learner plays against itself, 0 to 1.
        pool: share of games against snapshots; played against itself while there is none.
        references: fixed opponents, which get the rest of the games in equal parts.
        slots: the largest number of different snapshots in play.

    """

    def __init__(
        self,
        learner: Policy,
        references: Sequence[Policy],
        num_players: int,
        self_play: float,
        pool: float,
        slots: int,
    ):
        self.num_players = num_players
        self.self_play, self.pool = self_play, pool
        self._references = np.arange(1, 1 + len(references))
        first_slot = 1 + len(references)
        self._slots = np.arange(first_slot, first_slot + 2 * slots)  # as many again for games of the set before
        self._wanted: NDArray[np.int64] = np.zeros(0, np.int64)
        self.rng = np.random.default_rng(0)
        self.manager = MultiAgentPolicyManager(
            [learner, *references, *[learner] * len(self._slots)], mapping=self, learners=[LEARNER]
        )
        self.manager.labels = np.array([LEARNER, *(-1 - np.arange(len(references))), *[LEARNER] * len(self._slots)])

    def __call__(self, env_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Policy numbers [n, P] for games that begin in these environments."""
        n = len(env_ids)
        kind = self.rng.random(n)
        opponent = np.zeros(n, np.int64)
        in_pool = (kind >= self.self_play) & (kind < self.self_play + self.pool)
        if len(self._wanted):
            opponent[in_pool] = self.rng.choice(self._wanted, np.count_nonzero(in_pool))
        reference = kind >= self.self_play + self.pool
        if len(self._references):
            opponent[reference] = self.rng.choice(self._references, np.count_nonzero(reference))
        seated = np.repeat(opponent[:, None], self.num_players, axis=1)
        seated[np.arange(n), self.rng.integers(self.num_players, size=n)] = LEARNER
        return seated

    def invite(self, snapshots: dict[int, Policy]) -> None:
        """From now on, new games of the pool are against these snapshots (number -> policy).

        While games against earlier ones still hold all places, a snapshot has to wait for the next invitation.
        """
        labels = self.manager.labels
        playing = self.manager.playing()
        kept = {int(labels[slot]): int(slot) for slot in self._slots if labels[slot] != LEARNER}
        wanted = {number: kept[number] for number in snapshots if number in kept}
        free = [int(slot) for slot in self._slots if slot not in playing and slot not in wanted.values()]
        for number, policy in snapshots.items():
            if number not in wanted and free:
                wanted[number] = free.pop(0)
                self.seat_snapshot(wanted[number], number, policy)
        self._wanted = np.array(sorted(wanted.values()), np.int64)

    def seat_snapshot(self, slot: int, label: int, policy: Policy) -> None:
        """Put a snapshot in a place among the manager's policies."""
        self.manager.replace_policy(policy, slot)
        self.manager.labels[slot] = label
