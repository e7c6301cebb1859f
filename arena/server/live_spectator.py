"""A live game of others, as one who watches here sees it: the moves of all seats come over a server."""

from arena.base.errors import UsageError
from arena.base.text import printable
from arena.match.ask import FailedError
from arena.match.verdict import Failure, Verdict
from arena.server.client import Client
from arena.server.live_feed import LiveFeed, checked_game
from arena.server.live_games import OVER, PLAYING
from arena.server.models import LiveGameShown


class LiveSpectator:
    """Waits for the moves of a live game.

    Args:
        client: the server.
        live: the game.

    Raises `UsageError` for a game that has not begun, is not installed here, or whose moves break its rules.

    """

    def __init__(self, client: Client, live: LiveGameShown):
        if live.state not in (PLAYING, OVER):
            raise UsageError(f"it has not begun; the challenge is {printable(live.state)}")
        self._feed = LiveFeed(client, live)
        self.game, self.clock = checked_game(live), live.clock
        self.names = [printable(name) for name in live.players]
        self.seed = live.seed
        self.actions = tuple(live.actions)
        """What had been played when the game was opened here."""

    @property
    def spent(self) -> tuple[tuple[int, float], ...]:
        """Seat and seconds of each move so far."""
        return self._feed.spent

    @property
    def verdict(self) -> Verdict | None:
        """The end of the game, as the server has it; None before."""
        return self._feed.verdict

    def begin(self) -> None:
        """Wait for moves again, after `stop_waiting`."""
        self._feed.left.clear()

    def answer(self, played: list[int]) -> int:
        """Return the action after these, once there is one; raises `FailedError` if the game ends without it."""
        try:
            return self._feed.next_action(len(played))
        except UsageError as error:
            raise FailedError(Failure(str(error))) from error

    def stop_waiting(self) -> None:
        """Wait no longer: nobody watches."""
        self._feed.left.set()
