"""Neural fictitious self-play (Heinrich and Silver 2016, arXiv 1603.01121): an average of best responses.

A Q-network learns what would be best against how the others play; a second network imitates everything that the first
has ever done, and so becomes its average, which in zero-sum games of two players goes towards an equilibrium. In every
game each seat is dealt one of the two, the best response with the chance eta (the anticipatory parameter): so the
Q-network learns against averages that are a little ahead of themselves. Outside of training the average plays.

What is imitated is the best response without its random moves, where the paper keeps those as well.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents import checks
from agents.distributions import RowsOfLogits, draw
from agents.dqn import DQNPolicy, build_around
from agents.exploration import epsilon_greedy
from agents.gradients import adam, descend
from agents.networks.discrete import Actor
from agents.networks.q_network import QNetwork, make_body
from agents.reservoir import Reservoir
from agents.value_learning import ValueConfig
from arena.config import require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.seeding import make_rng

UNDEALT, BEST, AVERAGE = 0, 1, 2
"""How a seat plays a game; games begin with the first."""


class NFSPPolicy(BasePolicy):
    """Plays the average of the best responses that it finds, and in training now and then the newest of them.

    Args:
        best: learns the best response; with an optimizer if it is to be trained.
        average: from observations to logits [n, A], and a hidden state.
        optim: the average's optimizer; None for a policy that only plays.
        anticipatory: eta, the chance that a seat plays a game of training by the best response, 0 to 1.
        eps: chance of a random move while it does.
        capacity: moves of the best response that are kept to be imitated.
        batch_size: of those, how many a gradient step of the average looks at.

    """

    def __init__(
        self,
        best: DQNPolicy,
        average: nn.Module,
        optim: torch.optim.Optimizer | None,
        anticipatory: float = 0.1,
        eps: float = 0.06,
        capacity: int = 1_000_000,
        batch_size: int = 256,
    ):
        super().__init__(best.observation_space, best.action_space)
        checks.require_between(0, 1, anticipatory=anticipatory, eps=eps)
        checks.require_at_least(1, capacity=capacity, batch_size=batch_size)
        self.best, self.average, self.optim = best, average, optim
        self.anticipatory, self.eps, self.batch_size = anticipatory, eps, batch_size
        self.reservoir = Reservoir(capacity)
        self.rng, self.generator = make_rng(), torch.Generator()

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random streams anew."""
        if seed is not None:
            self.best.reset(seed)
            self.rng = make_rng(seed)
            self.generator.manual_seed(seed)

    # --- acting -------------------------------------------------------------------------------------------------

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Logits [n, A] of the average."""
        logits: torch.Tensor = self.average(obs)[0]
        return logits

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw from the average `act` [n], with its `probs` [n, A].

        In training a seat keeps to what it was dealt for the game, the hidden `state.part` [n].
        """
        dist = self._average(batch.obs)
        act = draw(dist, self.generator).numpy(force=True)
        if not self.training:
            return Batch(act=act, probs=dist.probs.numpy(force=True))
        part = np.zeros(len(act), np.int8) if state is None else np.array(state.part)
        new = np.flatnonzero(part == UNDEALT)
        part[new] = np.where(self.rng.random(len(new)) < self.anticipatory, BEST, AVERAGE)
        rows = np.flatnonzero(part == BEST)
        if len(rows):
            act[rows] = self._respond(batch.obs[rows])
        return Batch(act=act, state=Batch(part=part))

    def _average(self, obs: Any) -> RowsOfLogits:
        return RowsOfLogits(mask_scores(self.average(bare_obs(obs))[0], legal_mask(obs)))

    def _respond(self, obs: Batch) -> NDArray[np.integer[Any]]:
        """The best response's moves [n], which are kept to be imitated, and of which some are replaced at random."""
        best: NDArray[np.int64] = self.best.look(obs).q.argmax(dim=1).numpy(force=True)
        if self.optim is not None:
            self.reservoir.add(Batch(obs=obs.obs, mask=obs.mask, act=best), self.rng)
        return epsilon_greedy(best, obs.mask, obs.mask.shape[1], self.eps, self.rng)

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """The targets of the best response, `returns` [n, 1]."""
        return self.best.process_fn(batch, buffer, indices)

    def learn(self, batch: Batch) -> dict[str, float]:
        """A step of the best response on transitions of all seats, and one of the average, down -log pi(a | s).

        Returns their losses, `loss/best` and `loss/average` (algorithm 1 of the paper).
        """
        figures = {"loss/best": self.best.learn(batch)["loss"]}
        if len(self.reservoir):
            imitated = self.reservoir.sample(self.batch_size, self.rng)
            act = torch.as_tensor(imitated.act, device=self.device)
            loss = -self._average(imitated).log_prob(act).mean()
            descend(loss, self.optim)
            figures["loss/average"] = loss.item()
        return figures

    def memory(self) -> Batch:
        """The reservoir."""
        return self.reservoir.arrays()

    def recall(self, memory: Batch) -> None:
        """Take over a reservoir."""
        self.reservoir.restore(memory)


@dataclass(frozen=True)
class NFSPConfig(ValueConfig):
    """How NFSP learns; the defaults are for hundreds of small games at once."""

    learning_rate: float = 3e-3
    """Step size of Adam for the best response."""
    average_learning_rate: float = 3e-3
    """Step size of Adam for the average."""
    anticipatory: float = 0.3
    """Eta, the chance that a seat plays a game by the best response, 0 to 1."""
    discount: float = 1.0
    """Gamma, in the agent's own moves, 0 to 1."""
    n_step: int = 1
    """Rewards in a target before the estimate."""
    target_update_freq: int = 100
    """Gradient steps between two copies into the target network; 0 for no target network."""
    update_per_step: float = 0.004
    """Gradient steps a move."""
    reservoir_size: int = 2_000_000
    """Moves of the best response remembered, to be imitated."""
    eps: float = 0.06
    """Chance of a random move in games played by the best response."""
    hidden: int = 64
    """Units of each of two hidden layers."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "average_learning_rate")
        require_at_least(self, 1, "reservoir_size")
        require_between(self, 0, 1, "anticipatory")


def build(spaces: Spaces, config: NFSPConfig, training: bool) -> NFSPPolicy:
    """NFSP for a game, with optimizers if it is to be trained."""
    bodies = [make_body(spaces.observation_shape, config.hidden, config.blocks) for _ in range(2)]
    model = QNetwork(bodies[0], spaces.num_actions)
    average = Actor(bodies[1], spaces.num_actions, softmax_output=False)
    return NFSPPolicy(
        build_around(model, spaces, config, training),
        average,
        adam(average.parameters(), config.average_learning_rate) if training else None,
        config.anticipatory,
        config.eps,
        config.reservoir_size,
        config.batch_size,
    )


ALGORITHM = Algorithm(NFSPConfig, build, "off-policy", "arXiv 1603.01121", ("games",), self_play=True)
AGENT = AgentKind("neural fictitious self-play", partial(load_policy, "nfsp", ALGORITHM), "DIR", ALGORITHM)
