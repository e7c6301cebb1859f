"""Base class of external agents: splits batches into single decisions and tracks the moves of each game."""

from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.outside.line import ReplayedGame
from agents.search.positions import positions
from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.data.batch import Batch
from arena.policy.clock import ClockReading, read_clock
from arena.policy.protocol import Policy
from games.engine.compiled import CompiledGame
from games.engine.game import Game, State

REPLAYS_KEPT = 256
"""Number of games whose moves are cached in notation; the moves of others are replayed."""
LONGEST_LINE = 16
"""Moves that are kept of a line of play."""


@dataclass(frozen=True, eq=False)
class Turn:
    """One decision in one game."""

    game_id: int
    """Number of the game, unique in this process."""
    is_new: bool
    """True if this is the first decision of the game."""
    seat: int
    state: State
    """Position, shape (), without what the seat may not know."""
    observation: NDArray[Any]
    """Observation, [*O]."""
    legal: list[int]
    """Legal actions, in ascending order."""
    replay: ReplayedGame | None
    """Moves of the game so far; None if they are unknown."""
    clock: ClockReading | None
    """Its clock; None without one."""
    parse: Callable[[str], int]
    """Reads a move of this position in the game's notation; `UsageError` if it cannot be read."""
    history: Sequence[str] = ()
    """Moves of the game so far in its notation, as far as they are known."""

    def read_line(self, texts: Sequence[str], action: int) -> tuple[int, ...]:
        """Return a line of play from this position, up to the first move that cannot be read or is illegal there.

        It is empty unless it begins with `action`, which has been chosen.
        """
        actions = () if self.replay is None else self.replay.read_on(texts[:LONGEST_LINE], self.legal)
        return actions if actions[:1] == (action,) else ()

    def limit_s(self, usual: float) -> float:
        """Return the time to wait for an answer in seconds: `usual`, or a clock that allows more."""
        return max(usual, self.seconds_left or 0.0)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the seat loses by not moving; None without a clock."""
        return None if self.clock is None else self.clock.seconds_left


@dataclass(frozen=True)
class Reply:
    """Answer of a program."""

    action: int
    """Action, possibly illegal; RESIGN for a resignation."""
    probs: NDArray[np.float64] | None = None
    """Probability of each action, [A]; None if not given."""
    value: float | None = None
    """Expected return; None if not given."""
    line: Sequence[int] = ()
    """Actions that it expects, its own first, `LONGEST_LINE` at most; empty if it names none."""
    failure: Exception | None = None
    """Why there is no action; None where there is one."""
    transcript: str | None = None
    """What was asked and answered in words, as JSON; None if nothing was."""


class OutsidePolicy(Policy):
    """Asks an external agent for each row of a batch in turn; abstract.

    The hidden state of a row is the number of its game, from 1.
    """

    needs_state = True
    needs_moves = True
    one_at_a_time = True

    def __init__(self, game: Game, agent: str):
        if game.action_box is not None:
            raise UsageError(f"{agent} plays games of numbered actions; those of {game.spec} are continuous")
        self._game = game
        self._agent = agent
        self._replays: OrderedDict[int, ReplayedGame] = OrderedDict()
        self._games = 0  # started so far
        self._seed = 0
        self._games_before_reset = 0  # of these, how many before the last reset

    @abstractmethod
    def answer(self, turn: Turn) -> Reply:
        """Decide on an action; raise `ProgramError` if the agent fails."""

    def answer_each(self, turns: Sequence[Turn]) -> list[Reply]:
        """Decide on actions in turn."""
        return [self.answer(turn) for turn in turns]

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return `act` [n], and `probs` [n, A] if all replies have them.

        If any reply has them, also `value` [n], NaN in the others, `pv` [n, L], -1 after a line's end, and `failure`
        and `transcript` (objects [n]).
        """
        states = positions(batch, self._game, self._agent)
        if not self._game.perfect_information:
            states = states.copy()
            self._game.redact(states, np.asarray(batch.obs.agent_id))
        known = np.zeros(len(states), np.int64) if state is None else state.game_id
        turns = [self._turn(batch.obs, row, states[row], int(known[row])) for row in range(len(states))]
        replies = self.answer_each(turns)
        result = Batch(
            act=np.array([reply.action for reply in replies]),
            state=Batch(game_id=np.array([turn.game_id for turn in turns])),
        )
        probs = [reply.probs for reply in replies if reply.probs is not None]
        values = np.array([np.nan if reply.value is None else reply.value for reply in replies])
        if len(probs) == len(replies):
            result.probs = np.array(probs)
        if not np.isnan(values).all():
            result.value = values
        if any(reply.line for reply in replies):
            result.pv = np.full((len(replies), LONGEST_LINE), -1)
            for row, reply in enumerate(replies):
                result.pv[row, : len(reply.line)] = reply.line
        for name in ("failure", "transcript"):
            if any(getattr(reply, name) is not None for reply in replies):
                result[name] = np.array([getattr(reply, name) for reply in replies], object)
        return result

    def reset(self, seed: int | None = None) -> None:
        """Set the seed of later games, if one is given."""
        if seed is not None:
            self._seed, self._games_before_reset = seed, self._games
        self._replays.clear()

    def seed_of(self, game_id: int) -> int:
        """Return the seed of a program's own random numbers in a game, below 2 ** 31."""
        return spawn_seeds(self._seed, game_id - self._games_before_reset, count=1)[0] >> 32

    def _turn(self, obs: Batch, row: int, state: State, game_id: int) -> Turn:
        is_new = game_id == 0
        if is_new:
            self._games += 1
            game_id = self._games
        replay = None
        if "moves" in obs and not self._game.has_chance and isinstance(self._game, CompiledGame):
            replay = self._replay(game_id, obs.moves[row], obs.initial[row] if "initial" in obs else None)
        return Turn(
            game_id,
            is_new,
            seat=int(obs.agent_id[row]),
            state=state,
            observation=obs.obs[row],
            legal=np.flatnonzero(obs.mask[row]).tolist(),
            replay=replay,
            clock=read_clock(obs, row),
            parse=partial(self._game.parse_action, state),
            history=self._game.history(state) if replay is None else tuple(replay.texts),
        )

    def _replay(self, game_id: int, moves: NDArray[np.int32], start: State | None) -> ReplayedGame:
        line = self._replays.pop(game_id, None) or ReplayedGame(self._game, start)
        self._replays[game_id] = line  # the latest is the last to be forgotten
        if len(self._replays) > REPLAYS_KEPT:
            self._replays.popitem(last=False)
        line.follow(moves[moves >= 0].tolist())
        return line
