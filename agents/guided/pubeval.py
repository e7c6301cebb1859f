"""`pubeval:FOLDER`: PubEval, a benchmark of backgammon programs (Tesauro 1993, in rec.games.backgammon).

A linear evaluation of positions after a move, by one vector of weights in contact and another in a race, whichever the
position before the roll was. The weights are not part of this package: the folder holds them as their author published
them, 122 numbers in each of the files `WT.cntc` and `WT.race`.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.guided.afterstates import TurnEnds, best_of
from arena.base.errors import UsageError
from arena.base.files import read_text
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from games.engine.game import Game

OFF, BAR = 0, 25
NUM_WEIGHTS = 122
FILES = "WT.cntc", "WT.race"
"""Weights in contact, and in a race."""
LARGEST_FILE = 100_000
WON = 1e8


class PubEvalPolicy(Policy):
    """Plays the move that PubEval rates highest.

    Args:
        game: backgammon.
        weights: in contact and in a race, [2, 122].

    """

    needs_state = True

    def __init__(self, game: Game, weights: NDArray[np.float32]):
        if game.name != "backgammon":
            raise UsageError(f"pubeval plays backgammon, not {game.name}")
        self._turns, self._weights = TurnEnds(game, "pubeval"), weights

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return `act` [n]; the hidden `state.race` [n] is whether the turn began in a race."""
        states = self._turns.positions(batch)
        race, within = is_race(states), ~is_whole_roll(states)
        if state is not None:
            race[within] = state.race[within]
        act = np.zeros(len(states), np.int64)
        rows = np.flatnonzero(states["current_player"] >= 0)
        if len(rows):
            act[rows] = self._choose(states[rows], race[rows])
        return Batch(act=act, state=Batch(race=race))

    def _choose(self, states: NDArray[Any], race: NDArray[np.bool_]) -> NDArray[np.int16]:
        seats = states["current_player"]
        ends, starts = self._turns.find(states, seats)
        counts = np.diff(starts)
        mine, rows = np.repeat(seats, counts), np.arange(len(ends.action))
        checkers = ends.states["checkers"]
        inputs = encode(checkers[rows, mine], checkers[rows, 1 - mine])
        scores = np.einsum("mi,mi->m", inputs, self._weights[np.repeat(race, counts).astype(np.int64)])
        actions: NDArray[np.int16] = ends.action[best_of(np.where(np.isnan(ends.payoff), scores, WON), starts)]
        return actions


def encode(own: NDArray[np.int8], other: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return PubEval's inputs [m, 122] for checkers [m, 26] of the seat that has moved, and of the other."""
    inputs = np.zeros((len(own), NUM_WEIGHTS), np.float32)
    net = own[:, 24:0:-1] - other[:, 1:25]
    inputs[:, :-2] = np.stack(
        [net == -1, net == 1, net >= 2, net == 3, np.where(net >= 4, (net - 3) / 2, 0)], axis=2
    ).reshape(len(own), -1)
    inputs[:, -2], inputs[:, -1] = other[:, BAR] / 2, own[:, OFF] / 15
    return inputs


def is_race(states: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where no checker can meet one of the other seat any more, [n]."""
    occupied = states["checkers"][:, :, 1:] > 0
    rearmost = np.where(occupied.any(axis=2), BAR - occupied[:, :, ::-1].argmax(axis=2), OFF)
    race: NDArray[np.bool_] = rearmost.sum(axis=1) < BAR
    return race


def is_whole_roll(states: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where nothing of a roll has been played yet, [n]."""
    double = states["dice"][:, 0] == states["dice"][:, 1]
    whole: NDArray[np.bool_] = states["uses"].sum(axis=1) == np.where(double, 4, 2)
    return whole


def read_weights(folder: Path) -> NDArray[np.float32]:
    """Read the weights [2, 122] from their files; `UsageError` for files that are not there or hold something else."""
    weights = np.empty((2, NUM_WEIGHTS), np.float32)
    for row, name in enumerate(FILES):
        words = read_text(folder / name, LARGEST_FILE).split()
        try:
            numbers = np.array([float(word) for word in words])
        except ValueError:
            numbers = np.zeros(0)
        if len(numbers) != NUM_WEIGHTS or not np.isfinite(numbers).all():
            raise UsageError(f"{folder / name} does not hold the {NUM_WEIGHTS} weights of PubEval")
        weights[row] = numbers
    return weights


def make(game: Game, argument: str) -> PubEvalPolicy:
    """Make PubEval from the folder of its weights."""
    if not argument:
        raise UsageError(f"pubeval: give the folder of its weights, {' and '.join(FILES)}: pubeval:FOLDER")
    return PubEvalPolicy(game, read_weights(Path(argument)))
