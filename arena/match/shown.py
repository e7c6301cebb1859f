"""Steps of a match as they were shown, in text: kept of games that a seed and actions do not repeat.

Packed it is compressed JSON: `boards`, `seats` and `moves` of `ShownSteps`. Of a match that shows more than
`MOST_CHARACTERS` only the beginning is kept; later boards and moves are then empty texts.
"""

import json
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.env.games import VectorGames
from games.engine.actions import Action
from games.engine.text import message, printable, printable_lines

MOST_CHARACTERS = 500_000
"""Most characters kept of the boards and moves of a match."""
MOST_UNPACKED = 2**24
"""Most bytes that packed ones may stand for."""
NOT_KEPT = "This position was not kept: the match showed more text than is stored of one."


@dataclass(frozen=True, slots=True)
class ShownSteps:
    """A match of T actions, step by step, in texts of printable lines."""

    boards: tuple[str, ...]
    """The whole board before each action, and at the end, [T + 1]; "" where it was not kept."""
    seats: tuple[int, ...]
    """The seat to move on each board, [T + 1]; at the end the one that moved last."""
    moves: tuple[str, ...]
    """The actions by their names, [T]; "" where they were not kept."""

    def board(self, number: int) -> str:
        """Return the board after so many actions, or that it was not kept."""
        return self.boards[number] or NOT_KEPT

    def require_fit(self, length: int, num_players: int) -> "ShownSteps":
        """Return the same; `UsageError` unless they are of a match of so many actions and seats."""
        sizes = len(self.boards), len(self.seats), len(self.moves)
        if sizes != (length + 1, length + 1, length) or not all(0 <= seat < num_players for seat in self.seats):
            raise UsageError(f"what it showed is not that of a match of {length} moves and {num_players} seats")
        return self


def pack(steps: ShownSteps) -> bytes:
    """Return the bytes of what was shown."""
    content = {"boards": steps.boards, "seats": steps.seats, "moves": steps.moves}
    return zlib.compress(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())


def unpack(packed: bytes) -> ShownSteps:
    """Return what was shown from its bytes, escaped; `UsageError` for bytes that `pack` cannot produce."""
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(packed, MOST_UNPACKED)
        content = json.loads(text.decode()) if unpacker.eof else None
    except (zlib.error, ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.keys() != {"boards", "seats", "moves"}:
        raise UsageError("what it showed cannot be read")
    return ShownSteps(_texts(content["boards"]), _seats(content["seats"]), _texts(content["moves"]))


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UsageError("what it showed cannot be read: its boards and moves are not all texts")
    return tuple(map(printable_lines, values))


def _seats(values: Any) -> tuple[int, ...]:
    if not isinstance(values, list) or not all(type(value) is int for value in values):
        raise UsageError("what it showed cannot be read: its seats are not all numbers")
    return tuple(values)


class Witness:
    """Notes what the games of a vector environment show, from their beginning on."""

    def __init__(self, env: VectorGames):
        size = len(env)
        self._env = env
        self._boards: list[list[str]] = [[] for _ in range(size)]
        self._seats: list[list[int]] = [[] for _ in range(size)]
        self._moves: list[list[str]] = [[] for _ in range(size)]
        self._left = [MOST_CHARACTERS] * size
        self.last_move = ""
        """Name of the action that was noted last."""
        self.look(np.arange(size))

    def look(self, rows: NDArray[np.int64]) -> None:
        """Note the boards of the games `rows` [R]."""
        states = self._env.states
        for row in rows.tolist():
            try:
                board = self._env.picture(row, states[row]).text()
            except UsageError as error:  # a match does not end because its board cannot be drawn
                board = f"The board could not be drawn: {message(error)}"
            self._boards[row].append(self._kept(row, printable_lines(board)))
            self._seats[row].append(int(self._env.seats[row]))

    def name(self, rows: NDArray[np.int64], actions: list[Action]) -> None:
        """Note the actions that are to be played in the games `rows` [R]."""
        states = self._env.states
        for row, action in zip(rows.tolist(), actions, strict=True):
            self.last_move = printable(self._env.action_text(row, states[row], action))
            self._moves[row].append(self._kept(row, self.last_move))

    def _kept(self, row: int, text: str) -> str:
        """Return a text, or "" once the match has shown too much."""
        self._left[row] -= len(text)
        return text if self._left[row] >= 0 else ""

    def packed(self, row: int, length: int) -> bytes:
        """Return what a game showed until so many actions had been played."""
        boards, seats, moves = self._boards[row], self._seats[row], self._moves[row]
        return pack(ShownSteps(tuple(boards[: length + 1]), tuple(seats[: length + 1]), tuple(moves[:length])))


def witness_of(env: VectorGames) -> Witness | None:
    """Return a witness of games that have just begun; None where they can be played again instead."""
    return None if env.game.repeatable else Witness(env)
