"""AlphaZero (Silver et al. 2018, Science 362): a network that learns from the search that it guides.

Every move of self-play is searched: all games at once, one look of the network a simulation for all of them. The
network learns to foretell what the search prefers and how the game ends, which makes the next search better. With
`considered` above 0 the search is Gumbel AlphaZero's (Danihelka et al. 2022, ICLR), which learns from few simulations.

It is an agent like others: it sits in leagues, its transitions go through the replay buffer, and a seat's result is the
sum of its own rewards to the end of the game. The window of games that it learns from is the size of the buffer.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.gradients import adam, descend
from agents.networks.discrete import Actor, Critic, actor_and_critic
from agents.networks.q_network import make_body
from agents.precision import half_precision
from agents.puct import network_of
from agents.self_play_search import SearchConfig, SelfPlaySearch
from agents.symmetries import turn
from arena.config import require_above, require_at_least
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.errors import UsageError
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import legal_mask, mask_scores
from arena.seeding import make_rng
from games.engine.game import Game


class AlphaZeroPolicy(BasePolicy):
    """Searches, and learns from what it finds.

    Args:
        game: what is played: two seats, zero sum, nothing hidden.
        actor: from observations to logits [n, A]; `critic` is built upon the same body.
        critic: from observations to what the seat to move will earn from there on, [n, 1].
        optim: their optimizer; None for a policy that only plays.
        search: how its moves are searched.
        value_weight: weight of the value's error beside the policy's.
        half: while training, the network computes in bfloat16 where the device has it.

    """

    needs_state = True

    def __init__(
        self,
        game: Game,
        actor: Actor,
        critic: Critic,
        optim: torch.optim.Optimizer | None,
        search: SearchConfig,
        value_weight: float = 1.0,
        half: bool = False,
    ):
        spaces = Spaces.of_game(game)
        super().__init__(spaces.observation, spaces.action)
        self.actor, self.critic, self.optim = actor, critic, optim
        self.value_weight, self._half = value_weight, half
        self._game, self._search = game, SelfPlaySearch(game, search)
        self.rng = make_rng()

    @property
    def searched(self) -> int:
        """Simulations made so far, in training and otherwise."""
        return self._search.simulations

    def reset(self, seed: int | None = None) -> None:
        """Forget the trees of earlier games; with a seed, start the random stream anew."""
        self._search.forget()
        if seed is not None:
            self.rng = make_rng(seed)

    def agree(self, seed: int) -> None:
        """Draw by this seed, until a `reset`, which moves are searched in full."""
        self._search.agree(seed)

    def hurry(self) -> None:
        """End the search under way, in games that are played and not learned from."""
        self._search.hurry()

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Logits [n, A] of the network alone."""
        logits: torch.Tensor = self.actor(obs)[0]
        return logits

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row.

        Gives `act` [n], `probs` and `visits` [n, A] of the search, `value` [n] and `pv` [n, L]; while training,
        `policy.target` [n, A], what the network is to learn (all zero after a quick search). The hidden `state` is
        `moves` [n], how many the seat has made, and `tree` [n], the number of what is kept for its next one.
        """
        network = partial(network_of, self, half=self.training and self._half)
        return self._search.answer(batch, state, network, self.rng, self.training)

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add `returns` [n, 1], the seat's rewards to the end of its game, and `ended` [n]: whether that is known.

        Values are learned from games that have ended alone: taught by its own guesses at how the others will end, the
        network would drift. Where the game knows symmetries, each row is turned or mirrored at random.
        """
        if "target" not in batch.get("policy", ()):
            raise UsageError("these transitions lack policy.target: random actions, or another policy's")
        ended = np.zeros(len(indices), np.bool_)

        def to_come(buffer: ReplayBuffer, last: NDArray[np.int64]) -> torch.Tensor:
            ended[:] = buffer.terminated[last] | buffer.truncated[last]
            return self._after_cut(buffer, last)

        batch = self.compute_nstep_return(batch, buffer, indices, to_come, 1.0, self._game.max_length)
        batch.ended = ended
        if self._game.symmetries:
            turn(batch, self._game, self.rng)
        return batch

    def _after_cut(self, buffer: ReplayBuffer, last: NDArray[np.int64]) -> torch.Tensor:
        """What the network expects of games [n] that were cut off after these transitions; 0 for the others."""
        value = torch.zeros(len(last), device=self.device)
        cut = np.flatnonzero(buffer.truncated[last] & ~buffer.terminated[last])
        if len(cut):
            value[cut] = self.critic(buffer[last[cut]].obs_next.obs)[:, 0]
        return value

    def learn(self, batch: Batch) -> dict[str, float]:
        """One step down (z - v)^2 - pi log p (Science 362, equation 1; weights decay in the optimizer).

        Returns its `loss`, and the parts `loss/policy` and `loss/value`.
        """
        with half_precision(self.device, self._half):
            logits, value, _ = actor_and_critic(self.actor, self.critic, batch.obs.obs)
        logits, value = logits.float(), value.float()
        logp = mask_scores(logits, legal_mask(batch.obs)).log_softmax(dim=1)
        target = torch.as_tensor(batch.policy.target, device=logp.device)
        policy_loss = -(target * logp.masked_fill(target == 0, 0.0)).sum() / target.sum().clamp(min=1.0)
        ended = torch.as_tensor(batch.ended, device=value.device)
        value_loss = (batch.returns[:, 0].to(value) - value).square()[ended].sum() / ended.sum().clamp(min=1)
        loss = policy_loss + self.value_weight * value_loss
        descend(loss, self.optim)
        return {"loss": loss.item(), "loss/policy": policy_loss.item(), "loss/value": value_loss.item()}


