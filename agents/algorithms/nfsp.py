"""Neural fictitious self-play (Heinrich and Silver 2016, arXiv 1603.01121): an average of best responses.

A Q-network learns a best response to the other seats. A second network imitates all past moves of the first and so
represents its average, which converges towards an equilibrium in two-player zero-sum games. In every training game each
seat plays one of the two, the best response with probability eta (the anticipatory parameter), so that the Q-network
learns against averages slightly ahead of the current one. Outside training the average plays.

Unlike in the paper, the best response's random moves are not imitated.
"""

from dataclasses import fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.algorithms.dqn import DQNPolicy
from agents.configs.value_based import DQNConfig, NFSPConfig, ValueConfig
from agents.learning.distributions import RowsOfLogits, draw, logits_of
from agents.learning.exploration import epsilon_greedy
from agents.learning.gradients import descend
from agents.learning.optimizer import Adam
from agents.learning.reservoir import Reservoir
from agents.learning.value_learning import make_trainable
from agents.networks.builders import make_body
from agents.networks.discrete import Actor
from agents.networks.q_network import QNetwork
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.policy.registration import Spaces

UNDEALT, BEST, AVERAGE = 0, 1, 2
"""Which network a seat plays a game by; games begin undealt."""


class NFSPPolicy(BasePolicy):
    """Plays the average of its best responses; in training, in some games, the newest of them.

    Args:
        best: learns the best response; with an optimizer if it is to be trained.
        average: maps observations to logits [n, A], and a hidden state.
        optim: optimizer of the average; None for a policy that only plays.
        config: its options.

    """

    def __init__(
        self,
        best: DQNPolicy,
        average: nn.Module,
        optim: torch.optim.Optimizer | None,
        config: NFSPConfig,
    ):
        super().__init__(best.observation_space, best.action_space)
        self.best, self.average, self.optim, self.config = best, average, optim, config
        self.reservoir = Reservoir(config.reservoir_size)
        self.rng, self.generator = make_rng(), torch.Generator()

    def reset(self, seed: int | None = None) -> None:
        """Restart the random streams if a seed is given."""
        if seed is not None:
            self.best.reset(seed)
            self.rng = make_rng(seed)
            self.generator.manual_seed(seed)

    # --- acting -------------------------------------------------------------------------------------------------

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return the logits or probabilities [n, A] of the average."""
        scores: torch.Tensor = self.average(obs)[0]
        return scores

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n] from the average, with its `probs` [n, A].

        In training a seat keeps for a whole game the network that it was dealt, the hidden `state.part` [n].
        """
        dist = self._average(batch.obs)
        act = draw(dist, self.generator).numpy(force=True)
        if not self.training:
            return Batch(act=act, probs=dist.probs.numpy(force=True))
        part = np.zeros(len(act), np.int8) if state is None else np.array(state.part)
        new = np.flatnonzero(part == UNDEALT)
        part[new] = np.where(self.rng.random(len(new)) < self.config.anticipatory, BEST, AVERAGE)
        rows = np.flatnonzero(part == BEST)
        if len(rows):
            act[rows] = self._respond(batch.obs[rows])
        return Batch(act=act, state=Batch(part=part))

    def _average(self, obs: Any) -> RowsOfLogits:
        logits = logits_of(self.average, self.average(bare_obs(obs))[0])
        return RowsOfLogits(mask_scores(logits, legal_mask(obs)))

    def _respond(self, obs: Batch) -> NDArray[np.integer[Any]]:
        """Return the best response's moves [n], recorded for imitation, with some then replaced at random."""
        best: NDArray[np.int64] = self.best.evaluate(obs).q.argmax(dim=1).numpy(force=True)
        if self.optim is not None:
            self.reservoir.add(Batch(obs=obs.obs, mask=obs.mask, act=best), self.rng)
        return epsilon_greedy(best, obs.mask, obs.mask.shape[1], self.config.eps, self.rng)

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add the targets of the best response, `returns` [n, 1]."""
        return self.best.process_fn(batch, buffer, indices)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one step of the best response on transitions of all seats, and one of the average down -log pi(a | s).

        Returns their losses, `loss/best` and `loss/average` (algorithm 1 of the paper), and figures of the first step.
        """
        step = self.best.learn(batch)
        figures = {"loss/best": step.pop("loss"), **step}
        if len(self.reservoir):
            imitated = self.reservoir.sample(self.config.batch_size, self.rng)
            act = torch.as_tensor(imitated.act, device=self.device)
            loss = -self._average(imitated).log_prob(act).mean()
            descend(loss, self.optim)
            figures["loss/average"] = loss.item()
        return figures

    def extra_state_dict(self) -> Batch:
        """Return the reservoir."""
        return self.reservoir.state_dict()

    def load_extra_state_dict(self, memory: Batch) -> None:
        """Restore the reservoir."""
        self.reservoir.load_state_dict(memory)


def build(spaces: Spaces, config: NFSPConfig, training: bool) -> NFSPPolicy:
    """Build NFSP for a game, with optimizers if it is to be trained."""
    bodies = [make_body(spaces, config.hidden, config.blocks) for _ in range(2)]
    model = QNetwork(bodies[0], spaces.num_actions)
    average = Actor(bodies[1], spaces.num_actions, softmax_output=False)
    shared = DQNConfig(**{field.name: getattr(config, field.name) for field in fields(ValueConfig)})
    best = DQNPolicy(model, None, action_space=spaces.action, observation_space=spaces.observation, config=shared)
    make_trainable(best, shared, training)
    optim = Adam(average.parameters(), config.average_learning_rate) if training else None
    return NFSPPolicy(best, average, optim, config)
