"""Watches agents in the terminal that it runs in, and tells what that cost: watched.py WARM SECONDS KEYS WORD ...

Begins once so many positions are known, and takes so many seconds; with KEYS 1 it presses one ten times a second. Told
as a line of JSON behind "told": the processor's time of the screen's process and the moves, a second, and the median
and the longest wait for a key.
"""

import asyncio
import json
import statistics
import sys
import time

from arena.cli.reading import read_options
from arena.cli.watch import Options, screen
from arena.tui.app import ArenaApp
from arena.tui.screens.watch import WatchScreen
from arena.tui.widgets.board import Board

PAUSE_S = 0.1


async def watch(app: ArenaApp, shown: WatchScreen, warm: int, seconds: float, keys: bool) -> dict[str, float]:
    """Run the application for as long as it takes to measure."""
    running = asyncio.create_task(app.run_async())
    while shown.job != "advance" or len(shown.positions) < warm:
        await asyncio.sleep(PAUSE_S)
    start, spent, moves = time.perf_counter(), time.process_time(), len(shown.positions)
    waits = [0.0]
    while (wall := time.perf_counter() - start) < seconds:
        await asyncio.sleep(PAUSE_S)
        if keys:
            waits.append(await answered(app, shown))
    told = {"share": (time.process_time() - spent) / wall, "moves": (len(shown.positions) - moves) / wall}
    app.action_leave(0)
    await running
    return told | {"wait": statistics.median(waits), "worst": max(waits)}


async def answered(app: ArenaApp, shown: WatchScreen) -> float:
    """Seconds from a key to the board that it turned, drawn."""
    board = shown.query_one(Board)
    pressed, drawn = time.perf_counter(), asyncio.Event()
    flipped = board.flipped
    app.simulate_key("f")
    while board.flipped == flipped:
        await asyncio.sleep(0)
    shown.call_after_refresh(drawn.set)
    await drawn.wait()
    return time.perf_counter() - pressed


if __name__ == "__main__":
    warm, seconds, keys, *words = sys.argv[1:]
    with screen(read_options(Options, "arena watch", words)) as series:
        result = asyncio.run(watch(ArenaApp(series), series, int(warm), float(seconds), keys == "1"))
    print("told", json.dumps(result))
