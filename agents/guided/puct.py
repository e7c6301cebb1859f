"""`puct:DIR:SIMULATIONS`, `puct:DIR:TIME`, `gumbel:DIR:SIMULATIONS`: tree search guided by a trained network.

The checkpoint may be of any algorithm whose policy has an actor and a critic of states (`RatesStates`): alphazero, ppo,
a2c, npg or trpo.
"""

import time
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray

from agents.guided.guided import GuidedSearch, SearchResult, values_per_position
from agents.search.budget import Budget, read_budget
from agents.search.memory import Trees
from agents.search.positions import positions
from agents.search.time_management import budget_for
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.policy.checkpoint import load_policy
from arena.policy.protocol import Policy
from arena.policy.registry import learning_algorithm
from arena.policy.snapshots import find_snapshot, read_config
from games.engine.game import Game

SIMULATIONS = {"puct": 400, "gumbel": 32}
CONSIDERED = {"puct": 0, "gumbel": 16}
"""Number of actions with which Gumbel's sequential halving begins; 0 for PUCT."""

FIRST_SIMULATIONS_PER_SECOND = 200.0
"""Assumed speed of a Gumbel search under a clock until one has been measured."""


@runtime_checkable
class RatesStates(Protocol):
    """A policy, or networks, that can guide a search: an actor, and a critic of states."""

    @property
    def device(self) -> torch.device:
        """Device of the networks."""

    def logits_and_values(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits [n, A] and values ([n], or [n, P] of all seats, the observer first) of observations."""


@torch.no_grad()
def network_of(policy: RatesStates, obs: NDArray[Any], mask: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Evaluate a policy's networks as a search requires: logits [k, A], and values [k] or [k, P]."""
    logits, value = policy.logits_and_values(torch.as_tensor(obs, device=policy.device))
    return logits.numpy(force=True), value.numpy(force=True)


def as_output(result: SearchResult) -> Batch:
    """Return the result of a search as the output of a policy."""
    return Batch(act=result.act, probs=result.probs, value=result.value, visits=result.visits, pv=result.pv)


class GuidedPolicy(Policy):
    """Plays the best move of a search guided by the network of `policy`.

    PUCT keeps the subtree below the moves played and continues from it.
    """

    needs_state = True
    obeys = frozenset({"nodes"})

    def __init__(self, game: Game, policy: RatesStates, search: GuidedSearch, budget: Budget | None = None):
        self._budget = budget or search.budget
        self.one_at_a_time = self._budget.seconds is not None
        self._game, self._policy, self._search = game, policy, search
        self._per_second = FIRST_SIMULATIONS_PER_SECOND
        self._trees = Trees(game)
        self._rng = make_rng(0)

    def reset(self, seed: int | None = None) -> None:
        """Drop the trees of earlier games; restart the random stream if a seed is given."""
        self._trees = Trees(self._game)
        if seed is not None:
            self._rng = make_rng(seed)

    def hurry(self) -> None:
        """End the current search."""
        self._search.hurry()

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row; return `act`, `value` [n], `probs`, `visits` [n, A] and `pv` [n, L]."""
        states = positions(batch, self._game, "guided search")
        kept = None if state is None else self._trees.pop_all(state.tree, states)
        budget, began = self._budget_of(batch.obs), time.monotonic()
        network = partial(network_of, self._policy)
        result = self._search.search(states, network, self._rng, explores=False, kept=kept, budget=budget)
        self._per_second = max(result.simulations, 1) / max(time.monotonic() - began, 1e-3)
        answer = as_output(result)
        if self._search.reuses_trees:
            answer.state = Batch(tree=self._trees.put_all(result.trees, states, result.act))
        return answer

    def _budget_of(self, obs: Batch) -> Budget:
        """Return the budget of a move under its clock: for Gumbel, the simulations that there is time for."""
        budget = budget_for(self._game, self._budget, obs, 0, "nodes")
        if self._search.reuses_trees or budget.seconds is None:
            return budget
        planned = 1 << max(int(self._per_second * budget.seconds), 1).bit_length() - 1
        return Budget(min(planned, budget.count or planned))


def require_values(policy: RatesStates, game: Game, name: str) -> None:
    """Raise `UsageError` unless a policy gives as many values of a position as a search needs."""
    obs = np.zeros((1, *game.observation_shape), game.observation_dtype)
    _, values = network_of(policy, obs, np.ones((1, game.num_actions), np.bool_))
    if values.size != values_per_position(game):
        raise UsageError(
            f"{name} values positions for the seat to move alone, not for {game.num_players}: use alphazero"
        )


def make(name: str, game: Game, argument: str) -> GuidedPolicy:
    """Make an agent from `DIR`, `DIR:SIMULATIONS` or, for puct, `DIR:TIME`.

    Raises `UsageError` for a checkpoint without an actor and a critic of states, or an invalid budget.
    """
    folder, colon, amount = argument.rpartition(":")
    if not colon:
        folder = argument
    if not folder or (colon and not amount):
        raise UsageError(f"{name}:{argument}: give a trained agent and simulations, {name}:runs/c4:{SIMULATIONS[name]}")
    budget = read_budget(f"{name}:{folder}", "number of simulations", amount, SIMULATIONS[name])
    # refuses a game that cannot be searched before anything is loaded
    search = GuidedSearch(game, budget.count, CONSIDERED[name], budget.seconds)
    algorithm = str(read_config(find_snapshot(Path(folder)))["algorithm"])
    policy = load_policy(algorithm, learning_algorithm(algorithm), game, folder)
    if not isinstance(policy, RatesStates):
        raise UsageError(f"{name}:{argument}: {algorithm!r} has no actor and critic of states to guide a search")
    require_values(policy, game, f"{name}:{argument}: {algorithm!r}")
    return GuidedPolicy(game, policy, search, budget)
