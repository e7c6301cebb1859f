"""Watch many games of a series at once."""

import asyncio
import math
import time
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content

from arena.base.counting import counted
from arena.base.seeding import spawn_seeds
from arena.match.limits import Limits
from arena.match.starts import Opening, parted
from arena.policy.protocol import Policy
from arena.tui.drawing.board import BoardView
from arena.tui.parts.hands import Hands
from arena.tui.screens.base import ArenaScreen
from arena.tui.screens.keys import CARDS_KEY, MATCH_KEYS, PAUSE_KEY, SAVE_KEY, SPEED_KEYS
from arena.tui.services.background import BackgroundThread
from arena.tui.state.live_match import LiveMatch, Position, first_position
from arena.tui.state.pace import bounded
from arena.tui.state.series import Series
from arena.tui.state.words import result, standings
from arena.tui.widgets.tile import Tile
from games.engine.game import Game

MIN_REST_S = 1.0
"""Minimum time that a finished game stays on its board."""


class BoardsScreen(ArenaScreen, inherit_bindings=False):
    """A series between agents (name, policy), several games at a time; every board has its own agents and thread.

    Games, seeds, openings and seats are the same as in `WatchScreen`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        PAUSE_KEY,
        *SPEED_KEYS,
        CARDS_KEY,
        SAVE_KEY,
        *MATCH_KEYS,
    ]

    def __init__(
        self,
        game: Game,
        boards: Sequence[Sequence[tuple[str, Policy]]],
        games: int = 10,
        seed: int = 0,
        speed: float = 1.0,
        openings: Sequence[Opening] = ((),),
        limits: Limits | None = None,
    ):
        super().__init__("watch", game.name)
        self.game = game
        self.series = Series([name for name, _ in boards[0]])
        self.hands = Hands()
        self.speed = bounded(speed)
        self.finished = 0
        """Number of games that have ended."""
        self._boards, self._games, self._seed, self._openings = boards, games, seed, openings
        self._limits = limits
        self._tiles = [Tile() for _ in boards]
        self._threads = [BackgroundThread() for _ in boards]
        self._started = 0
        self._goes_on = asyncio.Event()
        self._goes_on.set()
        self._positions: list[Position] = [first_position(game)] * len(boards)

    def compose_body(self) -> ComposeResult:
        """Yield the boards in an almost square grid."""
        with Container(id="boards") as grid:
            grid.styles.grid_size_columns = math.ceil(math.sqrt(len(self._boards)))
            grid.styles.grid_size_rows = math.ceil(len(self._boards) / grid.styles.grid_size_columns)
            yield from self._tiles

    def on_mount(self) -> None:
        """Start as many games as there are boards."""
        self._show_score()
        for board in range(len(self._boards)):
            self.run_worker(self._play(board), group="boards")

    def on_unmount(self) -> None:
        """Release the threads."""
        for thread in self._threads:
            thread.close()

    async def _play(self, board: int) -> None:
        """Play games on a board until none is left to start."""
        thread, match = self._threads[board], LiveMatch(self.game)
        while self._started < self._games:
            number, self._started = self._started, self._started + 1
            self.series.game = number
            players = [self._boards[board][contestant] for contestant in self.series.seated()]
            names = [name for name, _ in players]
            seed = spawn_seeds(self._seed, number, count=1)[0]
            opening = self._openings[number // len(players) % len(self._openings)]
            *_, position = await thread.run(partial(match.deal, players, seed, opening, self._limits))
            moves = len(parted(opening)[1])
            title = f"{number + 1}  " + "  ".join(
                f"{position.picture.mark(seat)} {name}" for seat, name in enumerate(names)
            )
            self._show(board, position, title, counted(moves, "move"))
            while position.verdict is None:
                began = time.monotonic()
                _, position = await thread.run(match.advance)
                await asyncio.sleep(1 / self.speed - (time.monotonic() - began))  # the rest of the move's time, if any
                await self._goes_on.wait()
                moves += position.action is not None
                self._show(board, position, title, counted(moves, "move"))
            self._count(number, position)
            sides, competitive = position.picture.sides, self.game.competitive
            self._show(board, position, title, result(position.verdict, names, moves, sides, competitive))
            await asyncio.sleep(max(3 / self.speed, MIN_REST_S))

    def _show(self, board: int, position: Position, title: str, news: str) -> None:
        self._positions[board] = position
        if self.hands.note(position):
            self.refresh_bindings()
        tile = self._tiles[board]
        tile.border_title, tile.border_subtitle = Content(title), Content(news)
        self._draw(board)

    def _draw(self, board: int) -> None:
        position = self._positions[board]
        self._tiles[board].view = BoardView(self.hands.picture_of(position), seat=position.seat)

    def show(self) -> None:
        """Draw all boards."""
        for board in range(len(self._boards)):
            self._draw(board)

    def _count(self, number: int, position: Position) -> None:
        self.series.game = number
        self.series.credit(position.verdict)
        self.finished += 1
        self._show_score()
        if self.finished == self._games:
            self.say(f"the series is over, {standings(self.series.score)}", "result")

    def _show_score(self) -> None:
        paused = "" if self._goes_on.is_set() else "paused"
        score = f"{'  '.join(self.series.names)}  {standings(self.series.score)}"
        self.heading.say(f"{self.finished} of {self._games} games", f"{self.speed:g} x", paused, score)

    def action_pause(self) -> None:
        """Pause or resume all boards."""
        if self._goes_on.is_set():
            self._goes_on.clear()
        else:
            self._goes_on.set()
        self._show_score()

    def action_faster(self) -> None:
        """Double the speed."""
        self.speed = bounded(self.speed * 2)
        self._show_score()

    def action_slower(self) -> None:
        """Halve the speed."""
        self.speed = bounded(self.speed / 2)
        self._show_score()

    def action_rules(self) -> None:
        """Show the rules of the game."""
        self.show_rules(self.game)

    def action_flip(self) -> None:
        """Turn the boards around."""
        for tile in self._tiles:
            tile.board.turn()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key is shown; that for hands only where some are hidden."""
        return action != "open_cards" or self.hands.hidden

    def action_open_cards(self) -> None:
        """Show or hide the hidden hands."""
        self.hands.are_open = not self.hands.are_open
        self.show()
