"""A person at another machine, as one who plays here sees them: their moves come over a server."""

import threading

from arena.base.errors import UsageError
from arena.base.text import printable
from arena.match.ask import FailedError
from arena.match.verdict import Failure, MatchRecord, Reason, Verdict
from arena.server.client import Client, UnreachableError
from arena.server.live_games import OVER, PLAYING, WAITING
from arena.server.models import LiveGameShown
from arena.server.refusals import RefusedError

LOOK_S = 3.0
"""Seconds that the server is asked to wait for a change: resignations, and workers that end, wait as long."""
UNCHANGED_S = 0.1
"""Seconds before a server is asked again that had no news: one that is about to end does not wait for any."""
RETRY_S = 2.0
"""Seconds before a server that does not answer is asked again."""


def query_after(live: LiveGameShown) -> str:
    """Return the query by which the server waits a moment for a later version of a game."""
    return f"?after={live.version}&wait={LOOK_S}"


class LivePlayer:
    """The other player of a live game, and the game itself: hands over what is played here, and waits for answers.

    Args:
        client: the server, with the key of who plays here.
        live: the game.
        name: account of who plays here.

    Raises `UsageError` for a game that `name` does not play.

    """

    def __init__(self, client: Client, live: LiveGameShown, name: str):
        self._client, self._live = client, live
        self._left = threading.Event()
        if len(live.players) != 2 or name not in live.players:
            raise UsageError(f"the server has a game of {len(live.players)} players, which is none of {name}'s")
        self.seat = live.players.index(name)
        """Seat of who plays here."""
        self.name, self.own_name = printable(live.players[1 - self.seat]), printable(name)
        self.seed = live.seed
        self.actions = tuple(live.actions)
        """What had been played when the game was opened here."""
        self.spent = tuple(zip(live.seats, live.spent_s, strict=False))
        """Seat and seconds of each of these."""

    @property
    def state(self) -> str:
        """State of the game, as far as it is known here."""
        return self._live.state

    @property
    def verdict(self) -> Verdict | None:
        """The end of the game, as the server has it; None before."""
        live = self._live
        if live.state != OVER or live.returns is None or live.reason is None:
            return None
        return Verdict(tuple(live.returns), Reason(live.reason), live.offender)

    def accepted(self) -> bool:
        """Wait a moment for the other to accept the challenge; return whether they have.

        Raises `UsageError` once they cannot any more.
        """
        self._look_patiently()
        if self.state not in (WAITING, PLAYING):
            raise UsageError(f"the challenge to {self.name} stands no more; challenge them again")
        return self.state == PLAYING

    def take_back(self) -> None:
        """Take back a challenge that nobody has accepted."""
        self._leave(Reason.RESIGNED)

    def begin(self) -> None:
        """Wait for answers again, after `stop_waiting`."""
        self._left.clear()

    def answer(self, played: list[int]) -> int:
        """Hand over the moves played here; return the other's answer once there is one.

        Raises `FailedError` if the game ends without one.
        """
        try:
            self._hand_over(played)
            while self.state == PLAYING and len(self._live.actions) == len(played):
                if self._left.is_set():
                    raise FailedError(Failure("nobody waits for it any more"))
                self._look_patiently()
        except UsageError as error:
            raise FailedError(Failure(str(error))) from error
        if len(self._live.actions) <= len(played):
            raise FailedError(Failure("", Reason(self._live.reason or Reason.RESIGNED)))
        return self._live.actions[len(played)]

    def stop_waiting(self) -> None:
        """Wait no longer: the game has ended here."""
        self._left.set()

    def tell(self, record: MatchRecord) -> Verdict:
        """Tell the server how the game has ended here; return how it has ended there."""
        self._hand_over([action for action in record.actions if isinstance(action, int)])
        verdict = record.verdict
        if self.state == PLAYING and verdict.offender == self.seat:
            self._leave(verdict.reason)
        return self.verdict or verdict

    def _hand_over(self, played: list[int]) -> None:
        """Play on the server what it has not got yet."""
        while self.state == PLAYING and len(self._live.actions) < len(played):
            place = len(self._live.actions)
            move = {"place": place, "action": played[place]}
            try:
                self._live = self._client.send(f"/live/{self._live.id}/moves", move, LiveGameShown)
            except UnreachableError:
                self._pause()
            except RefusedError:
                self._look()
                if self.state == PLAYING:
                    raise

    def _leave(self, reason: Reason) -> None:
        self._live = self._client.send(f"/live/{self._live.id}/end", {"reason": reason.value}, LiveGameShown)

    def _look(self) -> None:
        self._live = self._client.read(f"/live/{self._live.id}{query_after(self._live)}", LiveGameShown)

    def _look_patiently(self) -> None:
        version = self._live.version
        try:
            self._look()
        except UnreachableError:
            self._pause()
        if self._live.version == version:
            self._left.wait(UNCHANGED_S)

    def _pause(self) -> None:
        """Wait before the server is asked again; raises `FailedError` once the game is left."""
        if self._left.wait(RETRY_S):
            raise FailedError(Failure("nobody waits for it any more"))


def wait_for(player: LivePlayer) -> None:
    """Wait until a challenge is accepted; raises what `LivePlayer.accepted` does."""
    while not player.accepted():
        pass  # it waits itself
