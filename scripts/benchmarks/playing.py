"""Response time of keys while an agent thinks about its move."""

import asyncio
import statistics
import time
from collections.abc import Iterator

from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.parts.sitting import PlayOptions
from arena.tui.screens.play import PlayScreen
from arena.tui.services.agents import contained_agent
from arena.tui.widgets.board import Board
from benchmarks.measure import NOBODY, Row

AGENT = "mcts:10000000"
KEYS = 100


def rows() -> Iterator[Row]:
    """Measure seconds from a key to the redrawn screen while a search runs on the same machine."""
    waits = asyncio.run(answering())
    for work, wait in (("the median", statistics.median(waits)), ("the longest", max(waits))):
        what = f"play: a key answered while {AGENT} searches, {work} of {KEYS}"
        yield Row("screens", what, wait, None, NOBODY.name, None, "s")


async def answering() -> list[float]:
    """Return the response times of keys that turn the board."""
    game = make_game("connect_four")
    agent = contained_agent(AGENT, game)
    screen = PlayScreen(game, [(AGENT, agent)], PlayOptions(seat=1))
    app, waits = ArenaApp(screen), []
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            while screen.jobs.current != "advance" or screen.jobs.waited_s < 0.5:
                await asyncio.sleep(0.01)
            board = screen.query_one(Board)
            for _ in range(KEYS):
                before, start, drawn = board.flipped, time.perf_counter(), asyncio.Event()
                app.simulate_key("ctrl+f")  # a letter alone is a move
                while board.flipped == before:
                    await asyncio.sleep(0)
                screen.call_after_refresh(drawn.set)
                await drawn.wait()
                waits.append(time.perf_counter() - start)
                await pilot.pause(0.02)
            assert screen.jobs.current == "advance", "the agent has moved meanwhile: let it think for longer"
    finally:
        agent.stop()  # the screen has closed it, or is about to
    return waits
