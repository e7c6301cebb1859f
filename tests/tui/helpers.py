"""Helpers for pilot tests: reading the screen, pointing at cells, waiting for agents."""

import time
from collections.abc import Callable
from typing import NoReturn

from textual.pilot import Pilot
from textual.widgets import Static

from arena.base.errors import UsageError
from arena.tui.app import ArenaApp
from arena.tui.drawing.board import cell_at
from arena.tui.state.intents import Intent
from arena.tui.widgets.board import Board


class NotToday:
    """An opener of screens that opens none; it keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[Intent] = []

    def __call__(self, intent: Intent) -> NoReturn:
        self.asked.append(intent)
        raise UsageError(f"not today: arena {' '.join(intent.words)}")


def screen_text(app: ArenaApp) -> str:
    """The screen as lines of text, as a terminal shows it."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def last_line(app: ArenaApp) -> str:
    """The keys at the bottom, which are laid out last."""
    return screen_text(app).splitlines()[-1]


def notice(app: ArenaApp) -> str:
    """The line of news."""
    return str(app.screen.query_one("#notice", Static).content)


async def until(pilot: Pilot[None], condition: Callable[[], object], seconds: float = 120) -> None:
    """Let the application go on until the condition holds; fails if it does not within so many seconds."""
    deadline, pause = time.monotonic() + seconds, 0.01
    while not condition():
        assert time.monotonic() < deadline, f"it did not come to pass:\n{screen_text(pilot.app)}"
        await pilot.pause(pause)
        pause = min(pause * 1.5, 0.1)  # to look costs the processor as much as what is waited for
    await pilot.pause()


async def shows(pilot: Pilot[None], *parts: str) -> None:
    """Let the application draw until the screen has all of these; what is laid out late may come."""
    await until(pilot, lambda: all(part in screen_text(pilot.app) for part in parts))


async def my_turn(pilot: Pilot[None], played: int = 0) -> None:
    """Wait for the turn of a person at the keyboard, once so many moves have been played or more."""
    screen = pilot.app.screen
    await until(pilot, lambda: screen.sitting.my_turn and len(screen.match.positions) > played)


async def type_move(pilot: Pilot[None], text: str) -> None:
    """Type a move, and enter."""
    await pilot.press(*text, "enter")


async def move_and_let_think(pilot: Pilot[None], text: str) -> None:
    """Type a move on one's turn, and wait until the agent has begun to think about its own."""
    await my_turn(pilot)
    await type_move(pilot, text)
    await until(pilot, lambda: pilot.app.screen.jobs.current == "advance")


async def step(pilot: Pilot[None], count: int) -> None:
    """Step so many moves further while agents are watched, and let the last of them think."""
    screen = pilot.app.screen
    for _ in range(count):
        known = len(screen.match.positions)
        await pilot.press("right")
        await until(pilot, lambda known=known: len(screen.match.positions) > known)
    await until(pilot, lambda: screen.jobs.current is None)


async def click_cell(pilot: Pilot[None], row: int, column: int) -> None:
    """Click in the middle of a cell of the board."""
    board = pilot.app.screen.query_one(Board)
    picture = board.view.picture
    inside = [
        (x, y)
        for y in range(board.size.height)
        for x in range(board.size.width)
        if cell_at(picture, board.scale, x, y, board.flipped) == (row, column)
    ]
    await pilot.click(Board, offset=inside[len(inside) // 2])