@dataclass(frozen=True)
class AlphaZeroConfig(SearchConfig):
    """How AlphaZero learns; the defaults are for two CPU cores."""

    learning_rate: float = 2e-3
    """Step size of Adam."""
    weight_decay: float = 1e-4
    """How fast weights shrink, beside each step."""
    batch_size: int = 256
    """Positions a gradient step."""
    update_per_step: float = 0.02
    """Gradient steps a move."""
    buffer_size: int = 200_000
    """Positions remembered: the window of games that it learns from."""
    blocks: int = 0
    """Residual blocks of the tower, for boards; 0 for a perceptron, which on a CPU looks at three times as many."""
    hidden: int = 512
    """Units of the dense layers."""
    half: bool = True
    """While training, the network computes in bfloat16 where the device has it: twice as fast. Play does not."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(self, 0, "learning_rate", "update_per_step")
        require_at_least(self, 0, "blocks", "weight_decay")
        require_at_least(self, 1, "batch_size", "buffer_size", "hidden")


def build(spaces: Spaces, config: AlphaZeroConfig, training: bool) -> AlphaZeroPolicy:
    """AlphaZero for a game, with an optimizer if it is to be trained; `UsageError` for what it cannot play."""
    if spaces.game is None:
        raise UsageError("alphazero searches in positions that can be copied: it plays this project's games alone")
    blocks = config.blocks if len(spaces.observation_shape) == 3 else 0
    body = make_body(spaces.observation_shape, config.hidden, blocks)
    actor, critic = Actor(body, spaces.num_actions, softmax_output=False), Critic(body)
    weights = [*actor.parameters(), *critic.last.parameters()]
    return AlphaZeroPolicy(
        spaces.game,
        actor,
        critic,
        adam(weights, config.learning_rate, weight_decay=config.weight_decay) if training else None,
        config,
        half=config.half,
    )


ALGORITHM = Algorithm(AlphaZeroConfig, build, "off-policy", "Science 362 (2018)", ("games",), self_play=True)
AGENT = AgentKind("AlphaZero", partial(load_policy, "alphazero", ALGORITHM), "DIR", ALGORITHM)
