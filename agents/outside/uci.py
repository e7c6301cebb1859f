"""`uci:COMMAND[,NAME=VALUE...]`: a chess engine that speaks the Universal Chess Interface, by python-chess.

`nodes`, `depth` and `movetime` (milliseconds) limit its search; all other names are the engine's own options:
`uci:stockfish,nodes=1000,Skill Level=3`. Under a clock the engine is told it, and manages its own time.
"""

from contextlib import closing
from typing import TYPE_CHECKING

from agents.outside.policy import OutsidePolicy, Reply, Turn
from agents.outside.program import ANSWER_LIMIT_S, ProgramError, resolve_command, split_command
from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.policy.parameters import Parameter
from games.engine.game import Game

if TYPE_CHECKING:
    from agents.outside.uci_engine import UciEngine

LIMITS = ("nodes", "depth", "movetime")
DEFAULT_LIMIT = {"nodes": 10_000}
"""Limit in positions without a clock, with which one thread plays deterministically."""


class UciPolicy(OutsidePolicy):
    """Plays the moves of a chess engine, with its evaluation as `value` and the line that it expects as `pv`.

    A failed engine restarts at the next move.
    """

    obeys = frozenset({"nodes", "depth"})

    def __init__(self, game: Game, command: list[str], limits: dict[str, int], options: dict[str, str]):
        super().__init__(game, "uci")
        if game.name != "chess":
            raise UsageError(f"uci: engines play chess, not {game.name}")
        self._command = resolve_command("uci", command)
        try:
            import chess.engine  # noqa: F401  # asked for here, in words
        except ImportError:
            raise UsageError(f"uci: engines need python-chess: {install_command('chess')}") from None
        self._limits, self._options = limits, options
        self._engine: UciEngine | None = None
        try:
            self._start()
        except ProgramError as error:
            raise UsageError(f"uci: {error}") from None

    def answer(self, turn: Turn) -> Reply:
        """Ask the engine, with the game from the position that it began with if the moves are known."""
        from agents.outside.uci_engine import limit_of

        assert self._game.position_text is not None
        engine = self._engine or self._start()
        begin = turn.state if turn.replay is None else turn.replay.start
        moves = [] if turn.replay is None else turn.replay.texts
        own = self._limits or ({} if turn.clock else DEFAULT_LIMIT)
        limit = limit_of(own, turn.clock, turn.seat)
        try:
            line, value = engine.play(
                self._game.position_text(begin), moves, turn.game_id, limit, turn.limit_s(ANSWER_LIMIT_S)
            )
        except ProgramError:
            self.close()
            raise
        action = self._game.parse_action(turn.state, line[0])
        return Reply(action, value=value, line=turn.read_line(line, action))

    def parameters(self) -> tuple[Parameter, ...]:
        """Return the options of the engine that are numbers, with the values that the engine has by default."""
        return (self._engine or self._start()).numbers()

    def close(self) -> None:
        """End the engine."""
        if self._engine is not None:
            self._engine.close()
        self._engine = None

    def _start(self) -> "UciEngine":
        from agents.outside.uci_engine import UciEngine

        self._engine = UciEngine(self._command, self._options)
        return self._engine


def parameters(game: Game, argument: str) -> tuple[Parameter, ...]:
    """Return the options of an engine that are numbers; it is started for this, and ended."""
    with closing(make(game, argument)) as policy:
        return policy.parameters()


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
    return UciPolicy(game, split_command("uci", argument, line), limits, options)
