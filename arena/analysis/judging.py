"""Values of all legal moves of a position, by an agent that evaluates positions: the judge."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.match.ask import ask, begin, view
from arena.match.lines import Line, PlayedLines
from arena.policy.protocol import Policy, PositionEvaluator
from games.engine.game import Game


@dataclass(frozen=True)
class Judge:
    """An agent whose evaluations decide which moves are good."""

    spec: str
    policy: Policy

    def values(self, played: PlayedLines, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the expected returns [k] of the seats to move in `rows` [k]; NaN where unknown.

        Raises `UsageError` if the agent fails or returns no values.
        """
        if isinstance(self.policy, PositionEvaluator):
            return self.policy.values(played.env.positions(rows))
        answers = ask(played.env.game, self.policy, view(played.env, rows, self.policy, played.history, played.lengths))
        if answers.failures:
            raise UsageError(f"{self.spec} failed as a judge: {next(iter(answers.failures.values())).detail}")
        if "value" not in answers.extras:
            raise UsageError(f"{self.spec} reports no values of positions; alphabeta:8, mcts:1000 and perfect do")
        values: NDArray[np.float64] = answers.extras.value.astype(np.float64)
        return values


def move_values(game: Game, judge: Judge, lines: Sequence[Line], seed: int = 0) -> NDArray[np.float64]:
    """Return the value of each move after each of `lines`, for the seat that makes it [n, A]; -inf where illegal.

    A move that ends the game has the value of its return. Any other has the judge's value of the next position, NaN
    where that is unknown.
    """
    before = PlayedLines(game, lines)
    values = np.where(before.env.mask, np.nan, -np.inf)
    rows, actions = np.nonzero(before.env.mask)
    moves = zip(rows.tolist(), actions.tolist(), strict=True)
    after = PlayedLines(game, [(*lines[row], action) for row, action in moves])
    seats = before.env.seats[rows]
    over = after.env.over
    values[rows[over], actions[over]] = after.returns[over, seats[over]]
    if (failure := begin(judge.policy, seed)) is not None:
        raise UsageError(f"{judge.spec} failed as a judge: {failure.detail}")
    going = np.flatnonzero(~over)
    if len(going):
        same_seat = after.env.seats[going] == seats[going]
        values[rows[going], actions[going]] = judge.values(after, going) * np.where(same_seat, 1.0, -1.0)
    return values


def require_judgeable(game: Game) -> None:
    """Raise `UsageError` unless the value of the next position determines the value of a move."""
    if game.num_players != 2 or not game.zero_sum or not game.perfect_information or game.has_chance:
        raise UsageError(
            f"moves are judged in games of two players and zero sum in which nothing is hidden and chance does not "
            f"move; {game.label} is not one"
        )
