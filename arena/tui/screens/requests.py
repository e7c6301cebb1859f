"""What people at a table may ask for besides moves: a draw, a move back, another game, that an agent hurries."""

from collections.abc import Sequence

from arena.match.contained import ContainedPolicy
from arena.match.verdict import Reason, agreed, forfeit
from arena.policy.protocol import Policy
from arena.tui.screens.sitting import SittingScreen, Terms
from arena.tui.table import Position
from games.engine.game import Game

MODEST = 0.1
"""An agent that expects no more than this takes a draw."""


class RequestsScreen(SittingScreen):
    """A sitting in which people may ask for more than moves; what cannot be taken back is to be asked for twice."""

    def __init__(self, game: Game, others: Sequence[tuple[str, Policy | None]], terms: Terms | None = None):
        super().__init__(game, others, terms)
        self.offer: int | None = None
        """The seat that offers a draw."""
        self._asked: tuple[str, Position] | None = None  # what has to be asked for twice, and where it was

    def deal(self, actions: tuple[int, ...] = ()) -> None:
        """Set up a match with these actions played; no draw is offered in it."""
        self.offer = None
        super().deal(actions)

    def move_now(self) -> None:
        """Hurry the agent to move; asked again, stop it, which loses it the game."""
        policy, name = self.policy_at(self.position.seat), self.seat_names[self.position.seat]
        if policy is None or self.job != "advance":
            return
        if self._asked != ("hurry", self.position):
            self._asked = ("hurry", self.position)
            policy.hurry()
            self.say(f"{name} is asked to move now; esc again stops it")
        elif isinstance(policy, ContainedPolicy):
            policy.stop()
            self.say(f"{name} is stopped")
        else:
            self.say(f"{name} cannot be stopped; {self.key_of('new_game')} begins another game", "refusal")

    def action_draw(self) -> None:
        """Offer a draw, or accept the one that is offered; an agent decides by what it expected at its last move."""
        position, seat = self.position, self.seat
        if position.verdict is not None:
            self.say_over()
        elif self.game.num_players != 2 or not self.game.zero_sum or not self.game.perfect_information:
            self.say(f"{self.game.title} knows no draw by agreement", "refusal")
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
            self.say(f"{name} has told nothing of what it expects, and declines the draw", "refusal")
        elif value > MODEST:
            self.say(f"{name} expects more than a draw, and declines", "refusal")
        else:
            self.end(agreed(2))

    def _twice(self, action: str, does: str, but: str = "") -> bool:
        """Whether this is asked for the second time in this position; the first time it is said what it would do."""
        if self._asked == (action, self.position):
            return True
        self._asked = (action, self.position)
        self.say(f"{but}{self.key_of(action)} again {does}", "refusal")
        return False

    def say_over(self) -> None:
        """Say that the game is over, and how to go on."""
        self.say(f"the game is over; {self.key_of('new_game')} begins another", "refusal")

    def action_resign(self) -> None:
        """Lose the game, if asked twice."""
        if self.position.verdict is None and self._twice("resign", "resigns"):
            self.end(forfeit(self.game.num_players, self.seat, Reason.RESIGNED))

    def action_take_back(self) -> None:
        """Go back to the last decision of a person: one's own, or where several play, anybody's."""
        seats = {self.series.seat_of(contestant) for contestant in self.people}
        decisions = [i for i, position in enumerate(self.positions[:-1]) if position.seat in seats]
        if not decisions:
            self.say("there is nothing to take back", "refusal")
            return
        self.positions = self.positions[: decisions[-1] + 1]
        self.series.credit(None)
        self.deal(tuple(position.action for position in self.positions if position.action is not None))

    def action_new_game(self) -> None:
        """Begin another game with seats changed; asks again before it leaves one that is not over."""
        if self._may_leave("new_game"):
            self.series.game += 1
            self._begin()

    def action_change_seats(self) -> None:
        """Begin this game again with seats changed; asks again if moves have been made."""
        if self._may_leave("change_seats"):
            self.series.credit(None)
            self.series.change_seats()
            self._begin()

    def _may_leave(self, action: str) -> bool:
        under_way = self.position.verdict is None and len(self.positions) > 1
        return not under_way or self._twice(action, "leaves it for a new one", but="this game is not over; ")

    def _begin(self) -> None:
        self.positions = self.positions[:1]
        self.clocks = None
        self.deal()
