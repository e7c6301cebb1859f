"""Watch many games of a series at once."""

import asyncio
import math
import time
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from arena.policy.protocol import Policy
from arena.seeding import spawn_seeds
from arena.tui.counting import counted
from arena.tui.drawing import BoardView
from arena.tui.screens.hands import CARDS_KEY, HandsScreen
from arena.tui.screens.match import MATCH_KEYS
from arena.tui.screens.walk import SPEED, bounded
from arena.tui.series import Series
from arena.tui.table import Position, Table, first_position
from arena.tui.thinker import Thinker
from arena.tui.widgets.tile import Tile
from arena.tui.words import mark, result, standings
from games.engine.game import Game

LEAST_REST_S = 1.0
"""How long an end stays at least."""


class BoardsScreen(HandsScreen, inherit_bindings=False):
    """A series between agents (name, policy), several games at a time: every board has agents and a thread of its own.

    Games, seeds, openings and changes of seats are those of `WatchScreen`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "pause", key_display="␣", tooltip="pause, or go on"),
        Binding("plus,equals_sign", "faster", "faster", key_display="+", group=SPEED, tooltip="faster"),
        Binding("minus", "slower", "slower", key_display="−", group=SPEED, tooltip="slower"),
        CARDS_KEY,
        Binding("s", "save_screen", "save", tooltip="save a picture of the screen (SVG)"),
        *MATCH_KEYS,
    ]

    def __init__(
        self,
        game: Game,
        boards: Sequence[Sequence[tuple[str, Policy]]],
        games: int = 10,
        seed: int = 0,
        speed: float = 1.0,
        openings: Sequence[tuple[int, ...]] = ((),),
    ):
        super().__init__("watch", game.name)
        self.game = game
        self.series = Series([name for name, _ in boards[0]])
        self.speed = bounded(speed)
        self.finished = 0
        """Games that have ended."""
        self._boards, self._games, self._seed, self._openings = boards, games, seed, openings
        self._tiles = [Tile() for _ in boards]
        self._thinkers = [Thinker() for _ in boards]
        self._begun = 0
        self._goes_on = asyncio.Event()
        self._goes_on.set()
        self._positions: list[Position] = [first_position(game)] * len(boards)

    def compose_body(self) -> ComposeResult:
        """The boards, in rows of about as many as there are rows."""
        with Container(id="boards") as grid:
            grid.styles.grid_size_columns = math.ceil(math.sqrt(len(self._boards)))
            grid.styles.grid_size_rows = math.ceil(len(self._boards) / grid.styles.grid_size_columns)
            yield from self._tiles

    def on_mount(self) -> None:
        """Begin as many games as there are boards."""
        self._say_affairs()
        for board in range(len(self._boards)):
            self.run_worker(self._play(board), group="boards")

    def on_unmount(self) -> None:
        """Let go of the threads."""
        for thinker in self._thinkers:
            thinker.close()

    async def _play(self, board: int) -> None:
        """Play games on a board as long as there are some to play."""
        thinker, table = self._thinkers[board], Table(self.game)
        while self._begun < self._games:
            number, self._begun = self._begun, self._begun + 1
            self.series.game = number
            players = [self._boards[board][contestant] for contestant in self.series.seated()]
            names = [name for name, _ in players]
            seed = spawn_seeds(self._seed, number, count=1)[0]
            opening = self._openings[number // len(players) % len(self._openings)]
            *_, position = await thinker.run(partial(table.deal, players, seed, opening))
            moves = len(opening)
            title = f"{number + 1}  " + "  ".join(f"{mark(seat)} {name}" for seat, name in enumerate(names))
            self._show(board, position, title, counted(moves, "move"))
            while position.verdict is None:
                began = time.monotonic()
                _, position = await thinker.run(table.advance)
                await asyncio.sleep(1 / self.speed - (time.monotonic() - began))
                await self._goes_on.wait()
                moves += position.action is not None
                self._show(board, position, title, counted(moves, "move"))
            self._count(number, position)
            self._show(board, position, title, result(position.verdict, names, moves))
            await asyncio.sleep(max(3 / self.speed, LEAST_REST_S))

    def _show(self, board: int, position: Position, title: str, news: str) -> None:
        self._positions[board] = position
        self.note(position)
        tile = self._tiles[board]
        tile.border_title, tile.border_subtitle = title, news
        self._draw(board)

    def _draw(self, board: int) -> None:
        position = self._positions[board]
        self._tiles[board].view = BoardView(self.picture_of(position), seat=position.seat)

    def show(self) -> None:
        """Draw all boards anew."""
        for board in range(len(self._boards)):
            self._draw(board)

    def _count(self, number: int, position: Position) -> None:
        self.series.game = number
        self.series.credit(position.verdict)
        self.finished += 1
        self._say_affairs()
        if self.finished == self._games:
            self.say(f"the series is over, {standings(self.series.score)}", "result")

    def _say_affairs(self) -> None:
        paused = "" if self._goes_on.is_set() else "paused"
        score = f"{'  '.join(self.series.names)}  {standings(self.series.score)}"
        self.heading.say(f"{self.finished} of {self._games} games", f"{self.speed:g} x", paused, score)

    def action_pause(self) -> None:
        """Hold all boards, or go on."""
        if self._goes_on.is_set():
            self._goes_on.clear()
        else:
            self._goes_on.set()
        self._say_affairs()

    def action_faster(self) -> None:
        """Twice the speed."""
        self.speed = bounded(self.speed * 2)
        self._say_affairs()

    def action_slower(self) -> None:
        """Half the speed."""
        self.speed = bounded(self.speed / 2)
        self._say_affairs()

    def action_flip(self) -> None:
        """See the boards from the other side."""
        for tile in self._tiles:
            tile.board.flipped = not tile.board.flipped
