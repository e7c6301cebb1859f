"""What all agents from outside have in common: batches are taken apart, and each game is told move by move."""

import math
from abc import abstractmethod
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.outside.line import Line
from agents.search.positions import positions
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from arena.seeding import spawn_seeds
from games.engine.compiler import instantiate
from games.engine.game import Game, State

LINES_KEPT = 256
"""Games of which the moves are kept in notation; those of others are replayed when their turn comes."""


@dataclass(frozen=True, eq=False)
class Turn:
    """One decision of one game."""

    game_id: int
    """Tells games apart that are played at the same time; never used again."""
    is_new: bool
    """Whether nothing of this game has been asked before."""
    seat: int
    state: State
    """The position, shape (), without what the seat may not know."""
    observation: NDArray[Any]
    """[*O]."""
    legal: list[int]
    """Actions that may be taken."""
    line: Line | None
    """The game so far, where it is told."""
    seconds_left: float | None
    """For this move at the most; None where no clock runs."""
    game_seconds_left: float | None
    """For this and all further moves of the game; None without a limit for the game."""


@dataclass(frozen=True)
class Reply:
    """What a program answers."""

    action: int
    """RESIGN if it gives up; may be illegal otherwise."""
    probs: NDArray[np.float64] | None = None
    """Its chance of each action, [A]."""
    value: float | None = None
    """The return that it expects."""


class OutsidePolicy(Policy):
    """Asks somebody outside of Python about each row of a batch in turn.

    Which rows are of one game it knows by the hidden state that it hands out: the game's number, from 1.
    """

    needs_state = True
    needs_moves = True
    one_at_a_time = True

    def __init__(self, game: Game, agent: str):
        self._game = game
        self._agent = agent
        self._lines: OrderedDict[int, Line] = OrderedDict()
        self._games = 0  # begun so far
        self._seed = 0
        self._begun_before = 0  # of these, how many before the last reset

    @abstractmethod
    def answer(self, turn: Turn) -> Reply:
        """Decide; raises `ProgramError` if nobody answers."""

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """`act` [n], and `probs` [n, A] and `value` [n] where all games have been told them."""
        states = positions(batch, self._game, self._agent)
        if not self._game.perfect_information:
            states = states.copy()
            instantiate("games.engine.knowledge", self._game).redact_all(states, np.asarray(batch.obs.agent_id))
        known = np.zeros(len(states), np.int64) if state is None else state.game_id
        turns = [self._turn(batch.obs, row, states[row], int(known[row])) for row in range(len(states))]
        replies = [self.answer(turn) for turn in turns]
        result = Batch(
            act=np.array([reply.action for reply in replies]),
            state=Batch(game_id=np.array([turn.game_id for turn in turns])),
        )
        probs = [reply.probs for reply in replies if reply.probs is not None]
        values = [reply.value for reply in replies if reply.value is not None]
        if len(probs) == len(replies):
            result.probs = np.array(probs)
        if len(values) == len(replies):
            result.value = np.array(values)
        return result

    def reset(self, seed: int | None = None) -> None:
        """With a seed, that of the games to come."""
        if seed is not None:
            self._seed, self._begun_before = seed, self._games
        self._lines.clear()

    def seed_of(self, game_id: int) -> int:
        """The seed for a program's own draws in a game, below 2 ** 31."""
        return spawn_seeds(self._seed, game_id - self._begun_before, count=1)[0] >> 32

    def _turn(self, obs: Batch, row: int, state: State, game_id: int) -> Turn:
        is_new = game_id == 0
        if is_new:
            self._games += 1
            game_id = self._games
        return Turn(
            game_id,
            is_new,
            seat=int(obs.agent_id[row]),
            state=state,
            observation=obs.obs[row],
            legal=np.flatnonzero(obs.mask[row]).tolist(),
            line=self._line(game_id, obs.moves[row]) if "moves" in obs and not self._game.has_chance else None,
            seconds_left=_clock(obs, "seconds_left", row),
            game_seconds_left=_clock(obs, "game_seconds_left", row),
        )

    def _line(self, game_id: int, moves: NDArray[np.int32]) -> Line:
        line = self._lines.pop(game_id, None) or Line(self._game)
        self._lines[game_id] = line  # the latest is the last to be forgotten
        if len(self._lines) > LINES_KEPT:
            self._lines.popitem(last=False)
        line.follow(moves[moves >= 0].tolist())
        return line


def _clock(obs: Batch, name: str, row: int) -> float | None:
    """What a clock shows, if there is one and it runs."""
    left = float(obs[name][row]) if name in obs else math.nan
    return None if math.isnan(left) else left
