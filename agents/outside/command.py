"""`cmd:COMMAND`: a program in any language that exchanges one JSON object per line; see `PROTOCOL.md`."""

import json
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.outside.policy import OutsidePolicy, Reply, Turn
from agents.outside.program import ANSWER_LIMIT_S, START_LIMIT_S, Program, ProgramError, resolve_command, split_command
from arena.base.errors import UsageError
from arena.policy.clock import ClockReading
from arena.policy.protocol import RESIGN
from games.engine.game import Game

PROTOCOL = 1
"""Version of the protocol; raised when programs for the previous version might misread messages."""


class CommandPolicy(OutsidePolicy):
    """Plays the moves of a program, which is started at once. A program that fails is restarted at the next move."""

    obeys = frozenset({"nodes", "depth"})  # told, for the program to do

    def __init__(self, game: Game, command: list[str]):
        super().__init__(game, "cmd")
        self._command = resolve_command("cmd", command)
        self._program: Program | None = None
        try:
            self._start()
        except ProgramError as error:
            raise UsageError(f"cmd: {error}") from None

    def answer(self, turn: Turn) -> Reply:
        """Ask the program for a move; on any failure, end it and raise `ProgramError`."""
        program = self._program or self._start()
        try:
            if turn.is_new:
                _send(program, "new_game", game_id=turn.game_id, seat=turn.seat, seed=self.seed_of(turn.game_id))
            texts = [self._game.action_text(turn.state, action) for action in turn.legal]
            _send(program, "move", **self._request(turn), notation=texts)
            reply = _receive(program, turn.limit_s(ANSWER_LIMIT_S))
            return Reply(self._action(program, turn, texts, reply), *self._opinion(program, reply))
        except ProgramError:
            self.close()
            raise

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            self._program.close(farewell=json.dumps({"type": "quit"}))
        self._program = None

    def _start(self) -> Program:
        program, game = Program(self._command), self._game
        try:
            _send(
                program,
                "hello",
                protocol=PROTOCOL,
                game=game.name,
                options=dict(game.options),
                seats=game.num_players,
                actions=game.num_actions,
                observation_shape=list(game.observation_shape),
            )
            reply = _receive(program, START_LIMIT_S)
            if reply.get("type") != "ready":
                why = f": {reply['reason']}" if "reason" in reply else f", but {json.dumps(reply)[:100]}"
                raise ProgramError(f"{program.name} does not answer hello with ready{why}")
        except ProgramError:
            program.close()
            raise
        self._program = program
        return program

    def _request(self, turn: Turn) -> dict[str, Any]:
        game = self._game
        return {
            "game_id": turn.game_id,
            "seat": turn.seat,
            "legal": turn.legal,
            "moves": turn.replay and turn.replay.moves,
            "moves_notation": turn.replay and turn.replay.texts,
            "start": turn.replay and turn.replay.start_text,
            "position": game.position_text(turn.state) if game.position_text else None,
            "board": game.picture(turn.state).text(),
            "observation": (turn.observation * 1).tolist(),  # booleans as 0 and 1
            **asdict(turn.clock or ClockReading()),
        }

    def _action(self, program: Program, turn: Turn, texts: list[str], reply: dict[str, Any]) -> int:
        """Return the action of a reply: a number, a move in the game's notation, or a resignation."""
        if reply.get("resign") is True:
            return RESIGN
        action = reply.get("action")
        if isinstance(action, int) and not isinstance(action, bool) and abs(action) < 2**31:
            return action if action != RESIGN else -1
        if not isinstance(action, str):
            raise ProgramError(f"{program.name} named no action in {json.dumps(reply)[:100]}")
        if action in texts:
            return turn.legal[texts.index(action)]
        try:
            meant: int = self._game.parse_action(turn.state, action)
            return meant
        except UsageError as error:
            raise ProgramError(f"{program.name} answered {action[:100]!r}: {error}") from None

    def _opinion(self, program: Program, reply: dict[str, Any]) -> tuple[NDArray[np.float64] | None, float | None]:
        """Return the reply's `probs` [A] and `value`; None where it has none."""
        probs, value = reply.get("probs"), reply.get("value")
        if value is not None and not _is_number(value):
            raise ProgramError(f"{program.name} answered value {value!r}, which is not a number")
        if probs is None:
            return None, value
        if not isinstance(probs, list) or len(probs) != self._game.num_actions or not all(map(_is_number, probs)):
            raise ProgramError(f"{program.name} answered probs that are not a list of {self._game.num_actions} numbers")
        return np.array(probs, np.float64), value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9


def _send(program: Program, kind: str, **fields: Any) -> None:
    program.send_line(json.dumps({"type": kind, **fields}))


def _receive(program: Program, seconds: float) -> dict[str, Any]:
    """Return the program's next message; raise `ProgramError` unless it is a JSON object."""
    line = program.read_line(seconds)
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict):
        raise ProgramError(f"{program.name} said {line[:100]!r}, which is not a JSON object; remarks belong on stderr")
    return reply


def make(game: Game, argument: str) -> CommandPolicy:
    """Start a program; the argument is its command line, split as a shell would, without running one."""
    return CommandPolicy(game, split_command("cmd", argument))
