"""What runs in an agent's own process: it reads requests as lines of JSON and answers each in turn.

    {"id": 1, "spec": "alphabeta:4", "game": "connect_four", "options": {...}}   seats the agent; {"id": 1} or
                                                                                  {"id": 1, "refused": "why"}
    {"id": 2, "warm_up": true}                   one move that does not count, by which its code is loaded; {"id": 2}
    {"id": 3, "seed": 5}                         a new game
    {"id": 4, "seen": {...}, "tell": false}      a move is wanted; {"id": 4, "action": 3}, with "told": {...} (`probs`,
                                                 `visits`, `value` and `pv`, as far as given) if it is to tell
    {"hurry": true}                              it shall answer at once; this itself is not answered
    {"id": 5, "close": true}                     the end

A request that fails is answered with {"id": 4, "failure": "what it raised"}.
"""

import json
import os
import queue
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from arena.data.batch import Batch
from arena.env.native import GameVectorEnv
from arena.errors import UsageError
from arena.match.arrays import from_json, to_json
from arena.match.ask import Answer, ask, begin, view
from arena.match.process_tree import adopt_orphans, end_with_parent
from arena.policy.protocol import Policy
from arena.policy.torch_modes import torch_threads
from arena.registry import make_agent, make_game
from games.engine.game import Game


class Inside:
    """The agent and its game, once it is seated."""

    def __init__(self, request: dict[str, Any]):
        self._game: Game = make_game(request["game"], **request["options"])
        self._policy: Policy = make_agent(request["spec"], self._game)
        self._hidden: Any = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """What is answered to a request."""
        if "warm_up" in request:
            self._warm_up()
            return {}
        if "close" in request:
            self._policy.close()
            return {}
        if "seed" in request:
            self._hidden = None
            failure = begin(self._policy, request["seed"])
            return {} if failure is None else {"failure": failure.detail}
        seen = from_json(request["seen"], self._game)
        answer = ask(self._policy, self._wanted(seen), self._hidden).only()
        self._hidden = answer.hidden
        if answer.failure is not None:
            return {"failure": answer.failure.detail}
        return {"action": answer.action} | ({"told": to_json(_told(answer))} if request["tell"] else {})

    def hurry(self) -> None:
        """Have the agent answer what it is asked at once."""
        self._policy.hurry()

    def _warm_up(self) -> None:
        """One move, without thinking for longer than it takes to load the code."""
        done = threading.Event()

        def hurry() -> None:
            while not done.wait(0.05):
                self._policy.hurry()

        threading.Thread(target=hurry, daemon=True).start()
        try:
            self._first_move()
        finally:
            done.set()

    def _first_move(self) -> None:
        env = GameVectorEnv(self._game, 1)
        env.reset(seed=0)
        begin(self._policy, 0)
        nothing = np.zeros((1, 0), np.int32), np.zeros(1, np.int64)
        ask(self._policy, view(env, np.zeros(1, np.int64), self._policy, *nothing))

    def _wanted(self, seen: Batch) -> Batch:
        """Without what this policy does not ask for."""
        unwanted = {"state": not self._policy.needs_state, "moves": not self._policy.needs_moves}
        return Batch({name: array for name, array in seen.items() if not unwanted.get(name, False)})


def _told(answer: Answer) -> Batch:
    """What an answer tells besides the action, in rows [1, ...] of small types."""
    told = Batch()
    for name, dtype in (("probs", np.float32), ("visits", np.int32), ("value", np.float32), ("pv", np.int32)):
        if (one := getattr(answer, name)) is not None:
            told[name] = np.asarray(one, dtype)[None]
    return told


def main() -> None:
    """Answer until there are no more requests."""
    end_with_parent()
    adopt_orphans()
    requests, answers = _channel()
    first = json.loads(requests.readline())
    try:
        inside = Inside(first)
    except (UsageError, OSError) as error:
        _say(answers, first["id"], {"refused": str(error).splitlines()[0]})
        return
    _say(answers, first["id"], {})
    with torch_threads(1):
        for request in _orderly(requests, inside):
            _say(answers, request["id"], inside.answer(request))


def _orderly(requests: BinaryIO, inside: Inside) -> Iterator[dict[str, Any]]:
    """Requests one after the other, but for those to hurry, which are heard while another is at work."""
    waiting: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def listen() -> None:
        for line in requests:
            request = json.loads(line)
            if "hurry" in request:
                inside.hurry()
            else:
                waiting.put(request)
        waiting.put(None)

    threading.Thread(target=listen, daemon=True).start()
    while (request := waiting.get()) is not None:
        yield request


def _channel() -> tuple[BinaryIO, BinaryIO]:
    """Files for requests and answers, out of reach for what the agent reads and prints, and for those it forks."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)

    def cut() -> None:
        end_with_parent()
        for file in (requests, answers):
            os.dup2(nothing, file.fileno())

    os.register_at_fork(after_in_child=cut)
    return requests, answers


def _say(answers: BinaryIO, number: int, answer: dict[str, Any]) -> None:
    answers.write(json.dumps({"id": number} | answer).encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
