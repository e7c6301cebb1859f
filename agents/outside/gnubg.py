"""`gnubg[:COMMAND][,plies=N]`: GNU Backgammon, by its command line and the socket of its external players.

The program listens on a socket (`external`) for lines `board:...` of FIBS with a roll, and answers with the whole move.
It plays to win one game, without gammons and the cube, where those do not count (`scoring=winloss`), and for points in
`scoring=full`. `plies` is the depth of its evaluation, 0 by default.
"""

import socket
import time
from pathlib import Path

from agents.outside.policy import OutsidePolicy, Reply, Turn
from agents.outside.program import (
    ANSWER_LIMIT_S,
    START_LIMIT_S,
    Program,
    ProgramError,
    SilentError,
    resolve_command,
    split_command,
)
from arena.base.errors import UsageError
from arena.base.scratch import ScratchFolder
from games.engine.game import Game, State

OFF, BAR = 0, 25
MOST_PLIES = 4
LONGEST_ANSWER = 1000
SETTINGS = (
    "set evaluation chequerplay evaluation plies {plies}",
    "set evaluation chequerplay evaluation cubeful off",
    "external {socket}",
)
"""What it is told at its command line."""
Move = tuple[int, int]
"""Points from and to which a checker goes, as the player to move counts them."""


class GnubgPolicy(OutsidePolicy):
    """Plays the moves of GNU Backgammon. A program that fails is restarted at the next roll."""

    def __init__(self, game: Game, command: list[str], plies: int):
        super().__init__(game, "gnubg")
        if game.name != "backgammon":
            raise UsageError(f"gnubg plays backgammon, not {game.name}")
        self._command = [*resolve_command("gnubg", command), "--tty", "--quiet", "--no-rc"]
        self._plies = plies
        self._connection: _Connection | None = None
        self._rest: dict[int, list[Move]] = {}  # by game, what is still to be moved of a roll
        try:
            self._start()
        except ProgramError as error:
            raise UsageError(f"gnubg: {error}") from None

    def answer(self, turn: Turn) -> Reply:
        """Return the next checker to move, of the whole move that the program names for a roll."""
        if _is_whole_roll(turn.state):
            self._rest[turn.game_id] = self._moves_for(turn)
        rest = self._rest.get(turn.game_id, [])
        for move in rest:
            for action in _actions(move):
                if action in turn.legal:
                    rest.remove(move)
                    if not rest:
                        del self._rest[turn.game_id]
                    return Reply(action)
        raise ProgramError(f"gnubg has named no legal move for the rest of this roll ({_text(rest)})")

    def _moves_for(self, turn: Turn) -> list[Move]:
        assert self._game.position_text is not None
        connection = self._connection or self._start()
        try:
            return _moves(connection.ask(self._game.position_text(turn.state), turn.limit_s(ANSWER_LIMIT_S)))
        except ProgramError:
            self.close()
            raise

    def reset(self, seed: int | None = None) -> None:
        """Set the seed of later games, if one is given; the program itself plays without chance."""
        super().reset(seed)
        self._rest.clear()

    def close(self) -> None:
        """End the program."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _start(self) -> "_Connection":
        self._connection = _Connection(self._command, self._plies)
        return self._connection


class _Connection:
    """A running program and the socket to it."""

    def __init__(self, command: list[str], plies: int):
        self._folder = ScratchFolder("gnubg")
        path = self._folder.path / "socket"
        self._program = Program(command)
        self._socket = socket.socket(socket.AF_UNIX)
        self._received = b""
        try:
            for line in SETTINGS:
                self._program.send_line(line.format(plies=plies, socket=path), START_LIMIT_S)
            self._connect(path)
        except ProgramError:
            self.close()
            raise

    def _connect(self, path: Path) -> None:
        deadline = time.monotonic() + START_LIMIT_S
        while True:
            try:
                self._socket.connect(str(path))
            except OSError:
                if self._program.has_ended() or time.monotonic() > deadline:
                    raise self._program.ended() from None
                time.sleep(0.02)
            else:
                return

    def ask(self, line: str, seconds: float) -> str:
        """Send a line and return the answer; `ProgramError` if there is none in time."""
        self._socket.settimeout(seconds)
        try:
            self._socket.sendall(f"{line}\n".encode())
            while b"\n" not in self._received and len(self._received) < LONGEST_ANSWER:
                if not (arrived := self._socket.recv(4096)):
                    raise self._program.ended()
                self._received += arrived
        except TimeoutError:
            raise SilentError(f"{self._program.name} named no move for {seconds:g} s") from None
        except OSError:
            raise self._program.ended() from None
        answer, _, self._received = self._received.partition(b"\n")
        return answer.decode(errors="replace")

    def close(self) -> None:
        self._socket.close()
        self._program.close()
        self._folder.close()


def _is_whole_roll(state: State) -> bool:
    high, low = state["uses"].tolist()
    return (high, low) in ((4, 0), (1, 1))


def _moves(answer: str) -> list[Move]:
    """Return the moves of an answer such as `25/20* 13/7 6/0`; `ProgramError` for another."""
    words = [word.removesuffix("*").split("/") for word in answer.lower().split()]
    known = {"bar": BAR, "off": OFF, **{str(point): point for point in range(OFF, BAR + 1)}}
    if not all(len(word) == 2 and set(word) <= known.keys() for word in words):
        raise ProgramError(f"gnubg answered {answer[:100]!r}, which is no move")
    return [(known[start], known[end]) for start, end in words]


def _actions(move: Move) -> list[int]:
    """Return the actions by which a checker makes a move, that of the lowest number first."""
    start, end = move
    return [(start - 1) * 6 + die - 1 for die in range(1, 7) if max(start - die, OFF) == end]


def _text(moves: list[Move]) -> str:
    return " ".join(f"{start}/{end}" for start, end in moves) or "none"


def make(game: Game, argument: str) -> GnubgPolicy:
    """Start the program; the argument is its command line, `gnubg` by default, and after a comma `plies=N`."""
    line, *settings = argument.split(",")
    if line.startswith("plies="):
        line, settings = "", [line, *settings]
    plies = 0
    for setting in settings:
        name, _, value = setting.partition("=")
        if name != "plies" or value not in map(str, range(MOST_PLIES + 1)):
            raise UsageError(f"gnubg:{argument}: {setting!r} is not plies=N, N from 0 to {MOST_PLIES}")
        plies = int(value)
    return GnubgPolicy(game, split_command("gnubg", argument, line) or ["gnubg"], plies)
