"""NEW_TITLE: an agent that learns, in one file.

It is REINFORCE (Williams 1992): after each batch of play, every action becomes likelier in proportion to the return
that followed it. Change `forward` and `learn` into an algorithm of your own, and say here whose it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from arena.base.checks import numbers_in, require_above, require_at_least, require_between
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import load_policy
from arena.policy.masking import bare_obs, legal_mask, mask_scores
from arena.policy.registration import AgentKind, Algorithm, Spaces


# What the algorithm is told: every field becomes an option of `arena train`, with its docstring as the help.
@dataclass(frozen=True)
class Config:
    """Hyperparameters of NEW_AGENT."""

    learning_rate: float = 5e-3
    """Step size of Adam."""
    discount_factor: float = 0.99
    """Gamma, in the agent's own moves, 0 to 1."""
    ent_coef: float = 0.01
    """Weight of the entropy bonus, which sustains exploration."""
    batch_size: int = 1024
    """Transitions per gradient step."""
    repeat: int = 1
    """Passes over the collected transitions."""
    hidden: int = 128
    """Units of each of two hidden layers."""

    def __post_init__(self) -> None:
        require_above(0, **numbers_in(self, "learning_rate"))
        require_at_least(0, **numbers_in(self, "ent_coef"))
        require_at_least(1, **numbers_in(self, "batch_size", "repeat", "hidden"))
        require_between(0, 1, **numbers_in(self, "discount_factor"))


# What the network looks like. It is called with observations [n, ...], arrays or tensors.
def make_network(shape: Sequence[int], num_actions: int, hidden: int) -> nn.Module:
    """Return a network from flat observations to a score for each action."""
    first = nn.Linear(int(np.prod(shape)), hidden)
    return nn.Sequential(first, nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, num_actions))


class NewAgentPolicy(BasePolicy):
    """Draws legal actions by their scores, and learns from the returns that followed."""

    def __init__(self, network: nn.Module, optim: torch.optim.Optimizer | None, config: Config, spaces: Spaces):
        super().__init__(spaces.observation, spaces.action)
        self.network, self.optim, self.config = network, optim, config
        self.generator = torch.Generator()

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        if seed is not None:
            self.generator.manual_seed(seed)

    def log_probs(self, obs: Any) -> torch.Tensor:
        """Return log-probabilities of all actions [n, A]; illegal ones have probability 0, here and in the loss."""
        observations = torch.as_tensor(bare_obs(obs), dtype=torch.float32, device=self.device)
        return torch.log_softmax(mask_scores(self.network(observations.flatten(1)), legal_mask(obs)), dim=1)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw actions [n] while training, take the likeliest ones otherwise; `probs` [n, A] are for the screens."""
        probs = self.log_probs(batch.obs).exp().detach().cpu()
        drawn = torch.multinomial(probs, 1, generator=self.generator).squeeze(1)
        return Batch(act=(drawn if self.training else probs.argmax(dim=1)).numpy(), probs=probs.numpy())

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add the discounted return that followed each action, less the mean of all."""
        nothing, gamma = np.zeros(len(indices)), self.config.discount_factor
        returns, _ = self.compute_episodic_return(batch, buffer, indices, nothing, nothing, gamma, 1.0)
        batch.returns = returns - returns.mean()
        return batch

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> dict[str, list[float]]:
        """Go `repeat` times through the collected transitions in minibatches; return the `loss` of each step."""
        assert self.optim is not None, "a policy without an optimizer only plays"
        losses = []
        for _ in range(repeat):
            for part in batch.split(batch_size, shuffle=False, merge_last=True):
                logp = self.log_probs(part.obs)
                act = torch.as_tensor(part.act, dtype=torch.int64, device=self.device)
                returns = torch.as_tensor(part.returns, dtype=torch.float32, device=self.device)
                entropy = -(logp.exp() * logp).sum(dim=1)
                loss = -(logp[torch.arange(len(act)), act] * returns + self.config.ent_coef * entropy).mean()
                self.optim.zero_grad()
                loss.backward()
                self.optim.step()
                losses.append(loss.item())
        return {"loss": losses}


def build(spaces: Spaces, config: Config, training: bool) -> NewAgentPolicy:
    """Return a policy for these spaces, with an optimizer if it is to be trained."""
    network = make_network(spaces.observation_shape, spaces.num_actions, config.hidden)
    optim = torch.optim.Adam(network.parameters(), config.learning_rate) if training else None
    return NewAgentPolicy(network, optim, config, spaces)


# How it is found: "on-policy" learns from what was just collected, "off-policy" from all that is remembered.
ALGORITHM = Algorithm(Config, build, "on-policy", "Machine Learning 8 (1992)")
AGENT = AgentKind("NEW_TITLE", partial(load_policy, "NEW_NAME", ALGORITHM), "DIR", ALGORITHM)
AGENTS = {"NEW_NAME": "NEW_AGENT:AGENT"}
