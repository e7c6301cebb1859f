"""AlphaZero (Silver et al. 2018, Science 362): a network learns from the search that it guides.

Every move of self-play is searched, in all games at once, with one batched evaluation per simulation. The network
learns to predict the search's policy and the result of the game, which improves the next search. With `considered`
above 0 the search is that of Gumbel AlphaZero (Danihelka et al. 2022, ICLR), which learns from few simulations.

It takes part in leagues like other learners. Its transitions go through the replay buffer, whose capacity is the window
of positions learned from. A seat's result is the sum of its rewards to the end of the game.
"""

from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.configs.search import AlphaZeroConfig
from agents.guided.device_network import DeviceNetwork, search_threads
from agents.guided.guided import Network, values_per_position
from agents.guided.puct import RatesStates, network_of
from agents.guided.self_play_search import SelfPlaySearch
from agents.learning.actor_critic import logits_and_values
from agents.learning.gradients import descend
from agents.learning.optimizer import Adam
from agents.learning.precision import HalfActorCritic, half_precision, has_bfloat16
from agents.learning.symmetries import turn
from agents.networks.builders import make_body
from agents.networks.discrete import Actor, Critic
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.masking import legal_mask, mask_scores
from arena.policy.registration import Spaces
from games.engine.game import Game


class AlphaZeroPolicy(BasePolicy):
    """Searches its moves and learns from the search.

    Args:
        game: a game of perfect information; zero-sum if it has two players.
        actor: maps observations to logits [n, A]; shares its body with `critic`.
        critic: maps observations to the expected further return of the seat to move, [n, 1]; where more than two play,
            to those of all seats, [n, P], beginning with that one.
        optim: optimizer of both; None for a policy that only plays.
        config: its options, with those of the search.

    """

    needs_state = True
    keeps_policies = True
    needs_obs_next = False

    def __init__(
        self,
        game: Game,
        actor: Actor,
        critic: Critic,
        optim: torch.optim.Optimizer | None,
        config: AlphaZeroConfig,
    ):
        spaces = Spaces.of_game(game)
        super().__init__(spaces.observation, spaces.action)
        self.actor, self.critic, self.optim = actor, critic, optim
        self.config = config
        self._game, self._search = game, SelfPlaySearch(game, config)
        self._half: HalfActorCritic | None = None
        self._on_device = DeviceNetwork()
        self.rng = make_rng()
        self.needs_rewards = game.num_players > 2

    @property
    def searched(self) -> int:
        """Return the number of simulations so far, in training and in play."""
        return self._search.simulations

    def reset(self, seed: int | None = None) -> None:
        """Drop the trees of earlier games; restart the random stream if a seed is given."""
        self._search.forget()
        if seed is not None:
            self.rng = make_rng(seed)

    def agree(self, seed: int) -> None:
        """Set the seed that decides, until a `reset`, which moves are searched in full."""
        self._search.agree(seed)

    def hurry(self) -> None:
        """End the current search in play."""
        self._search.hurry()

    def scores(self, obs: torch.Tensor) -> torch.Tensor:
        """Return the logits or probabilities [n, A] of the network, without search."""
        scores: torch.Tensor = self.actor(obs)[0]
        return scores

    def logits_and_values(self, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits [n, A] and values ([n], or [n, P]) of observations, which can guide a search."""
        return logits_and_values(self.actor, self.critic, obs)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Search every row.

        Returns `act` [n], `probs` and `visits` [n, A] of the search, `value` [n] and `pv` [n, L]; while training also
        `policy.target` [n, A], the policy to learn (zero after a quick search). The hidden `state` is `moves` [n], the
        number of moves of the seat, and `tree` [n], the number of the tree kept for its next move.
        """
        threads = search_threads(self.device, len(batch.obs))
        network = self._network(len(batch.obs), threads)
        return self._search.answer(batch, state, network, self.rng, self.training, threads)

    def _network(self, positions: int, threads: int) -> Network:
        """Return what evaluates positions for a search by so many threads."""
        networks = self._networks()
        if threads == 1 or not self.training:
            return partial(network_of, networks)
        weights = [parameter.data_ptr() for parameter in self.parameters()]
        return self._on_device.prepare(networks, weights, self._game, positions, threads)

    def _networks(self) -> RatesStates:
        """Return the networks or, where they compute in half, a copy of them."""
        if not (self.training and self.config.half and has_bfloat16(self.device)):
            return self
        if self._half is None or self._half.device != self.device:
            self._half = HalfActorCritic(self.actor, self.critic)
        self._half.refresh()
        return self._half

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Add `returns` [n, 1], the seat's rewards to the end of its game, and `ended` [n], whether the game has ended.

        Where more than two play, `returns` are those of all seats, [n, P], beginning with the seat's own.
        Values are learned from ended games only: bootstrapping the others from the network's own predictions would let
        values drift. If the game has symmetries, each row is rotated or mirrored at random.
        """
        if "target" not in batch.get("policy", ()):
            raise UsageError("these transitions lack policy.target: random actions, or another policy's")
        ended = np.zeros(len(indices), np.bool_)

        def to_come(buffer: ReplayBuffer, last: NDArray[np.int64]) -> torch.Tensor:
            ended[:] = buffer.terminated[last] | buffer.truncated[last]
            return self._after_cut(buffer, last)

        rewards = buffer.info.rewards if self.needs_rewards else None
        batch = self.compute_nstep_return(batch, buffer, indices, to_come, 1.0, self._game.max_length, rewards=rewards)
        batch.ended = ended
        if self._game.symmetries:
            turn(batch, self._game, self.rng)
        return batch

    def _after_cut(self, buffer: ReplayBuffer, last: NDArray[np.int64]) -> torch.Tensor:
        """Return the predicted further returns of games truncated after these transitions, [n, k]; 0 for the others.

        The prediction is that of the last position that the seat has seen: its own, where nothing later is kept.
        """
        value = torch.zeros((len(last), values_per_position(self._game)), device=self.device)
        cut = np.flatnonzero(buffer.truncated[last] & ~buffer.terminated[last])
        if len(cut):
            value[cut] = self.critic(buffer[last[cut]].obs_next.obs)
        return value

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one step down (z - v)^2 - pi log p (Science 362, equation 1; the optimizer decays weights).

        Returns its `loss`, and the parts `loss/policy` and `loss/value`.
        """
        with half_precision(self.device, self.config.half):
            logits, value = self.logits_and_values(batch.obs.obs)
        logp = mask_scores(logits, legal_mask(batch.obs)).log_softmax(dim=1)
        target = torch.as_tensor(batch.policy.target, device=logp.device)
        policy_loss = -(target * logp.masked_fill(target == 0, 0.0)).sum() / target.sum().clamp(min=1.0)
        ended = torch.as_tensor(batch.ended, device=value.device)
        errors = (batch.returns.to(value) - value.reshape(batch.returns.shape)).square().mean(dim=1)
        value_loss = errors[ended].sum() / ended.sum().clamp(min=1)
        loss = policy_loss + self.config.vf_coef * value_loss
        step = descend(loss, self.optim)
        return {"loss": loss.item(), "loss/policy": policy_loss.item(), "loss/value": value_loss.item(), **step}


def build(spaces: Spaces, config: AlphaZeroConfig, training: bool) -> AlphaZeroPolicy:
    """Build AlphaZero for a game, with an optimizer if it is to be trained.

    Raises `UsageError` for environments and games that it cannot search.
    """
    if spaces.game is None:
        raise UsageError("alphazero searches copies of positions: it plays games, not other environments")
    blocks = config.blocks if len(spaces.observation_shape) == 3 else 0
    body = make_body(spaces, config.hidden, blocks, config.channels)
    actor = Actor(body, spaces.num_actions, softmax_output=False)
    critic = Critic(body, last_size=values_per_position(spaces.game))
    weights = [*actor.parameters(), *critic.last.parameters()]
    return AlphaZeroPolicy(
        spaces.game,
        actor,
        critic,
        Adam(weights, config.learning_rate, weight_decay=config.weight_decay) if training else None,
        config,
    )
