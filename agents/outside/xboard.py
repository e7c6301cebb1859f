"""`xboard:COMMAND`: a chess engine that speaks the Chess Engine Communication Protocol, version 2.

The protocol is that of XBoard (gnu.org/software/xboard/engine-intf.html); Fairy-Max and Phalanx speak no other. Games
are told from their first position, since engines need not know `setboard`. Under a clock the engine is told it;
without, it has a second for each move. It may resign, which ends a match. The score of its last line of thinking is the
`value` of its answer, and the moves in that are the line of play that it expects.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from agents.outside.line import ReplayedGame
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
from arena.base.extras import install_command
from arena.policy.centipawns import expected_return
from arena.policy.clock import ClockReading
from arena.policy.protocol import RESIGN
from games.engine.game import Game

FEATURES_S = 2.0
"""Seconds that the protocol gives an engine to name its features."""
USUAL_S = 1.0
"""Seconds for a move without a clock."""
RESULTS = ("1-0", "0-1", "1/2-1/2")
REFUSALS = ("Illegal move", "Error")
THINKING = re.compile(r"0*[1-9]\d*[^\w\s]?\s+(-?\d{1,9})\s+\d+\s+\d+(?:\s+(.*)|$)")
"""A line of thinking: depth, score in centipawns for the engine, hundredths of a second, nodes, and a line of play.

Books have depth 0.
"""
MOVE = re.compile(r"(?:move|My move is ?:)\s+(.+)")
"""The engine's move; GNU Chess says it as the first version of the protocol did."""
NO_MOVE = re.compile(r"\d+\.*|\.+")
"""The number of a move, or what stands for White's."""
DASH = re.compile(r"(?<=[a-h][1-8])-")
"""Between two squares, as in e2-e4."""
FEATURE = re.compile(r'([a-z]+)=(?:"[^"]*"|(\S+))')


class XboardAnswer(NamedTuple):
    """Answer of an engine: its move, and what it expects of it."""

    move: str | None
    """None if it resigns."""
    value: float | None
    """Its expected return; None if it states no score."""
    line: Sequence[str]
    """The moves that it expects, its own first; empty if it names none."""


