"""`puct:DIR:SIMULATIONS`, `puct:DIR:TIME`, `gumbel:DIR:SIMULATIONS`: search that a trained network guides.

Whoever trained it: the checkpoint may be of any algorithm whose policy has an actor and a critic of states, such as
alphazero, ppo, a2c, npg, trpo.
"""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.discrete import actor_and_critic
from agents.precision import half_precision
from agents.search.budget import read_budget
from agents.search.guided import Found, GuidedSearch
from agents.search.memory import Trees
from agents.search.positions import positions
from arena.data.batch import Batch
from arena.errors import UsageError
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind
from arena.policy.protocol import Policy
from arena.policy.snapshots import newest_snapshot, read_config
from arena.registry import learning_algorithm
from arena.seeding import make_rng
from games.engine.game import Game

SIMULATIONS = {"puct": 400, "gumbel": 32}
CONSIDERED = {"puct": 0, "gumbel": 16}
"""Actions that Gumbel's halving begins with."""


@torch.no_grad()
def network_of(
    policy: Any, obs: NDArray[Any], mask: NDArray[np.bool_], half: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Logits [k, A] and values [k] of a policy's `actor` and `critic`, as a search asks for them.

    `half` computes in bfloat16, where the device has it.
    """
    with half_precision(policy.device, half):
        logits, value, _ = actor_and_critic(policy.actor, policy.critic, torch.as_tensor(obs, device=policy.device))
    return logits.float().numpy(force=True), value.float().numpy(force=True)


def told(found: Found) -> Batch:
    """What a search found, as the answer of a policy."""
    return Batch(act=found.act, probs=found.probs, value=found.value, visits=found.visits, pv=found.pv)


class GuidedPolicy(Policy):
    """Plays the best move of a search that the network of `policy` guides.

    PUCT keeps what it found below the moves that have been played since, and goes on from there.
    """

    needs_state = True

    def __init__(self, game: Game, policy: Any, search: GuidedSearch):
        self.one_at_a_time = search.seconds is not None
        self._game, self._policy, self._search = game, policy, search
        self._trees = Trees(game)
        self._rng = make_rng(0)

    def reset(self, seed: int | None = None) -> None:
        """Forget the trees of earlier games; with a seed, start the random stream of chance in its thoughts anew."""
        self._trees = Trees(self._game)
        if seed is not None:
            self._rng = make_rng(seed)

    def hurry(self) -> None:
        """End the search under way."""
        self._search.hurry()

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row: `act`, `value` [n], `probs`, `visits` [n, A] and `pv` [n, L], the line expected."""
        states = positions(batch, self._game, "guided search")
        kept = None if state is None else self._trees.pop_all(state.tree, states)
        found = self._search.search(states, partial(network_of, self._policy), self._rng, explores=False, kept=kept)
        answer = told(found)
        if self._search.goes_on:
            answer.state = Batch(tree=self._trees.put_all(found.trees, states, found.act))
        return answer


def make(name: str, game: Game, argument: str) -> GuidedPolicy:
    """Seat an agent from `DIR`, `DIR:SIMULATIONS` or, of puct, `DIR:TIME`.

    `UsageError` for a checkpoint that cannot guide, or a budget that is none.
    """
    folder, colon, amount = argument.rpartition(":")
    if not colon:
        folder, amount = argument, str(SIMULATIONS[name])
    if not folder or not amount:
        raise UsageError(f"{name}:{argument}: give a trained agent and simulations, {name}:runs/c4:{SIMULATIONS[name]}")
    budget = read_budget(f"{name}:{folder}", "number of simulations", amount, SIMULATIONS[name])
    # refuses a game that cannot be searched before anything is loaded
    search = GuidedSearch(game, budget.count, CONSIDERED[name], budget.seconds)
    algorithm = str(read_config(newest_snapshot(Path(folder)))["algorithm"])
    policy = load_policy(algorithm, learning_algorithm(algorithm), game, folder)
    if not (hasattr(policy, "actor") and hasattr(policy, "critic")):
        raise UsageError(f"{name}:{argument}: {algorithm!r} has no actor and critic of states to guide a search by")
    return GuidedPolicy(game, policy, search)


PUCT = AgentKind("tree search guided by a trained network", partial(make, "puct"), "DIR:N or DIR:TIME")
GUMBEL = AgentKind("tree search guided by a network, in few simulations", partial(make, "gumbel"), "DIR:N")
