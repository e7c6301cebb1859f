"""Local best responses in Texas hold'em with limits: a lower bound of how much an agent can be exploited.

V. Lisy and M. Bowling, "Equilibrium approximation quality of current no-limit poker bots" (2017, arXiv 1612.07547). The
opponent knows the agent's strategy, keeps the probability of each hand that it may hold, and takes the action that
would be best if both only checked and called from then on. What it wins, a best response wins at least.

The result of a showdown is its mean over the hands that the agent may hold, by the same probabilities: the mean over
games stays the same, and fewer of them are needed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.analysis.holdem_odds import HANDS, conflicts, win_chances
from arena.base.checks import require_at_least
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.match.match import Match
from arena.policy.probabilities import action_probabilities, observations
from arena.policy.protocol import Policy
from games.engine.game import Game
from games.engine.holdem import HAND, SHOWN
from games.engine.limit_betting import BIG_BLIND, CALL, CHECK, FOLD, RAISE

GAME = "texas_holdem"
BOARDS = 32
"""Games that are played side by side."""
ROWS = 16_384
"""Decisions in one batch for the agent."""
SAMPLES = 60
"""Draws of the cards still to come, before the turn."""
SMALLEST = 1e-300
"""Instead of a sum of 0, where the agent has done what no hand makes it do."""


@dataclass(frozen=True)
class LocalResponse:
    """Winnings of a local best response from an agent, in big blinds a game."""

    games: int
    mean: float
    error: float
    """Half-width of the 95 % interval."""


def local_best_response(
    game: Game,
    policy: Policy,
    name: str,
    games: int,
    chosen: bool = False,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> LocalResponse:
    """Play `games` against `policy`, from both seats in turn, and return what is won.

    `chosen` takes the moves that it chooses in place of its probabilities. `progress` hears of the games played so far.
    Raises `UsageError` for another game, and for an agent without probabilities or with a memory.
    """
    require_limit_holdem(game, "a local best response plays")
    require_at_least(2, games=games)
    policy.reset(seed)
    rng = make_rng(seed)
    results: list[float] = []
    while len(results) < games:
        table = PokerTables(game, policy, name, chosen, min(BOARDS, games - len(results)), rng)
        results.extend(table.play().tolist())
        if progress is not None:
            progress(len(results))
    error = 1.96 * np.std(results, ddof=1) / len(results) ** 0.5
    return LocalResponse(games, float(np.mean(results)), float(error))


def require_limit_holdem(game: Game, what: str) -> None:
    """Raise `UsageError`, which begins with `what`, for another game than limit hold'em for two."""
    if game.name != GAME or game.num_players != 2:
        raise UsageError(f"{what} {GAME} for two, not {game.label}")


