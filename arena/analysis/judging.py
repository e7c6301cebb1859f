"""What every legal move of a position leads to, by an agent that tells values: the judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arena.analysis.lines import Line, Played
from arena.errors import UsageError
from arena.match.ask import ask, begin, view
from arena.policy.protocol import Policy
from games.engine.game import Game


@runtime_checkable
class KnowsValues(Protocol):
    """A policy that can say what positions are worth without choosing a move."""

    def values(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """The returns [n] that seats to move may expect of unfinished positions [n]; nan where that is not known."""


@dataclass(frozen=True)
class Judge:
    """An agent whose values count."""

    spec: str
    policy: Policy

    def values(self, played: Played, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """What the seats to move may expect [k] in these rows [k]; nan where the judge does not know."""
        if isinstance(self.policy, KnowsValues):
            return self.policy.values(played.env.positions(rows))
        answers = ask(self.policy, view(played.env, rows, self.policy, played.history, played.lengths))
        if answers.failures:
            raise UsageError(f"{self.spec} failed as a judge: {next(iter(answers.failures.values())).detail}")
        if "value" not in answers.told:
            raise UsageError(f"{self.spec} tells no values of positions; alphabeta:8, mcts:1000 and perfect do")
        found: NDArray[np.float64] = answers.told.value.astype(np.float64)
        return found


def worths(game: Game, judge: Judge, lines: Sequence[Line], seed: int = 0) -> NDArray[np.float64]:
    """What each move is worth after each of `lines`, for the seat that makes it: [n, A], -inf where it is illegal.

    A game that ends with the move is worth what it brings, any other what the judge says of the position that follows;
    nan where it does not know.
    """
    before = Played(game, lines)
    worth = np.where(before.env.mask, np.nan, -np.inf)
    rows, actions = np.nonzero(before.env.mask)
    moves = zip(rows.tolist(), actions.tolist(), strict=True)
    after = Played(game, [(*lines[row], action) for row, action in moves])
    seats = before.env.seats[rows]
    over = after.env.over
    worth[rows[over], actions[over]] = after.returns[over, seats[over]]
    if (failure := begin(judge.policy, seed)) is not None:
        raise UsageError(f"{judge.spec} failed as a judge: {failure.detail}")
    going = np.flatnonzero(~over)
    if len(going):
        same_seat = after.env.seats[going] == seats[going]
        worth[rows[going], actions[going]] = judge.values(after, going) * np.where(same_seat, 1.0, -1.0)
    return worth


def require_judgeable(game: Game) -> None:
    """`UsageError` unless what a move leads to can be told by the value of one position."""
    if game.num_players != 2 or not game.zero_sum or not game.perfect_information or game.has_chance:
        raise UsageError(
            f"moves are judged in games of two players and zero sum in which nothing is hidden and chance does not "
            f"move; {game.label} is not one"
        )
