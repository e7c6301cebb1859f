"""`uci:COMMAND[,NAME=VALUE...]`: a chess engine that speaks the Universal Chess Interface, through python-chess.

`nodes`, `depth` and `movetime` (milliseconds) say how long it thinks; all other names are the engine's own options:
`uci:stockfish,nodes=1000,Skill Level=3`.
"""

import shlex
from typing import TYPE_CHECKING

from agents.outside.policy import OutsidePolicy, Reply, Turn
from agents.outside.program import ProgramError, found_program
from arena.errors import UsageError
from arena.policy.kinds import AgentKind
from games.engine.game import Game

if TYPE_CHECKING:
    from agents.outside.uci_engine import Engine

LIMITS = ("nodes", "depth", "movetime")
DEFAULT_LIMIT = {"nodes": 10_000}
"""Counted in positions, so that one thread plays the same game every time."""


class UciPolicy(OutsidePolicy):
    """Lets a chess engine decide, with its evaluation as `value`. One that fails is started again when next asked."""

    def __init__(self, game: Game, command: list[str], limits: dict[str, int], options: dict[str, str]):
        super().__init__(game, "uci")
        if game.name != "chess":
            raise UsageError(f"uci: engines play chess, not {game.name}")
        self._command = found_program("uci", command)
        try:
            import chess.engine  # noqa: F401  # asked for here, in words
        except ImportError:
            raise UsageError("uci: engines need python-chess: pip install 'arena-marl[chess]'") from None
        self._limits, self._options = limits, options
        self._engine: Engine | None = None
        try:
            self._start()
        except ProgramError as error:
            raise UsageError(f"uci: {error}") from None

    def answer(self, turn: Turn) -> Reply:
        """Ask the engine, which is told the game from its start where the moves are known."""
        assert self._game.position_text is not None
        engine = self._engine or self._start()
        begin = turn.state if turn.line is None else self._game.initial
        moves = [] if turn.line is None else turn.line.texts
        try:
            move, value = engine.play(self._game.position_text(begin), moves, turn.game_id)
        except ProgramError:
            self.close()
            raise
        return Reply(self._game.parse_action(turn.state, move), value=value)

    def close(self) -> None:
        """End the engine."""
        if self._engine is not None:
            self._engine.close()
        self._engine = None

    def _start(self) -> "Engine":
        from agents.outside.uci_engine import Engine

        self._engine = Engine(self._command, self._limits, self._options)
        return self._engine


def make(game: Game, argument: str) -> UciPolicy:
    """Start an engine; the argument is its command line and, after commas, limits and options."""
    line, *settings = argument.split(",")
    limits: dict[str, int] = {}
    options: dict[str, str] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            raise UsageError(
                f"uci:{argument}: {setting!r} is not of the form NAME=VALUE, as in uci:stockfish,nodes=1000"
            )
        if name not in LIMITS:
            options[name] = value
        elif value.isascii() and value.isdecimal() and int(value) > 0:
            limits[name] = int(value)
        else:
            raise UsageError(f"uci:{argument}: {name}={value} is not a whole number of at least 1")
    try:
        command = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"uci:{argument}: {error}") from None
    return UciPolicy(game, command, limits or DEFAULT_LIMIT, options)


AGENT = AgentKind(summary="a chess engine, as uci:stockfish,nodes=1000", make=make, argument="COMMAND[,NAME=VALUE...]")