class PokerTables:
    """Games that are played side by side; H are all hands of two cards, B the games."""

    def __init__(self, game: Game, policy: Policy, name: str, chosen: bool, count: int, rng: np.random.Generator):
        self._game, self._policy, self._name, self._chosen, self._rng = game, policy, name, chosen, rng
        seeds = rng.integers(2**31, size=count).tolist()
        self.matches = [Match(game, [(seat, None) for seat in game.agents], seed) for seed in seeds]
        self.seats = np.arange(count) % 2
        """Seat of the responder in each game, [B]."""
        self.weights = np.ones((count, len(HANDS)))
        """Probability of each hand of the agent, not normalised, [B, H]."""

    def play(self) -> NDArray[np.float64]:
        """Play to the end; return what the responder wins in each game [B]."""
        while playing := [row for row, match in enumerate(self.matches) if not match.over]:
            for row in playing:
                self.weights[row] *= ~conflicts(self._known(row))
            responding = [row for row in playing if self.matches[row].seat == self.seats[row]]
            self.play_agent([row for row in playing if row not in responding])
            for row in responding:
                self.matches[row].play(self._response(row))
        return np.array([self._result(row) for row in range(len(self.matches))])

    def _result(self, row: int) -> float:
        """Return what the responder wins in a finished game: at a showdown its mean over the agent's hands."""
        match, seat = self.matches[row], int(self.seats[row])
        if match.state["folded"].any():
            return match.returns[seat]
        known = self._known(row)
        weights = self.weights[row] * ~conflicts(known)
        weights /= max(weights.sum(), SMALLEST)
        wins = weights @ win_chances(known[:HAND], known[HAND:], HANDS, weights, 1, 0)
        return float((2 * wins - 1) * match.state["paid"][seat] / BIG_BLIND)

    def _known(self, row: int) -> NDArray[np.int8]:
        """Return the cards that the responder sees [7], -1 for those not yet shown."""
        cards, seat = self.matches[row].state["cards"], self.seats[row]
        return np.concatenate([cards[HAND * seat :][:HAND], cards[2 * HAND :]])

    def play_agent(self, rows: list[int]) -> None:
        """Play the agent's moves, and weigh its hands by how likely they make it play them."""
        states = [self.matches[row].state for row in rows]
        for row, state, probs in zip(rows, states, self._strategy(rows, states), strict=True):
            hand = state["cards"][HAND * (1 - self.seats[row]) :][:HAND]
            own = probs[(np.sort(hand) == HANDS).all(axis=1)][0]
            action = int(self._rng.choice(len(own), p=own / own.sum()))
            self.weights[row] *= probs[:, action]
            self.matches[row].play(action)

    def _strategy(self, rows: list[int], states: list[NDArray[Any]]) -> NDArray[np.float64]:
        """Return the agent's probabilities in a position of each of `rows`, with each of its hands: [n, H, A]."""
        probs = np.zeros((len(rows), len(HANDS), self._game.num_actions))
        place, hand = np.nonzero(self.weights[rows])
        seats = 1 - self.seats[rows]
        for begin in range(0, len(place), ROWS):
            part = slice(begin, begin + ROWS)
            positions, of = np.array(states, self._game.state_dtype)[place[part]], seats[place[part]]
            for i in range(HAND):
                positions["cards"][np.arange(len(positions)), HAND * of + i] = HANDS[hand[part], i]
            seeds = self._rng.integers(2**64, size=len(of), dtype=np.uint64) if self._policy.needs_state else None
            obs = observations(self._game, positions, of, seeds)
            probs[place[part], hand[part]] = action_probabilities(self._policy, obs, self._name, self._chosen)
        return probs

    def _response(self, row: int) -> int:
        """Return the action of the highest expected winnings, if both check and call after it."""
        match, seat = self.matches[row], int(self.seats[row])
        state, known = match.state, self._known(row)
        weights = self.weights[row] / max(self.weights[row].sum(), SMALLEST)
        shown = known[HAND : HAND + SHOWN[state["round"]]]
        chances = win_chances(known[:HAND], shown, HANDS, weights, SAMPLES, int(self._rng.integers(2**31)))
        pot, price = int(state["paid"].sum()), int(state["paid"][1 - seat] - state["paid"][seat])
        wins = weights @ chances
        values = {FOLD: 0.0, CALL if price else CHECK: wins * pot - (1 - wins) * price}
        if match.legal[RAISE]:
            bet = BIG_BLIND << int(state["round"]) // 2
            folds = self._strategy([row], [after_raise(state, seat, price + bet)])[0, :, FOLD]
            fold, wins = weights @ folds, weights * (1 - folds) @ chances  # of all; the rest stays, and wins
            values[RAISE] = fold * pot + wins * (pot + bet) - (1 - fold - wins) * (price + bet)
        return max(values, key=values.__getitem__)


def after_raise(state: NDArray[Any], seat: int, chips: int) -> NDArray[Any]:
    """Return the position after `seat` has raised by paying so many chips, where the other is to move."""
    after, which = state.copy(), int(state["round"])
    after["history"][which, int(state["length"][which])] = RAISE
    after["length"][which] += 1
    after["raises"][which] += 1
    after["paid"][seat] += chips
    after["answered"] = 1
    after["current_player"] = after["next_player"] = 1 - seat
    return after
