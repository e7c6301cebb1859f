"""Watch a game in this terminal and print what that costs.

    watched.py WARM SECONDS KEYS SPEED GAME AGENT AGENT

Starts measuring after WARM positions, for SECONDS; with KEYS 1 it presses a key ten times a second. Agents move SPEED
times a second. Prints "told" and a line of JSON: processor time of the screen's process and moves, a second, and the
median and longest wait for a key.
"""

import asyncio
import contextlib
import json
import statistics
import sys
import time

from arena.policy.registry import make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.watch import WatchScreen
from arena.tui.services.agents import contained_agent
from arena.tui.widgets.board import Board

PAUSE_S = 0.1


async def watch(app: ArenaApp, shown: WatchScreen, warm: int, seconds: float, keys: bool) -> dict[str, float]:
    """Run the application for the time of the measurement."""
    running = asyncio.create_task(app.run_async())
    while shown.jobs.current != "advance" or len(shown.match.positions) < warm:
        await asyncio.sleep(PAUSE_S)
    start, spent, moves = time.perf_counter(), time.process_time(), len(shown.match.positions)
    waits = [0.0]
    while (wall := time.perf_counter() - start) < seconds:
        await asyncio.sleep(PAUSE_S)
        if keys:
            waits.append(await answered(app, shown))
    results = {"share": (time.process_time() - spent) / wall, "moves": (len(shown.match.positions) - moves) / wall}
    app.action_leave(0)
    await running
    return results | {"wait": statistics.median(waits), "worst": max(waits)}


async def answered(app: ArenaApp, shown: WatchScreen) -> float:
    """Return the seconds from a key to the redrawn board that it turned."""
    board = shown.query_one(Board)
    pressed, drawn = time.perf_counter(), asyncio.Event()
    flipped = board.flipped
    app.simulate_key("f")
    while board.flipped == flipped:
        await asyncio.sleep(0)
    shown.call_after_refresh(drawn.set)
    await drawn.wait()
    return time.perf_counter() - pressed


def main(warm: str, seconds: str, keys: str, speed: str, name: str, *specs: str) -> None:
    """Measure a game between agents in processes of their own."""
    game = make_game(name)
    with contextlib.ExitStack() as stack:
        agents = [(spec, stack.enter_context(contextlib.closing(contained_agent(spec, game)))) for spec in specs]
        shown = WatchScreen(game, agents, speed=float(speed))
        result = asyncio.run(watch(ArenaApp(shown), shown, int(warm), float(seconds), keys == "1"))
    print("told", json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
