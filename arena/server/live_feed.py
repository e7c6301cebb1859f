"""A live game as a server tells it to whoever plays or watches at another machine, version by version."""

import threading

from arena.match.ask import FailedError
from arena.match.replay import match_after
from arena.match.verdict import Failure, Reason, Verdict
from arena.server.client import Client, UnreachableError, game_of_server
from arena.server.live_games import OVER, PLAYING
from arena.server.models import LiveGameShown
from games.engine.game import Game

LOOK_S = 3.0
"""Seconds that the server is asked to wait for a change: resignations, and workers that end, wait as long."""
UNCHANGED_S = 0.1
"""Seconds before a server is asked again that had no news: one that is about to end does not wait for any."""
RETRY_S = 2.0
"""Seconds before a server that does not answer is asked again."""


def query_after(live: LiveGameShown, wait_s: float = LOOK_S) -> str:
    """Return the query by which the server waits a moment for a later version of a game."""
    return f"?after={live.version}&wait={wait_s}"


def checked_game(live: LiveGameShown) -> Game:
    """Return the game that is played in a live game; no server is believed.

    Raises `UsageError` for one that is not installed here, or if its moves break the rules.
    """
    game = game_of_server(live.game)
    match_after(game, live.players, live.seed, live.actions)
    return game


class LiveFeed:
    """The newest version of a live game that is known here.

    Args:
        client: the server.
        live: the game.

    """

    def __init__(self, client: Client, live: LiveGameShown):
        self.client, self.live = client, live
        self._lock = threading.Lock()
        self.left = threading.Event()
        """Set once nobody waits for the game any more."""

    @property
    def state(self) -> str:
        """State of the game, as far as it is known here."""
        return self.live.state

    @property
    def spent(self) -> tuple[tuple[int, float], ...]:
        """Seat and seconds of each move."""
        return tuple(zip(self.live.seats, self.live.spent_s, strict=False))

    @property
    def verdict(self) -> Verdict | None:
        """The end of the game, as the server has it; None before."""
        live = self.live
        if live.state != OVER or live.returns is None or live.reason is None:
            return None
        return Verdict(tuple(live.returns), Reason(live.reason), live.offender)

    def look(self, wait_s: float = LOOK_S) -> None:
        """Wait a moment for a later version."""
        self.take(self.client.read(f"/live/{self.live.id}{query_after(self.live, wait_s)}", LiveGameShown))

    def take(self, live: LiveGameShown) -> None:
        """Take over a version of the game, unless a later one has come meanwhile, by another thread."""
        with self._lock:
            if live.version >= self.live.version:
                self.live = live

    def look_patiently(self) -> None:
        """Wait a moment for a later version, of a server that may not answer now."""
        version = self.live.version
        try:
            self.look()
        except UnreachableError:
            self.pause()
        if self.live.version == version:
            self.left.wait(UNCHANGED_S)

    def pause(self) -> None:
        """Wait before the server is asked again; raises `FailedError` once the game is left."""
        if self.left.wait(RETRY_S):
            raise FailedError(Failure("nobody waits for it any more"))

    def next_action(self, number: int) -> int:
        """Return the action after so many, once there is one; raises `FailedError` if the game ends without it."""
        while self.state == PLAYING and len(self.live.actions) == number:
            if self.left.is_set():
                raise FailedError(Failure("nobody waits for it any more"))
            self.look_patiently()
        if len(self.live.actions) <= number:
            raise FailedError(Failure("", Reason(self.live.reason or Reason.RESIGNED)))
        return self.live.actions[number]
