"""A chess engine run by python-chess; imported only where that is installed."""

import asyncio
import os
from collections import deque
from collections.abc import Mapping, Sequence

import chess
import chess.engine

from agents.outside.background import background_loop, wait_for
from agents.outside.program import EXIT_LIMIT_S, START_LIMIT_S, ProgramError, SilentError
from arena.base.errors import UnknownNameError, UsageError
from arena.policy.centipawns import MATE, expected_return
from arena.policy.clock import ClockReading, least
from arena.policy.parameters import Parameter
from arena.processes.guarded import Guarded
from arena.processes.sandbox import guarded_program


class StderrProtocol(chess.engine.UciProtocol):
    """UCI protocol that keeps the last line of the engine's standard error."""

    def __init__(self) -> None:
        super().__init__()
        self.stderr_lines: deque[str] = deque(maxlen=1)

    def error_line_received(self, line: str) -> None:
        """Keep the line."""
        self.stderr_lines.append(line[:300])


class UciEngine:
    """A running engine; it is killed with this process."""

    def __init__(self, command: Sequence[str], options: Mapping[str, str]):
        self.name = os.path.basename(command[0])
        self._run: Guarded | None = None
        self._protocol: StderrProtocol | None = None
        try:
            wait_for(self._open(command, options))
        except BaseException:
            self.close()
            raise

    async def _open(self, command: Sequence[str], options: Mapping[str, str]) -> None:
        run = self._run = guarded_program(command)
        try:
            _, protocol = await StderrProtocol.popen(run.argv, pass_fds=(run.inherited,), start_new_session=True)
        finally:
            os.close(run.inherited)
        self._protocol = protocol
        try:
            await asyncio.wait_for(protocol.initialize(), START_LIMIT_S)
        except TimeoutError:
            raise ProgramError(f"{self.name} does not answer uci within {START_LIMIT_S:g} s") from None
        except chess.engine.EngineError as error:
            raise self._failure(error) from None
        known = protocol.options
        for name in options:
            if name not in known:
                raise UnknownNameError(f"option of {self.name}", name, known)
        try:
            await protocol.configure(options)
        except chess.engine.EngineError as error:
            raise UsageError(f"uci: {self.name}: {error}") from None

    def numbers(self) -> tuple[Parameter, ...]:
        """Return its options that are whole numbers within bounds (`spin`)."""
        assert self._protocol is not None
        spins = [option for option in self._protocol.options.values() if option.type == "spin"]
        return tuple(
            Parameter(one.name, int(one.default), one.min, one.max, whole=True)
            for one in spins
            if isinstance(one.default, int) and one.min is not None and one.max is not None
        )

    def play(
        self, fen: str, moves: Sequence[str], game_id: int, limit: chess.engine.Limit, seconds: float
    ) -> tuple[list[str], float | None]:
        """Return the line of play that it expects and its expected return, after `moves` (in SAN) from `fen`.

        The line is in UCI notation and begins with its move. `limit` is what it is told with `go`.
        Raises `SilentError` if there is no move within `seconds`.
        """
        assert self._protocol is not None
        board = chess.Board(fen)
        for move in moves:
            board.push_san(move)
        try:
            thinking = self._protocol.play(
                board, limit, game=game_id, info=chess.engine.INFO_SCORE | chess.engine.INFO_PV
            )
            result = wait_for(thinking, seconds)
        except TimeoutError:
            raise SilentError(f"{self.name} named no move for {seconds:g} s") from None
        except chess.engine.EngineError as error:
            raise self._failure(error) from None
        if result.move is None:
            raise ProgramError(f"{self.name} names no move")
        score = result.info.get("score")
        value = None if score is None else expected_return(score.relative.score(mate_score=MATE))
        line = [move.uci() for move in result.info.get("pv", ())]
        move = result.move.uci()
        return line if line[:1] == [move] else [move], value

    def _failure(self, error: chess.engine.EngineError) -> ProgramError:
        lines = () if self._protocol is None else self._protocol.stderr_lines
        note = "".join(f"; it said: {line}" for line in lines)
        fate = None if self._run is None else self._run.fate(0)
        return ProgramError(f"{self.name}: {fate.excess if fate is not None and fate.excess else error}{note}")

    def close(self) -> None:
        """Ask the engine to exit, and kill what is left."""
        if self._run is None:
            return
        run, self._run = self._run, None
        protocol = self._protocol
        if protocol is not None and not protocol.returncode.done():
            farewell = asyncio.run_coroutine_threadsafe(protocol.quit(), background_loop())
            try:
                farewell.result(EXIT_LIMIT_S)
            except (TimeoutError, chess.engine.EngineError):
                farewell.cancel()
        os.close(run.lifeline)


def limit_of(own: Mapping[str, int], clock: ClockReading | None, seat: int) -> chess.engine.Limit:
    """Return the limits of a search: those of the agent's spec (nodes, depth, movetime), and its clock."""
    clock = clock or ClockReading()
    seconds = [own["movetime"] / 1000] if "movetime" in own else []
    if clock.seconds_left is not None and clock.seconds_left != clock.game_seconds_left:
        seconds.append(clock.seconds_left)
    left: list[float | None] = list(clock.all_seconds_left) or [None, None]
    left[seat] = clock.game_seconds_left
    increment_s = None if clock.game_seconds_left is None else clock.increment_s
    return chess.engine.Limit(
        time=min(seconds, default=None),
        depth=least(own.get("depth"), clock.depth),
        nodes=least(own.get("nodes"), clock.nodes),
        white_clock=left[0],
        black_clock=left[1],
        white_inc=increment_s,
        black_inc=increment_s,
        remaining_moves=clock.moves_to_go,
    )
