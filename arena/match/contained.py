"""`ContainedPolicy`: an agent in a process of its own, under limits of time and memory."""

import json
import time
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.match.arrays import from_json, to_json
from arena.match.ask import FailedError
from arena.match.limits import Limits
from arena.match.process import AgentProcess, DiedError
from arena.match.verdict import FAULTS, Failure, Reason
from arena.policy.agent_spec import AgentSpec
from arena.policy.clock import ClockReading, read_clock
from arena.policy.protocol import Policy
from arena.policy.registry import agent_kind
from arena.policy.transcript import Transcript
from games.engine.game import Game

CLOCK = {one.name for one in fields(ClockReading)}
GRACE_S = 1.0
"""Time that messages between the processes may take in a move, on a busy machine, before the agent is ended."""
ACTION_LIMIT = 2**31
"""Actions of this magnitude or more are malformed answers."""


class ContainedPolicy(Policy):
    """Runs the agent of a spec in another process, one game at a time.

    If it hangs, crashes or takes too much memory, it loses; this process goes on. The agent is told the clock that the
    observations hold (`arena.policy.clock`), and its time is taken where it thinks, without messages: `spent_s` [n].
    A killed process is started again for the next game. Raises `UsageError` if the agent cannot be made, or cannot be
    told its clock.

    Args:
        spec: the agent.
        game: what is played.
        limits: of memory and time. Its clock is kept by the `Match` that it plays in.
        tells: return probabilities, value and search figures of the agent besides its actions, for display.
        later: start the process at the first game, not at once.

    """

    needs_state = needs_moves = True
    one_at_a_time = True

    def __init__(self, spec: str, game: Game, limits: Limits, tells: bool = False, later: bool = False):
        self._spec, self._game, self.limits, self._tells = spec, game, limits, tells
        self._stopped = False
        self._warms_up = True
        try:
            self._process: AgentProcess | None = None if later else self._started()
        except FailedError as error:
            raise UsageError(f"{spec} cannot be seated: {error}") from None

    def reset(self, seed: int | None = None) -> None:
        """Begin a game; `FailedError` if the agent fails."""
        if self._process is None:
            self._process = self._started()
        self._stopped = False
        self._process.begin_game()
        self._ask(self._process, {"seed": seed}, self.limits.start_s, "not ready for a game")

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Choose `act` [n], one row after the other; `FailedError` if an answer is late or missing."""
        answers = [self._move(batch.obs[i : i + 1]) for i in range(len(batch.obs))]
        shared = set(answers[0].keys()).intersection(*(answer.keys() for answer in answers))
        return Batch.cat([Batch({name: answer[name] for name in sorted(shared)}) for answer in answers])

    def _move(self, obs: Batch) -> Batch:
        """Return the answer to one row of observations."""
        if self._process is None:
            raise FailedError(Failure("it has ended"))
        clock = read_clock(obs)
        seconds = None if clock is None else clock.seconds_left
        observation = Batch({name: array for name, array in obs.items() if clock is None or name not in CLOCK})
        message = {"seen": to_json(observation), "tell": self._tells, "clock": None if clock is None else asdict(clock)}
        began = time.monotonic()
        answer = self._ask(self._process, message, seconds, "no move", GRACE_S)
        waited_s, spent_s = time.monotonic() - began, answer.get("spent_s")
        action = answer.get("action")
        if not self._is_well_formed(action) or type(spent_s) is not float:
            raise FailedError(Failure("sent a malformed answer"))
        known = Batch(act=np.array([action]), spent_s=np.array([max(spent_s, waited_s - GRACE_S)]))
        if type(value := answer.get("value")) is float:
            known.value = np.array([value])
        try:
            moved = Batch(from_json(answer["told"], self._game) if self._tells else Batch(), **known)
        except (KeyError, TypeError, ValueError):
            raise FailedError(Failure("sent a malformed answer")) from None
        if (transcript := _transcript(answer)) is not None:
            moved.transcript = np.array([transcript], object)
        return moved

    def _is_well_formed(self, action: Any) -> bool:
        """Return whether an answer is a whole number or, where actions are continuous, as many numbers as they have."""
        if self._game.action_box is None:
            return type(action) is int and abs(action) < ACTION_LIMIT
        shape = self._game.action_shape
        return isinstance(action, list) and (len(action),) == shape and all(type(one) is float for one in action)

    def hurry(self) -> None:
        """Ask the agent to answer the pending request at once; agents that cannot go on as before."""
        if (process := self._process) is not None:
            process.hurry()

    def stop(self) -> None:
        """Kill the process from another thread: the agent loses a game in which a move is pending."""
        if (process := self._process) is not None:
            self._stopped = True
            process.stop()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _started(self) -> AgentProcess:
        """Start a process with the agent; one move that does not count loads and compiles its code."""
        agent = AgentSpec.parse(self._spec)
        kind = agent_kind(agent.name)
        process = AgentProcess(self.limits.memory_bytes, kind.variables(agent.argument))
        control = self.limits.control
        obeys = () if control is None else control.searches
        seat = {"spec": self._spec, "game": self._game.name, "options": dict(self._game.options), "obeys": obeys}
        answer = self._ask(process, seat, self.limits.start_s, "not seated")
        if "refused" in answer:
            process.close()
            raise UsageError(str(answer["refused"]))
        if self._warms_up:
            clocked = control is not None and not kind.reaches_out  # a program loads its code in its own time
            warm_up = {"warm_up": True, "clocked": clocked}
            try:
                self._ask(process, warm_up, self.limits.start_s, "not warm")
            except FailedError:  # it will fail again in its games, and lose them by the rules
                self._warms_up = False
                return self._started()
        return process

    def _ask(
        self, process: AgentProcess, message: dict[str, Any], seconds: float | None, what: str, grace_s: float = 0.0
    ) -> dict[str, Any]:
        """Return the answer of a process; `FailedError` if it reports a failure, is late, or has died.

        It is late after `seconds` and `grace_s`, in which messages may be on their way.
        """
        try:
            answer = process.exchange(message, None if seconds is None else seconds + grace_s)
        except TimeoutError:
            self._process = None
            raise FailedError(Failure(f"{what} within {seconds:.3g} s", Reason.LATE)) from None
        except DiedError as error:
            self._process = None
            raise FailedError(Failure(str(error), Reason.LATE if self._stopped else Reason.CRASHED)) from None
        if "failure" in answer:
            reason = Reason(answer["reason"]) if answer.get("reason") in tuple(FAULTS) else Reason.CRASHED
            raise FailedError(Failure(str(answer["failure"]), reason), _transcript(answer))
        return answer


def clock_of_contained(policies: Iterable[Policy | None], limits: Limits | None) -> Limits | None:
    """Return the limits whose clock a match of these policies keeps: `limits`, or else those of its contained ones.

    Raises `UsageError` if a contained policy has another clock, which nobody would keep.
    """
    for policy in policies:
        if isinstance(policy, ContainedPolicy) and policy.limits.control is not None:
            limits = policy.limits if limits is None else limits
            if policy.limits.control != limits.control:
                limit = "no clock" if limits.control is None else f"the clock {limits.control}"
                raise UsageError(
                    f"an agent with the clock {policy.limits.control} cannot play in a match with {limit}: "
                    "nobody would keep its time; give all players of a match the same limits"
                )
    return limits


def _transcript(answer: dict[str, Any]) -> str | None:
    """Return the transcript in an answer, if there is one that can be read."""
    transcript = answer.get("transcript")
    try:
        return Transcript.from_json(json.loads(transcript)).to_json() if isinstance(transcript, str) else None
    except (ValueError, RecursionError):
        return None
