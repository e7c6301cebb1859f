"""The program in an agent's process: it reads requests as lines of JSON and answers each in turn.

    {"id": 1, "spec": "alphabeta:4", "game": "connect_four", "options": {...}, "obeys": []}
                                                 makes the agent; {"id": 1} or {"id": 1, "refused": "why"}
    {"id": 2, "warm_up": true, "clocked": true}  one move that does not count, to load its code; {"id": 2}
    {"id": 3, "seed": 5}                         a new game
    {"id": 4, "seen": {...}, "clock": {...} or null, "tell": false}
                                                 asks for a move; {"id": 4, "action": 3, "spent_s": 0.2}, and "value"
                                                 if the agent states one; with "tell" also "told": {...} (`probs`,
                                                 `visits`, `value`, `pv`, if given); an agent that thinks in words
                                                 adds its "transcript"
    {"hurry": true}                              answer the pending request at once; has no answer itself
    {"id": 5, "close": true}                     the end

A request that fails is answered with {"id": 4, "failure": "what it raised", "reason": "crashed"}.
"""

import json
import math
import os
import queue
import threading
import time
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from arena.base.errors import UsageError
from arena.base.memory import collect_garbage_rarely
from arena.data.batch import Batch
from arena.match.arrays import from_json, to_json
from arena.match.ask import Answer, ask, begin
from arena.match.verdict import Failure
from arena.match.warm_up import warm_up
from arena.policy.clock import ClockReading, require_obedient
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent, make_game
from arena.policy.torch_modes import torch_threads
from games.engine.game import Game


class SeatedAgent:
    """The agent of this process and its game."""

    def __init__(self, request: dict[str, Any]):
        self._game: Game = make_game(request["game"], **request["options"])
        self._policy: Policy = make_agent(request["spec"], self._game)
        require_obedient(request["spec"], self._policy, request["obeys"])
        self._hidden: Any = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request."""
        if "warm_up" in request:
            warm_up(self._game, self._policy, request["clocked"])
            return {}
        if "close" in request:
            self._policy.close()
            return {}
        if "seed" in request:
            self._hidden = None
            failure = begin(self._policy, request["seed"])
            return {} if failure is None else _failed(failure)
        obs = self._without_unneeded(from_json(request["seen"], self._game))
        if request["clock"] is not None:
            obs.update(ClockReading(**request["clock"]).to_arrays())
        began = time.monotonic()
        answer = ask(self._game, self._policy, obs, self._hidden).only()
        spent_s = time.monotonic() - began
        self._hidden = answer.hidden
        words = {} if answer.transcript is None else {"transcript": answer.transcript}
        if answer.failure is not None:
            return _failed(answer.failure) | words
        move: dict[str, Any] = {"action": answer.action, "spent_s": spent_s}
        if answer.value is not None and math.isfinite(answer.value):
            move["value"] = answer.value
        return move | ({"told": to_json(_extras(answer))} if request["tell"] else {}) | words

    def hurry(self) -> None:
        """Ask the agent to answer the pending request at once."""
        self._policy.hurry()

    def _without_unneeded(self, obs: Batch) -> Batch:
        """Return the observations without states and moves that the policy does not need."""
        moves = self._policy.needs_moves
        unwanted = {"state": not self._policy.needs_state, "moves": not moves, "initial": not moves}
        return Batch({name: array for name, array in obs.items() if not unwanted.get(name, False)})


def _failed(failure: Failure) -> dict[str, Any]:
    return {"failure": failure.detail, "reason": failure.reason.value}


def _extras(answer: Answer) -> Batch:
    """Return the parts of an answer besides the action, in rows [1, ...] of small dtypes."""
    extras = Batch()
    for name, dtype in (("probs", np.float32), ("visits", np.int32), ("value", np.float32), ("pv", np.int32)):
        if (one := getattr(answer, name)) is not None:
            extras[name] = np.asarray(one, dtype)[None]
    return extras


def main() -> None:
    """Answer requests until their end."""
    collect_garbage_rarely()
    requests, answers = _channel()
    first = json.loads(requests.readline())
    try:
        agent = SeatedAgent(first)
    except (UsageError, OSError) as error:
        _send(answers, first["id"], {"refused": str(error).splitlines()[0]})
        return
    _send(answers, first["id"], {})
    with torch_threads(1):
        for request in _in_order(requests, agent):
            _send(answers, request["id"], agent.answer(request))


def _in_order(requests: BinaryIO, agent: SeatedAgent) -> Iterator[dict[str, Any]]:
    """Yield requests in order; a thread acts on those to hurry while another request is at work."""
    waiting: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def listen() -> None:
        for line in requests:
            request = json.loads(line)
            if "hurry" in request:
                agent.hurry()
            else:
                waiting.put(request)
        waiting.put(None)

    threading.Thread(target=listen, daemon=True).start()
    while (request := waiting.get()) is not None:
        yield request


def _channel() -> tuple[BinaryIO, BinaryIO]:
    """Return files for requests and answers that the agent's own reading, printing and forks do not touch."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)

    def cut() -> None:
        for file in (requests, answers):
            os.dup2(nothing, file.fileno())

    os.register_at_fork(after_in_child=cut)
    return requests, answers


def _send(answers: BinaryIO, number: int, answer: dict[str, Any]) -> None:
    answers.write(json.dumps({"id": number} | answer).encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
