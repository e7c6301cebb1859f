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

from agents import checks
from agents.distributions import draw_rows
from agents.gradients import adam, descend
from agents.networks.discrete import Actor, Critic, actor_and_critic
from agents.networks.q_network import make_body
from agents.precision import half_precision
from agents.puct import network_of, told
from agents.search.guided import Found, GuidedSearch, RootNoise
from agents.search.memory import Trees
from agents.search.positions import positions
from arena.config import require_above, require_at_least, require_between
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
        simulations: of each move while training, where the policy learns from it.
        quick_simulations: of the other moves, that bring the game to its end.
        full_share: share of the moves that are searched in full; drawn for all games at once.
        play_simulations: of each move otherwise.
        considered: actions that Gumbel's halving begins with; 0 for PUCT with Dirichlet noise.
        noise: of the Dirichlet distribution, in all over the legal actions of an average position.
        noise_share: part of it in the priors.
        opening_moves: moves of its own in each game that are drawn by visits; the best is played afterwards.
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
        simulations: int = 100,
        quick_simulations: int = 25,
        full_share: float = 1.0,
        play_simulations: int = 100,
        considered: int = 0,
        noise: float = 10.0,
        noise_share: float = 0.25,
        opening_moves: int = 8,
        value_weight: float = 1.0,
        half: bool = False,
    ):
        spaces = Spaces.of_game(game)
        super().__init__(spaces.observation, spaces.action)
        checks.require_between(0, 1, noise_share=noise_share, full_share=full_share)
        self.actor, self.critic, self.optim = actor, critic, optim
        self.opening_moves, self.value_weight = opening_moves, value_weight
        self._game, self._half = game, half
        self._noise = None if considered else RootNoise(noise / game.num_actions, noise_share)
        self._full, self._quick, self._play = (
            GuidedSearch(game, number, considered) for number in (simulations, quick_simulations, play_simulations)
        )
        self.full_share = full_share
        self._trees = Trees(game)
        self.rng = make_rng()
        self.searched = 0
        """Simulations made so far, in training and otherwise."""

    def reset(self, seed: int | None = None) -> None:
        """Forget the trees of earlier games; with a seed, start the random stream anew."""
        self._trees = Trees(self._game)
        if seed is not None:
            self.rng = make_rng(seed)

    def hurry(self) -> None:
        """End the search under way, in games that are played and not learned from."""
        self._play.hurry()

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
        states = positions(batch, self._game, "alphazero")
        full = not self.training or self.rng.random() < self.full_share
        search = self._play if not self.training else self._full if full else self._quick
        kept = None if state is None else self._trees.pop_all(state.tree, states)
        found = search.search(
            states,
            partial(network_of, self, half=self.training and self._half),
            self.rng,
            self._noise if self.training and full else None,
            explores=self.training,
            kept=kept if search.goes_on else None,
        )
        self.searched += found.simulations
        answer = told(found)
        moves = np.zeros(len(states), np.int64) if state is None else np.array(state.moves)
        if self.training:
            answer.policy = Batch(target=(found.probs * full).astype(np.float32))
            if self._noise is not None:  # Gumbel's own random numbers explore
                answer.act = self._opened(found, moves)
        trees = self._trees.put_all(found.trees, states, answer.act) if search.goes_on else np.zeros_like(moves)
        answer.state = Batch(moves=moves + 1, tree=trees)
        return answer

    def _opened(self, found: Found, moves: NDArray[np.int64]) -> NDArray[np.int64]:
        """Actions [n]: in the opening drawn by visits, later the best."""
        drawn = draw_rows(found.probs, self.rng.random(len(moves)))
        return np.where(moves < self.opening_moves, drawn, found.act)

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
            self._turn(batch)
        return batch

    def _turn(self, batch: Batch) -> None:
        """Turn or mirror what is seen at random, and with it masks and targets; the game stays the same."""
        n, shape = len(batch), self._game.observation_shape
        chosen = self.rng.integers(len(self._game.symmetries) + 1, size=n)
        obs, mask = batch.obs.obs.reshape(n, -1).copy(), batch.obs.mask.copy()
        target = batch.policy.target.copy()
        for number, (entries, actions) in enumerate(self._game.symmetries, start=1):
            rows = np.flatnonzero(chosen == number)
            obs[rows], mask[rows] = obs[rows][:, entries], mask[rows][:, actions]
            target[rows] = target[rows][:, actions]
        batch.obs = Batch(agent_id=batch.obs.agent_id, obs=obs.reshape(n, *shape), mask=mask)
        batch.policy = Batch(target=target)

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
class AlphaZeroConfig:
    """How AlphaZero learns; the defaults are for two CPU cores."""

    learning_rate: float = 2e-3
    """Step size of Adam."""
    weight_decay: float = 1e-4
    """How fast weights shrink, beside each step."""
    simulations: int = 96
    """Of each move of self-play that the policy learns from."""
    quick_simulations: int = 24
    """Of the other moves, which only bring games to their ends."""
    full_share: float = 0.35
    """Share of the moves that are searched in full, 0 to 1 (KataGo's playout cap randomisation, arXiv 1902.10565)."""
    play_simulations: int = 100
    """Of each move in tests, tournaments and play."""
    considered: int = 0
    """Actions that the halving of Gumbel AlphaZero begins with; 0 for PUCT."""
    noise: float = 10.0
    """Of the Dirichlet distribution, in all over the actions (alpha is that divided by their number)."""
    noise_share: float = 0.25
    """Part of the noise in the priors at the root, 0 to 1."""
    opening_moves: int = 8
    """Moves of each seat and game that are drawn by visits."""
    batch_size: int = 256
    """Positions a gradient step."""
    update_per_step: float = 0.02
    """Gradient steps a move."""
    buffer_size: int = 200_000
    """Positions remembered: the window of games that it learns from."""
    blocks: int = 2
    """Residual blocks of the tower, for boards; 0 for a perceptron."""
    hidden: int = 128
    """Units of the dense layers."""
    half: bool = True
    """While training, the network computes in bfloat16 where the device has it: twice as fast. Play does not."""

    def __post_init__(self) -> None:
        require_above(self, 0, "learning_rate", "update_per_step", "noise", "full_share")
        require_at_least(self, 0, "considered", "blocks", "opening_moves", "weight_decay")
        require_at_least(
            self, 1, "simulations", "quick_simulations", "play_simulations", "batch_size", "buffer_size", "hidden"
        )
        require_between(self, 0, 1, "noise_share", "full_share")


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
        config.simulations,
        config.quick_simulations,
        config.full_share,
        config.play_simulations,
        config.considered,
        config.noise,
        config.noise_share,
        config.opening_moves,
        half=config.half,
    )


ALGORITHM = Algorithm(AlphaZeroConfig, build, "off-policy", "Science 362 (2018)", ("games",), self_play=True)
AGENT = AgentKind("AlphaZero", partial(load_policy, "alphazero", ALGORITHM), "DIR", ALGORITHM)
