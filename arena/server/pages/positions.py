"""Stored matches to step through: moves and seats of a match, and its positions, each drawn when it is asked for."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from arena.match.replay import game_labelled, match_after, replay, steps_of
from arena.match.starts import with_start
from arena.match.verdict import MatchRecord
from arena.server.pages.board import svg_of
from games.engine.picture import Picture, mark_of

MOST_WALKS, MOST_POSITIONS = 64, 256
"""What is kept for further visitors: moves of matches, and positions of at most some 60 kB."""
Value = TypeVar("Value")


@dataclass(frozen=True)
class ShownPosition:
    """A position as pages show it."""

    svg: str
    """The board; "" for a game without one."""
    notes: tuple[str, ...]
    """Lines below the board."""


@dataclass(frozen=True)
class Walk:
    """The moves of a match."""

    moves: tuple[str, ...]
    """All moves in the game's notation, the opening included."""
    seats: tuple[int, ...]
    """Seat of each move."""
    marks: tuple[str, ...]
    """Symbol of each seat's pieces."""
    sides: bool
    """True if the seats play white and black."""
    spent_s: tuple[float, ...] | None
    """Seconds that each seat took; None if they were not measured."""


def walk_of(record: MatchRecord) -> Walk:
    """Return the moves of a match; `UsageError` if its record does not replay."""
    replayed = replay(record, game_labelled(record.game))
    marks = tuple(mark_of(seat, replayed.picture.sides) for seat in range(len(record.players)))
    spent = None if record.move_ms is None else replayed.spent_s(record.move_ms)
    return Walk(replayed.moves, replayed.seats[: len(replayed.moves)], marks, bool(replayed.picture.sides), spent)


def position_of(record: MatchRecord, number: int) -> ShownPosition:
    """Return the position after so many moves; `UsageError` if the record does not replay so far."""
    game = with_start(game_labelled(record.game), record.start)
    steps = steps_of(record.shown, game, len(record.actions))
    if steps is not None:
        picture = Picture.of_text(steps.board(number), game.num_actions)
    else:
        match = match_after(game, record.players, record.seed, record.actions[:number])
        picture = match.picture(match.state)
    return ShownPosition(svg_of(picture, f"{game.name}, position after move {number}"), picture.notes)


class Gallery:
    """Walks and positions of the matches that were asked for last."""

    def __init__(self) -> None:
        self._walks = _Kept[Walk](MOST_WALKS)
        self._positions = _Kept[ShownPosition](MOST_POSITIONS)

    def walk(self, record: MatchRecord) -> Walk:
        """Return the moves of a match."""
        return self._walks.get((record, record.move_ms), lambda: walk_of(record))  # times are not compared

    def position(self, record: MatchRecord, number: int) -> ShownPosition:
        """Return a position of a match."""
        return self._positions.get((record, number), lambda: position_of(record, number))


class _Kept(Generic[Value]):
    """The values that were asked for last, made by whoever asks first; threads may make one twice."""

    def __init__(self, most: int):
        self._most = most
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._turn = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key."""
        with self._turn:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._turn:
            self._values[key] = value
            if len(self._values) > self._most:
                self._values.popitem(last=False)
        return value
