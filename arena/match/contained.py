"""`ContainedPolicy`: an agent in a process of its own, on a clock; it can hang, crash and hoard, and only loses."""

import math
import time
from typing import Any

import numpy as np

from arena.data.batch import Batch
from arena.errors import UsageError
from arena.match.arrays import from_json, to_json
from arena.match.ask import FailedError
from arena.match.limits import Limits
from arena.match.process import AgentProcess, DiedError
from arena.match.verdict import Failure, Reason
from arena.policy.protocol import Policy
from games.engine.game import Game

MOST = 2**31
"""An answer beyond this is no number of an action."""


class ContainedPolicy(Policy):
    """Seats the agent of a spec in another process, and plays one game at a time with it.

    It is told `batch.obs.seconds_left`, for this move at the most, and `game_seconds_left`, for all its moves to come
    (float64 [1], NaN without a limit); the time on the way is part of them.
    A process that was killed, for being late or otherwise, is started again for the next game.
    Raises `UsageError` if the agent cannot be seated at all.

    Args:
        spec: the agent.
        game: what is played.
        limits: of time and memory.
        tells: pass on what the agent tells besides its actions, for people to see.
        later: seat it when its first game begins, and not here.

    """

    needs_state = needs_moves = True
    one_at_a_time = True

    def __init__(self, spec: str, game: Game, limits: Limits, tells: bool = False, later: bool = False):
        self._spec, self._game, self._limits, self._tells = spec, game, limits, tells
        self.left_s = limits.game_s
        """Seconds that are left to it in this game; None without a limit."""
        self._stopped = False
        self._warms_up = True
        try:
            self._process: AgentProcess | None = None if later else self._started()
        except FailedError as error:
            raise UsageError(f"{spec} cannot be seated: {error}") from None

    def reset(self, seed: int | None = None) -> None:
        """Begin a game, with a full clock; `FailedError` if the agent cannot."""
        if self._process is None:
            self._process = self._started()
        self.left_s, self._stopped = self._limits.game_s, False
        self._process.begin_game()
        self._ask(self._process, {"seed": seed}, self._limits.start_s, "not ready for a game")

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Choose `act` [n], one after the other; `FailedError` if one is late, or none comes."""
        answers = [self._move(batch.obs[i : i + 1]) for i in range(len(batch.obs))]
        shared = set(answers[0].keys()).intersection(*(answer.keys() for answer in answers))
        return Batch.cat([Batch({name: answer[name] for name in sorted(shared)}) for answer in answers])

    def _move(self, seen: Batch) -> Batch:
        """The answer to one position, a row."""
        if self._process is None:
            raise FailedError(Failure("it has ended"))
        began = time.monotonic()
        seconds = min((limit for limit in (self._limits.move_s, self.left_s) if limit is not None), default=None)
        clocks = {"seconds_left": seconds, "game_seconds_left": self.left_s}
        told = {name: np.array([math.nan if left is None else left]) for name, left in clocks.items()}
        message = {"seen": to_json(seen) | to_json(Batch(told)), "tell": self._tells}
        answer = self._ask(self._process, message, seconds, "no move")
        if self.left_s is not None:
            self.left_s -= time.monotonic() - began
        action = answer.get("action")
        if not isinstance(action, int) or isinstance(action, bool) or abs(action) >= MOST:
            raise FailedError(Failure("answered with garbage"))
        try:
            return Batch(from_json(answer["told"], self._game) if self._tells else Batch(), act=np.array([action]))
        except (KeyError, TypeError, ValueError):
            raise FailedError(Failure("answered with garbage")) from None

    def hurry(self) -> None:
        """Have it answer at once what it is asked; one that cannot goes on."""
        if (process := self._process) is not None:
            process.hurry()

    def stop(self) -> None:
        """Kill it from another thread: it loses the game in which it is asked, and is started again for the next."""
        if (process := self._process) is not None:
            self._stopped = True
            process.stop()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _started(self) -> AgentProcess:
        """A process in which the agent sits; its first move is the second one it makes, if it makes any."""
        process = AgentProcess(self._limits.memory_bytes)
        seat = {"spec": self._spec, "game": self._game.name, "options": dict(self._game.options)}
        answer = self._ask(process, seat, self._limits.start_s, "not seated")
        if "refused" in answer:
            process.close()
            raise UsageError(str(answer["refused"]))
        if self._warms_up:
            try:
                self._ask(process, {"warm_up": True}, self._limits.start_s, "not warm")
            except FailedError:  # it shall lose its games in the games
                self._warms_up = False
                return self._started()
        return process

    def _ask(self, process: AgentProcess, message: dict[str, Any], seconds: float | None, what: str) -> dict[str, Any]:
        """The answer of a process; `FailedError` if it says that it failed, or there is none."""
        try:
            answer = process.exchange(message, seconds)
        except TimeoutError:
            self._process = None
            raise FailedError(Failure(f"{what} within {seconds:.3g} s", Reason.LATE)) from None
        except DiedError as error:
            self._process = None
            raise FailedError(Failure(str(error), Reason.LATE if self._stopped else Reason.CRASHED)) from None
        if "failure" in answer:
            raise FailedError(Failure(str(answer["failure"])))
        return answer
