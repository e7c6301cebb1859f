"""Games that are played on a screen go into a store, away from the screen's thread."""

import asyncio
from functools import partial
from uuid import uuid4

from arena.match.verdict import MatchRecord
from arena.tui.thinker import Thinker


class Keeper:
    """Keeps the games of one sitting as a run of its own in the store at `url`, which is opened for each."""

    def __init__(self, url: str):
        self.url = url
        self._key = f"play:{uuid4()}"
        self._kept = 0
        self._thread = Thinker()

    async def keep(self, record: MatchRecord) -> int:
        """Add a game; returns its number in the store. Raises `UsageError` if it cannot be kept.

        Once asked for, it is kept even if nobody waits for the number any more.
        """
        return await asyncio.shield(self._thread.run(partial(self._add, record)))

    def finish(self) -> None:
        """Wait for what is being written, not for ever; nothing can be kept afterwards."""
        self._thread.finish(10)
        self._thread.close()

    def _add(self, record: MatchRecord) -> int:
        from arena.store import MatchFilter, Store  # brings SQL, which the first picture need not wait for

        with Store(self.url) as store:
            run = store.open_run("play", self._key, record.game, {}, sorted(set(record.players)))
            store.add_games(run.id, [(self._kept, record)])
            self._kept += 1
            return store.matches(MatchFilter(run=run.id), limit=1)[0].id
