"""Requests of players besides moves: draw, resign, undo, new game, and hurrying an agent."""

from collections.abc import Sequence

from arena.match.contained import ContainedPolicy
from arena.match.verdict import Reason, agreed, forfeit
from arena.policy.protocol import Policy
from arena.tui.screens.sitting import SittingOptions, SittingScreen
from arena.tui.state.live_match import Position
from games.engine.game import Game

DRAW_ACCEPTED_BELOW = 0.1
"""Value at the last move up to which an agent accepts a draw."""


class RequestsScreen(SittingScreen):
    """A sitting with requests; those that cannot be undone have to be confirmed."""

    def __init__(self, game: Game, others: Sequence[tuple[str, Policy | None]], options: SittingOptions | None = None):
        super().__init__(game, others, options)
        self.offer: int | None = None
        """Seat that offers a draw."""
        self._to_confirm: tuple[str, Position] | None = None  # unconfirmed request, and its position

    def deal(self, actions: tuple[int, ...] = ()) -> None:
        """Set up a match with these actions played, and no draw offered."""
        self.offer = None
        super().deal(actions)

    def move_now(self) -> None:
        """Ask the agent to move at once; the second time stop it, which loses it the game."""
        policy, name = self.policy_at(self.position.seat), self.seat_names[self.position.seat]
        if policy is None or self.job != "advance":
            return
        if self._to_confirm != ("hurry", self.position):
            self._to_confirm = ("hurry", self.position)
            policy.hurry()
            self.say(f"{name} is asked to move now; esc again stops it")
        elif isinstance(policy, ContainedPolicy):
            policy.stop()
            self.say(f"{name} is stopped")
        else:
            self.say(f"{name} cannot be stopped; {self.key_of('new_game')} begins another game", "refusal")

    def action_draw(self) -> None:
        """Offer or accept a draw; an agent decides by the value it expected at its last move."""
        position, seat = self.position, self.seat
        if position.verdict is not None:
            self.say_over()
        elif self.game.num_players != 2 or not self.game.zero_sum or not self.game.perfect_information:
            self.say(f"{self.game.title} has no draws by agreement", "refusal")
        elif self.offer == 1 - seat:
            self.end(agreed(2))
        elif self.policy_at(1 - seat) is None:
            self.offer = seat
            self.say(f"a draw is offered; the other accepts by {self.key_of('draw')}, and declines by a move")
        else:
            self._offer_to_agent(1 - seat)

    def _offer_to_agent(self, seat: int) -> None:
        numbers = [number for number in self.answers if self.positions[number].seat == seat]
        value = self.answers[max(numbers)].value if numbers else None
        name = self.seat_names[seat]
        if value is None:
            self.say(f"{name} reports no value, and declines the draw", "refusal")
        elif value > DRAW_ACCEPTED_BELOW:
            self.say(f"{name} expects more than a draw, and declines", "refusal")
        else:
            self.end(agreed(2))

    def _confirmed(self, action: str, does: str, but: str = "") -> bool:
        """Return whether a request was made before in this position; the first time, explain its effect."""
        if self._to_confirm == (action, self.position):
            return True
        self._to_confirm = (action, self.position)
        self.say(f"{but}{self.key_of(action)} again {does}", "refusal")
        return False

    def say_over(self) -> None:
        """Say that the game is over, and how to start another."""
        self.say(f"the game is over; {self.key_of('new_game')} begins another", "refusal")

    def action_resign(self) -> None:
        """Resign, if confirmed."""
        if self.position.verdict is None and self._confirmed("resign", "resigns"):
            self.end(forfeit(self.game.num_players, self.seat, Reason.RESIGNED))

    def action_take_back(self) -> None:
        """Go back to the last decision of a person: the player's own, or, with several people, anybody's."""
        seats = {self.series.seat_of(contestant) for contestant in self.people}
        decisions = [i for i, position in enumerate(self.positions[:-1]) if position.seat in seats]
        if not decisions:
            self.say("there is nothing to take back", "refusal")
            return
        self.positions = self.positions[: decisions[-1] + 1]
        self.series.credit(None)
        self.deal(tuple(position.action for position in self.positions if position.action is not None))

    def action_new_game(self) -> None:
        """Start another game with seats changed; has to be confirmed if this one is not over."""
        if self._may_leave("new_game"):
            self.series.game += 1
            self._begin()

    def action_change_seats(self) -> None:
        """Restart this game with seats changed; has to be confirmed once moves have been made."""
        if self._may_leave("change_seats"):
            self.series.credit(None)
            self.series.change_seats()
            self._begin()

    def _may_leave(self, action: str) -> bool:
        under_way = self.position.verdict is None and len(self.positions) > 1
        return not under_way or self._confirmed(action, "leaves it for a new one", but="this game is not over; ")

    def _begin(self) -> None:
        self.positions = self.positions[:1]
        self.clocks = None
        self.deal()
