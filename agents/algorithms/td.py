"""TD(lambda) by self-play, after TD-Gammon (Tesauro 1995, "Temporal difference learning and TD-Gammon", CACM 38).

A network predicts, for the seat whose turn has ended, how the game will end: a distribution over the game's results, so
that gammons are told from single wins. A seat plays towards the end of its turn of the highest expected return. The
ends of the turns of all games are found in compiled code and evaluated in one pass.

Targets are TD(lambda) over the seat's own turns (Sutton 1988). In games without chance some moves are random, and a
target ends before them (Watkins 1989). An exponential moving average of the network plays outside training.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.configs.afterstates import TDConfig
from agents.guided.afterstates import AfterstateSearch, TurnEnds, best_of
from agents.learning.exploration import epsilon_greedy
from agents.learning.figures import Figures, new_figures, note
from agents.learning.gradients import descend
from agents.learning.lambda_targets import Turns, lambda_targets
from agents.learning.optimizer import Adam
from agents.learning.targets import frozen_copy, polyak
from agents.networks.accumulator import forward_alike
from agents.networks.common import Net
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.data.buffer.base import ReplayBuffer
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces
from games.engine.game import Game


class TDPolicy(BasePolicy):
    """Plays towards the best end of its turn, and learns its value.

    Args:
        game: a two-player zero-sum game of perfect information.
        network: maps features of positions after a turn, [m, F + 1], to logits of the game's `payoffs`, [m, K].
        optim: its optimizer; None for a policy that only plays.
        config: its options.

    """

    needs_state = True

    def __init__(self, game: Game, network: Net, optim: torch.optim.Optimizer | None, config: TDConfig):
        spaces = Spaces.of_game(game)
        super().__init__(spaces.observation, spaces.action)
        self.network, self.optim, self.config = network, optim, config
        self.average = frozen_copy(network)
        self._game = game
        self._payoffs = np.array(game.payoffs, np.float32)
        self._returns = self._payoffs.clip(-1, 1) if game.wins_at_one else self._payoffs
        self._search = AfterstateSearch(game, self.expected, 0, "td")
        self._turns = self._search.turns
        self._epsilon = 0.0 if game.has_chance else config.epsilon
        self.rng = make_rng()

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        if seed is not None:
            self.rng = make_rng(seed)

    # --- acting -------------------------------------------------------------------------------------------------

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return `act` [n] and `value` [n]; while training also what `process_fn` needs, in `policy`.

        `policy.after` [n, F + 1] are the features of the best end of the turn, `policy.best` [n, K] the distribution
        predicted there; `policy.ended` [n] says whether the action ends the turn, `policy.greedy` [n] whether it leads
        there.
        """
        states = self._turns.positions(batch)
        if not self.training:
            act, value = self._search.best(states)
            return Batch(act=act, value=value)
        ends, starts = self._turns.find(states, states["current_player"])
        predicted = self._results(self.network, ends.features)
        over = ~np.isnan(ends.payoff)
        predicted[over] = np.eye(len(self._payoffs), dtype=np.float32)[self._numbers(ends.payoff[over])]
        values = predicted @ self._returns
        best = best_of(values, starts)
        greedy = ends.action[best].astype(np.int64)
        played = epsilon_greedy(greedy, batch.obs.mask, batch.obs.mask.shape[1], self._epsilon, self.rng)
        policy = Batch(
            after=ends.features[best],
            best=predicted[best],
            ended=ends.single[best],
            greedy=np.asarray(played == greedy),
        )
        return Batch(act=played, value=values[best], policy=policy)

    def expected(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the expected returns [m] by the averaged network."""
        returns: NDArray[np.float32] = self._results(self.average, features) @ self._returns
        return returns

    @torch.no_grad()
    def _results(self, network: Net, features: NDArray[np.float32]) -> NDArray[np.float32]:
        if self.device.type == "cpu":
            logits = forward_alike(network, features)
        else:
            logits = network(torch.as_tensor(features, device=self.device))[0]
        results: NDArray[np.float32] = logits.softmax(dim=1).numpy(force=True)
        return results

    def _numbers(self, returns: NDArray[Any]) -> NDArray[np.int64]:
        """Return the numbers of results [n] by the returns [n]; raises `UsageError` for one that is none of them."""
        numbers = np.searchsorted(self._payoffs, returns).clip(max=len(self._payoffs) - 1)
        if len(wrong := returns[self._payoffs[numbers] != returns]):
            raise UsageError(f"td: {self._game.label} returned {wrong[0]:g}, which is none of its payoffs")
        return numbers

    # --- learning -----------------------------------------------------------------------------------------------

    def process_fn(self, batch: Batch, buffer: ReplayBuffer, indices: NDArray[np.int64]) -> Batch:
        """Return the turns that have a target: `after` [m, F + 1] and `target` [m, K], a distribution over results."""
        if "after" not in batch.get("policy", ()):
            raise UsageError("these transitions lack policy.after: random actions, or another policy's")
        under_way = np.zeros(buffer.maxsize, np.bool_)
        under_way[buffer.unfinished_index()] = True
        terminated = np.asarray(batch.terminated, np.bool_)
        result = np.zeros(len(indices), np.int64)
        result[terminated] = self._numbers(batch.rew[terminated])
        turns = Turns(
            best=np.ascontiguousarray(batch.policy.best, np.float32),
            ended=np.ascontiguousarray(batch.policy.ended, np.bool_),
            greedy=np.ascontiguousarray(batch.policy.greedy, np.bool_),
            terminated=terminated,
            result=result,
            cut=(np.asarray(batch.truncated, np.bool_) | under_way[indices]) & ~terminated,
        )
        target, learned = lambda_targets(turns, float(self.config.td_lambda))
        return Batch(after=batch.policy.after[learned], target=target[learned])

    def learn(self, batch: Batch, batch_size: int, repeat: int) -> Figures:
        """Go `repeat` times through the turns in minibatches of about `batch_size`; return figures of each step.

        The loss is the divergence of the prediction from the target.
        """
        figures: Figures = new_figures(batch)
        after = torch.as_tensor(batch.after, device=self.device)
        target = torch.as_tensor(batch.target, device=self.device)
        parts = max(1, round(len(after) / batch_size))
        for _ in range(repeat if len(after) else 0):
            order = torch.as_tensor(self.rng.permutation(len(after)), device=self.device)
            for rows in order.chunk(parts):
                logp = self.network(after[rows])[0].log_softmax(dim=1)
                goal = target[rows]
                loss = torch.special.xlogy(goal, goal).sum(dim=1).mean() - (goal * logp).sum(dim=1).mean()
                note(figures, {"loss": loss.item(), **descend(loss, self.optim)})
                polyak(self.average, self.network, self.config.average_rate)
        return dict(figures)


def build(spaces: Spaces, config: TDConfig, training: bool) -> TDPolicy:
    """Build TD(lambda) for a game, with an optimizer if it is to be trained.

    Raises `UsageError` for environments and games that it cannot play, and for a network that the user brings, which
    reads observations.
    """
    if spaces.game is None:
        raise UsageError("td looks at positions after moves: it plays games, not other environments")
    if spaces.network is not None:
        raise UsageError("td reads positions after moves, not observations: it takes no network of yours")
    features = TurnEnds(spaces.game, "td").num_features
    network = Net((features,), len(spaces.game.payoffs), hidden_sizes=(config.hidden, config.hidden // 4))
    return TDPolicy(
        spaces.game, network, Adam(network.parameters(), config.learning_rate) if training else None, config
    )
