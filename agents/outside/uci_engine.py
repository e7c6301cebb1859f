"""A chess engine behind python-chess; only imported where that is installed."""

import asyncio
import os
import threading
from collections import deque
from collections.abc import Coroutine, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import chess
import chess.engine

from agents.outside.program import PARTING_S, START_LIMIT_S, ProgramError, guarded
from arena.errors import UnknownNameError, UsageError

T = TypeVar("T")


class Listening(chess.engine.UciProtocol):
    """Keeps the last line of the engine's standard error."""

    def __init__(self) -> None:
        super().__init__()
        self.complaints: deque[str] = deque(maxlen=1)

    def error_line_received(self, line: str) -> None:
        """Keep it."""
        self.complaints.append(line[:300])


@cache
def background_loop() -> asyncio.AbstractEventLoop:
    """The event loop that speaks with engines, in a thread that does not keep this process from ending."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="chess engines", daemon=True).start()
    return loop


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that runs in the background."""
    return asyncio.run_coroutine_threadsafe(work, background_loop()).result()


class Engine:
    """One running engine; it is killed with this process."""

    def __init__(self, command: Sequence[str], limits: Mapping[str, int], options: Mapping[str, str]):
        self.name = os.path.basename(command[0])
        seconds = limits["movetime"] / 1000 if "movetime" in limits else None
        self._limit = chess.engine.Limit(time=seconds, depth=limits.get("depth"), nodes=limits.get("nodes"))
        self._held = -1
        try:
            wait_for(self._open(command, options))
        except BaseException:
            self.close()
            raise

    async def _open(self, command: Sequence[str], options: Mapping[str, str]) -> None:
        run = guarded(command)
        self._held = run.held
        try:
            _, self._protocol = await Listening.popen(run.argv, pass_fds=(run.inherited,), start_new_session=True)
        finally:
            os.close(run.inherited)
        try:
            await asyncio.wait_for(self._protocol.initialize(), START_LIMIT_S)
        except TimeoutError:
            raise ProgramError(f"{self.name} does not answer uci within {START_LIMIT_S:g} s") from None
        except chess.engine.EngineError as error:
            raise self._failure(error) from None
        known = self._protocol.options
        for name in options:
            if name not in known:
                raise UnknownNameError(f"option of {self.name}", name, known)
        try:
            await self._protocol.configure(options)
        except chess.engine.EngineError as error:
            raise UsageError(f"uci: {self.name}: {error}") from None

    def play(self, fen: str, moves: Sequence[str], game_id: int) -> tuple[str, float | None]:
        """Its move by squares, and the return it expects, after `moves` (in algebraic notation) from a position."""
        board = chess.Board(fen)
        for move in moves:
            board.push_san(move)
        try:
            result = wait_for(self._protocol.play(board, self._limit, game=game_id, info=chess.engine.INFO_SCORE))
        except chess.engine.EngineError as error:
            raise self._failure(error) from None
        if result.move is None:
            raise ProgramError(f"{self.name} names no move")
        score = result.info.get("score")
        value = None if score is None else 2 * score.relative.wdl(ply=board.ply()).expectation() - 1
        return result.move.uci(), value

    def _failure(self, error: chess.engine.EngineError) -> ProgramError:
        said = "".join(f"; it said: {line}" for line in self._protocol.complaints)
        return ProgramError(f"{self.name}: {error}{said}")

    def close(self) -> None:
        """Ask it to leave, and kill what is left."""
        if self._held < 0:
            return
        held, self._held = self._held, -1
        protocol = getattr(self, "_protocol", None)
        if protocol is not None and not protocol.returncode.done():
            farewell = asyncio.run_coroutine_threadsafe(protocol.quit(), background_loop())
            try:
                farewell.result(PARTING_S)
            except (TimeoutError, chess.engine.EngineError):
                farewell.cancel()
        os.close(held)
