"""Delays of screens as a user sees them."""

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from arena.store import MatchFilter, Store
from arena.tui.app import ArenaApp
from arena.tui.screens.browse import BrowseScreen
from arena.tui.widgets.match_list import MatchList
from benchmarks import playing
from benchmarks.measure import NOBODY, Peer, Row, duration
from benchmarks.store import GAME, some_records
from benchmarks.terminal import first_picture
from benchmarks.watching import rows as watching_rows

STORED = 100_000
BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("backgammon")
Bare().run()
"""


def rows() -> Iterator[Row]:
    """Measure seconds until something is on the screen."""
    with tempfile.TemporaryDirectory() as folder:
        ours = first_picture([sys.executable, "-m", "arena"], "backgammon", folder)
        bare = first_picture([sys.executable, "-c", BARE], "backgammon", folder)
        ours()  # writes the bytecode
        yield duration(
            "screens", "arena: first picture of the home screen", ours, Peer("a Textual app of one word", bare)
        )
        path = Path(folder, "arena.db")
        with Store(path) as store:
            records = some_records(1000)
            run = store.open_run("tournament", "key", GAME, {}, [])
            for start in range(0, STORED, 10_000):
                store.add_games(run.id, [(n, records[n % 1000]) for n in range(start, start + 10_000)])
        for work, wait in asyncio.run(browsing(path)).items():
            yield Row("screens", f"{STORED:,} matches: {work}", wait, None, NOBODY.name, None, "s")
    yield from watching_rows()
    yield from playing.rows()


async def browsing(path: Path) -> dict[str, float]:
    """Return the seconds until requested matches are on the screen, and of a key pressed meanwhile."""
    app = ArenaApp(BrowseScreen(str(path), MatchFilter()))
    waits: dict[str, float] = {}
    async with app.run_test(size=(100, 30)) as pilot:
        matches = app.screen.query_one(MatchList)

        async def shown(place: int) -> None:
            while matches.match_at(place) is None:
                await asyncio.sleep(0.001)

        await shown(0)
        for key, work, place in (("end", "to the oldest", STORED - 1), ("home", "to the newest", 0)):
            start = time.perf_counter()
            await pilot.press(key)
            await shown(place)
            waits[work] = time.perf_counter() - start
        start = time.perf_counter()
        for _ in range(50):
            matches.action_move_page(7)
            await shown(matches.cursor)
        waits["a leap over some pages, the mean of 50"] = (time.perf_counter() - start) / 50
        start = time.perf_counter()
        await pilot.press("slash", *"player 7")
        while app.screen.listing is None or app.screen.listing.wanted.player is None:
            await asyncio.sleep(0.001)
        await shown(0)
        waits["those of one player, from the first letter typed"] = time.perf_counter() - start
    return waits
