"""Storing the games played on a screen, in a thread of its own."""

import asyncio
from dataclasses import asdict
from functools import partial
from uuid import uuid4

from arena.match.limits import Limits
from arena.match.verdict import MatchRecord
from arena.tui.services.background import BackgroundThread


class MatchRecorder:
    """Stores the games of one sitting as a run of their own in the store at `url`, which is opened for each game.

    `limits` is the clock that they are played under.
    """

    def __init__(self, url: str, limits: Limits | None = None):
        self.url, self._config = url, {"limits": asdict(limits or Limits())}
        self._key = f"play:{uuid4()}"
        self._count = 0
        self._thread = BackgroundThread()

    async def keep(self, record: MatchRecord) -> int:
        """Add a game and return its number in the store; `UsageError` if it cannot be stored.

        The game is stored even if the caller is cancelled.
        """
        return await asyncio.shield(self._thread.run(partial(self._add, record)))

    def finish(self) -> None:
        """Wait for games being written, 10 seconds at most; none can be added afterwards."""
        self._thread.finish(10)
        self._thread.close()

    def _add(self, record: MatchRecord) -> int:
        from arena.store import MatchFilter, Store  # brings SQL, which the first picture need not wait for

        with Store(self.url) as store:
            run = store.open_run("play", self._key, record.game, self._config, sorted(set(record.players)))
            store.add_games(run.id, [(self._count, record)])
            self._count += 1
            return store.matches(MatchFilter(run=run.id), limit=1)[0].id