class XboardPolicy(OutsidePolicy):
    """Plays the moves of an engine. An engine that fails is restarted at the next move."""

    def __init__(self, game: Game, command: list[str]):
        super().__init__(game, "xboard")
        if game.name != "chess":
            raise UsageError(f"xboard: engines play chess, not {game.name}")
        self._command = resolve_command("xboard", command)
        try:
            import chess  # noqa: F401  # asked for here, in words
        except ImportError:
            raise UsageError(f"xboard: engines need python-chess: {install_command('chess')}") from None
        self._program: Program | None = None
        self._features: dict[str, str] = {}
        self._fen = ""  # position that the game on the engine's board began with; empty for the usual one
        self._played: list[str] = []  # moves on it since, in the game's notation
        try:
            self._start()
        except ProgramError as error:
            raise UsageError(f"xboard: {error}") from None

    def answer(self, turn: Turn) -> Reply:
        """Tell the engine what was played and its clock, and return its move."""
        program = self._program or self._start()
        if turn.replay is None:
            raise ProgramError("xboard: a position whose moves are unknown cannot be set up")
        try:
            self._set_up(program, turn.replay, turn.is_new)
            self._tell_clock(program, turn.clock, turn.seat)
            program.send_line("go")
            answer, value, line = self._move(program, turn.limit_s(ANSWER_LIMIT_S))
            if answer is None:
                return Reply(RESIGN, value=value)
            program.send_line("force")
            action = self._game.parse_action(turn.state, answer)
        except UsageError as error:
            self.close()
            raise ProgramError(f"{program.name} answered go: {error}") from None
        except ProgramError:
            self.close()
            raise
        self._played.append(self._game.action_text(turn.state, action))
        return Reply(action, value=value, line=turn.read_line(line, action))

    def close(self) -> None:
        """End the engine."""
        if self._program is not None:
            self._program.close(farewell="quit")
        self._program = None

    def _start(self) -> Program:
        """Start the engine and hear its features."""
        program = Program(self._command)
        try:
            program.send_line("xboard")
            program.send_line("protover 2")
            self._features = self._hear_features(program)
            self._begin(program)
        except ProgramError:
            program.close()
            raise
        self._program = program
        return program

    def _hear_features(self, program: Program) -> dict[str, str]:
        """Return the features that the engine names, until it is done or says no more."""
        features: dict[str, str] = {}
        seconds = START_LIMIT_S
        while features.get("done") != "1":
            try:
                line = program.read_line(seconds).strip()
            except SilentError:
                if features.get("done") == "0":  # it asked for more time
                    raise
                return features
            if line.startswith("feature "):
                features |= {name: value for name, value in FEATURE.findall(line)}
            seconds = START_LIMIT_S if features.get("done") == "0" else FEATURES_S
        return features

    def _begin(self, program: Program, fen: str = "") -> None:
        """Begin a game, and skip what the engine still says of the one before, as who has won.

        `fen` is the position that it begins with; empty for the usual one. `ProgramError` if the engine takes no other.
        """
        if fen and self._features.get("setboard") != "1":
            raise ProgramError(f"{program.name} has no feature setboard: it begins with the usual position alone")
        for line in ("new", "easy", "post", "force"):  # easy: it does not think while others do
            program.send_line(line)
        if fen:
            program.send_line(f"setboard {fen}")
        if self._features.get("ping") == "1":
            program.send_line("ping 1")
            while program.read_line(START_LIMIT_S).strip() != "pong 1":
                pass
        self._fen, self._played = fen, []

    def _set_up(self, program: Program, replay: ReplayedGame, is_new: bool) -> None:
        """Play what is missing on the engine's board; a new game from the start, where it is not that of before."""
        moves, fen = replay.texts, replay.start_text or ""
        if is_new or fen != self._fen or moves[: len(self._played)] != self._played:
            self._begin(program, fen)
        usermove = "usermove " if self._features.get("usermove") == "1" else ""
        for text, move in list(zip(moves, by_squares(moves, fen), strict=True))[len(self._played) :]:
            program.send_line(f"{usermove}{move}")
            self._played.append(text)

    def _tell_clock(self, program: Program, clock: ClockReading | None, seat: int) -> None:
        """Send the time control and both clocks, in hundredths of a second."""
        clock = clock or ClockReading(USUAL_S)
        if clock.game_seconds_left is not None:
            left_s = clock.game_seconds_left
            minutes, seconds = divmod(max(int(left_s), 1), 60)
            program.send_line(f"level {clock.moves_to_go or 0} {minutes}:{seconds:02d} {clock.increment_s:g}")
            others_s = clock.all_seconds_left[1 - seat] if clock.all_seconds_left else left_s
            program.send_line(f"time {max(int(100 * left_s), 1)}")
            program.send_line(f"otim {max(int(100 * others_s), 1)}")
        elif clock.seconds_left is not None:
            program.send_line(f"st {max(int(clock.seconds_left), 1)}")

    def _move(self, program: Program, seconds: float) -> XboardAnswer:
        """Return the engine's move, and what its last line of thinking says."""
        value, moves = None, list[str]()
        while True:
            line = program.read_line(seconds).strip()
            if thinking := THINKING.match(line):
                value, moves = expected_return(int(thinking[1])), moves_in(thinking[2] or "")
            if named := MOVE.fullmatch(line):
                return XboardAnswer(named[1], value, moves)
            if line == "resign" or (line.startswith(RESULTS) and "resign" in line):
                return XboardAnswer(None, value, ())
            if line.startswith((*REFUSALS, *RESULTS)):
                raise ProgramError(f"{program.name} answered {line[:100]!r} to go")


def moves_in(text: str) -> list[str]:
    """Return the moves of a line of play, which engines write as they like: `1. e2-e4 e5 2. Ng1f3`."""
    return [DASH.sub("", word) for word in text.split() if not NO_MOVE.fullmatch(word)]


def by_squares(moves: Sequence[str], fen: str) -> list[str]:
    """Return moves in algebraic notation by their squares, from a position or, if it is empty, the usual one."""
    import chess

    board, squares = chess.Board(fen or chess.STARTING_FEN), list[str]()
    for move in moves:
        squares.append(board.push_san(move).uci())
    return squares


def make(game: Game, argument: str) -> XboardPolicy:
    """Start an engine; the argument is its command line, split as a shell would, without running one."""
    return XboardPolicy(game, split_command("xboard", argument))
