"""`cmd:COMMAND`: a program in any language that speaks a line of JSON per message; `PROTOCOL.md` describes them."""

import json
import shlex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.outside.policy import OutsidePolicy, Reply, Turn
from agents.outside.program import START_LIMIT_S, Program, ProgramError, found_program
from arena.errors import UsageError
from arena.policy.kinds import AgentKind
from arena.policy.protocol import RESIGN
from games.engine.game import Game

PROTOCOL = 1
"""Version of the messages; it grows when a program that knows the last one might misread them."""


class CommandPolicy(OutsidePolicy):
    """Lets a program decide. It runs from the start on; one that fails is started again when it is next asked."""

    def __init__(self, game: Game, command: list[str]):
        super().__init__(game, "cmd")
        self._command = found_program("cmd", command)
        self._program: Program | None = None
        try:
            self._start()
        except ProgramError as error:
            raise UsageError(f"cmd: {error}") from None

    def answer(self, turn: Turn) -> Reply:
        """Ask the program; whatever it does wrong is a `ProgramError`, and its end."""
        program = self._program or self._start()
        try:
            if turn.is_new:
                _say(program, "new_game", game_id=turn.game_id, seat=turn.seat, seed=self.seed_of(turn.game_id))
            texts = [self._game.action_text(turn.state, action) for action in turn.legal]
            _say(program, "move", **self._request(turn), notation=texts)
            reply = _heard(program)
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
            _say(
                program,
                "hello",
                protocol=PROTOCOL,
                game=game.name,
                options=dict(game.options),
                seats=game.num_players,
                actions=game.num_actions,
                observation_shape=list(game.observation_shape),
            )
            reply = _heard(program, START_LIMIT_S)
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
            "moves": turn.line and turn.line.moves,
            "moves_notation": turn.line and turn.line.texts,
            "position": game.position_text(turn.state) if game.position_text else None,
            "board": game.picture(turn.state).text(),
            "observation": (turn.observation * 1).tolist(),  # booleans as 0 and 1
            "seconds_left": turn.seconds_left,
            "game_seconds_left": turn.game_seconds_left,
        }

    def _action(self, program: Program, turn: Turn, texts: list[str], reply: dict[str, Any]) -> int:
        """What the reply says: a number, a text of the game's notation, or that it resigns."""
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
            return self._game.parse_action(turn.state, action)
        except UsageError as error:
            raise ProgramError(f"{program.name} answered {action[:100]!r}: {error}") from None

    def _opinion(self, program: Program, reply: dict[str, Any]) -> tuple[NDArray[np.float64] | None, float | None]:
        """`probs` [A] and `value`, as far as the reply tells them."""
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


def _say(program: Program, kind: str, **fields: Any) -> None:
    program.tell(json.dumps({"type": kind, **fields}))


def _heard(program: Program, seconds: float | None = None) -> dict[str, Any]:
    """The program's next message; `ProgramError` if it is not an object of JSON."""
    line = program.hear(seconds)
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict):
        raise ProgramError(f"{program.name} said {line[:100]!r}, which is not a JSON object; remarks belong on stderr")
    return reply


def make(game: Game, argument: str) -> CommandPolicy:
    """Start a program; the argument is its command line, read as a shell would, without one."""
    try:
        return CommandPolicy(game, shlex.split(argument))
    except ValueError as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"cmd:{argument}: {error}") from None


AGENT = AgentKind(
    summary="any program that speaks lines of JSON (agents/outside/PROTOCOL.md)", make=make, argument="COMMAND"
)
