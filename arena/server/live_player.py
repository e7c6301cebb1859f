"""A person at another machine, as one who plays here sees them: their moves come over a server."""

from arena.base.errors import UsageError
from arena.base.text import printable
from arena.match.ask import FailedError
from arena.match.verdict import Failure, MatchRecord, Reason, Verdict
from arena.server.client import Client, UnreachableError
from arena.server.live_feed import LiveFeed
from arena.server.live_games import PLAYING, WAITING
from arena.server.models import LiveGameShown
from arena.server.refusals import RefusedError


class LivePlayer:
    """The other player of a live game, and the game itself: hands over what is played here, and waits for answers.

    Args:
        client: the server, with the key of who plays here.
        live: the game.
        name: account of who plays here.

    Raises `UsageError` for a game that `name` does not play.

    """

    def __init__(self, client: Client, live: LiveGameShown, name: str):
        self._client, self._feed = client, LiveFeed(client, live)
        if len(live.players) != 2 or name not in live.players:
            raise UsageError(f"the server has a game of {len(live.players)} players, which is none of {name}'s")
        self.seat = live.players.index(name)
        """Seat of who plays here."""
        self.name, self.own_name = printable(live.players[1 - self.seat]), printable(name)
        self.seed = live.seed
        self.actions = tuple(live.actions)
        """What had been played when the game was opened here."""
        self.spent = self._feed.spent
        """Seat and seconds of each of these."""

    @property
    def state(self) -> str:
        """State of the game, as far as it is known here."""
        return self._feed.state

    @property
    def verdict(self) -> Verdict | None:
        """The end of the game, as the server has it; None before."""
        return self._feed.verdict

    @property
    def draw_by(self) -> int | None:
        """Seat that offers a draw, as far as it is known here; None for no offer."""
        return self._feed.live.draw_by

    def look(self) -> None:
        """Ask for what the other does without being at move: resign, or offer a draw."""
        self._feed.look(wait_s=0.0)

    def offer_draw(self) -> None:
        """Offer a draw, or accept the other's offer; raises `UsageError` where the server takes none."""
        self._feed.take(self._client.send(f"/live/{self._feed.live.id}/draw", {}, LiveGameShown))

    def accepted(self) -> bool:
        """Wait a moment for the other to accept the challenge; return whether they have.

        Raises `UsageError` once they cannot any more.
        """
        self._feed.look_patiently()
        if self.state not in (WAITING, PLAYING):
            raise UsageError(f"the challenge to {self.name} stands no more; challenge them again")
        return self.state == PLAYING

    def take_back(self) -> None:
        """Take back a challenge that nobody has accepted."""
        self._leave(Reason.RESIGNED)

    def begin(self) -> None:
        """Wait for answers again, after `stop_waiting`."""
        self._feed.left.clear()

    def answer(self, played: list[int]) -> int:
        """Hand over the moves played here; return the other's answer once there is one.

        Raises `FailedError` if the game ends without one.
        """
        try:
            self._hand_over(played)
            return self._feed.next_action(len(played))
        except UsageError as error:
            raise FailedError(Failure(str(error))) from error

    def stop_waiting(self) -> None:
        """Wait no longer: the game has ended here."""
        self._feed.left.set()

    def tell(self, record: MatchRecord) -> Verdict:
        """Tell the server how the game has ended here; return how it has ended there."""
        self._hand_over([action for action in record.actions if isinstance(action, int)])
        verdict = record.verdict
        if self.state == PLAYING and verdict.offender == self.seat:
            self._leave(verdict.reason)
        return self.verdict or verdict

    def _hand_over(self, played: list[int]) -> None:
        """Play on the server what it has not got yet."""
        feed = self._feed
        while self.state == PLAYING and len(feed.live.actions) < len(played):
            place = len(feed.live.actions)
            move = {"place": place, "action": played[place]}
            try:
                feed.take(self._client.send(f"/live/{feed.live.id}/moves", move, LiveGameShown))
            except UnreachableError:
                feed.pause()
            except RefusedError:
                feed.look()
                if self.state == PLAYING:
                    raise

    def _leave(self, reason: Reason) -> None:
        feed = self._feed
        feed.take(self._client.send(f"/live/{feed.live.id}/end", {"reason": reason.value}, LiveGameShown))


def wait_for(player: LivePlayer) -> None:
    """Wait until a challenge is accepted; raises what `LivePlayer.accepted` does."""
    while not player.accepted():
        pass  # it waits itself
