"""A sitting: people and agents at one table, game after game, with clocks."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from textual.timer import Timer

from arena.errors import UsageError
from arena.match.ask import Answer
from arena.match.contained import ContainedPolicy
from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit
from arena.policy.protocol import Policy
from arena.seeding import spawn_seeds
from arena.tui.clocks import Clocks
from arena.tui.keeper import Keeper
from arena.tui.messages import Dealt, Moved
from arena.tui.screens.curtain import CurtainScreen
from arena.tui.screens.match import MatchScreen
from arena.tui.series import Series
from arena.tui.table import Position
from arena.tui.widgets.match_pane import MatchPane
from arena.tui.words import GETTING_READY, YOU, clock
from games.engine.game import Game

PATIENCE_S = 3.0
"""How long an agent thinks before it is said that it can be hurried."""
GRACE_S = 2.0
"""How long an agent may go on that nobody waits for any more."""


@dataclass(frozen=True)
class Terms:
    """What the games are played under, and what the screen does besides."""

    seat: int = 0
    """Of the first person, in the first game."""
    seed: int = 0
    time_s: float | None = None
    """Seconds that each seat has for all its moves of a game."""
    hints: tuple[str, Policy] | None = None
    """Who is asked for hints; the first agent at the table if nobody is named."""
    open_minds: bool = False
    """Whether agents' thoughts are shown while the game is on."""
    keeper: Keeper | None = None
    """Where finished games go."""


class SittingScreen(MatchScreen):
    """Games between a person and `others` (name, policy; None for another person); seats change from game to game."""

    def __init__(self, game: Game, others: Sequence[tuple[str, Policy | None]], terms: Terms | None = None):
        self.terms = terms or Terms()
        super().__init__("play", game, Series([YOU, *(name for name, _ in others)], self.terms.seat))
        self.contestants: tuple[tuple[str, Policy | None], ...] = ((YOU, None), *others)
        self.answers: dict[int, Answer] = {}
        """What agents thought of positions, by their number."""
        self.clocks: Clocks | None = None
        self.people = [i for i, (_, policy) in enumerate(self.contestants) if policy is None]
        """Contestants who sit here, by number."""
        self._at_keyboard = 0  # the contestant who is, or was last
        self._curtained = False
        self._alarm: Timer | None = None
        self._seed = 0  # of this game

    def on_mount(self) -> None:
        """Begin the first game."""
        self.deal()

    def on_unmount(self) -> None:
        """Nobody waits for agents that are at work when the screen is left."""
        if self.job in ("advance", "hint"):
            for policy in self.everybody():
                if isinstance(policy, ContainedPolicy):
                    policy.stop()

    def arrived(self) -> None:
        """A new position is there to be shown."""
        raise NotImplementedError

    @property
    def position(self) -> Position:
        """The latest."""
        return self.positions[-1]

    @property
    def seat(self) -> int:
        """That of the person at the keyboard."""
        return self.series.seat_of(self._at_keyboard)

    def policy_at(self, seat: int) -> Policy | None:
        """The agent at a seat; None for a person."""
        return self.contestants[self.series.seated()[seat]][1]

    @property
    def my_turn(self) -> bool:
        """Whether the person at the keyboard may move."""
        position = self.position
        return position.verdict is None and self.policy_at(position.seat) is None and self.job in (None, "hint")

    def show(self) -> None:
        """Show the present, unless that is for somebody else's eyes."""
        if not self._curtained:
            super().show()

    def deal(self, actions: tuple[int, ...] = ()) -> None:
        """Set up a match with these actions played; clocks begin anew with a new game only."""
        self.relieve()
        if not actions or self.clocks is None:
            self.clocks = None if self.terms.time_s is None else Clocks(self.game.num_players, self.terms.time_s)
        self._wind(None)
        self.answers = {number: answer for number, answer in self.answers.items() if number < len(actions)}
        players = [self.contestants[contestant] for contestant in self.series.seated()]
        self._seed = spawn_seeds(self.terms.seed, self.series.game, count=1)[0]
        self.ask("deal", partial(self.table.deal, players, self._seed, actions), Dealt)
        self.show()

    def on_dealt(self, message: Dealt) -> None:
        """A position to play from."""
        if self.is_news(message):
            self.positions = list(message.positions)
            if len(self.positions) == 1:  # people sit at their own side of a board with sides
                sided = self.positions[0].picture.action_origins is not None
                self.query_one(MatchPane).board.flipped = sided and self.people == [0] and self.seat == 1
            self.arrive()

    def on_moved(self, message: Moved) -> None:
        """A move of a person or of an agent."""
        if self.is_news(message):
            if message.answer is not None:
                self.answers[len(self.positions) - 1] = message.answer
            self.positions.append(message.position)
            self.arrive()

    def arrive(self) -> None:
        """A new position: whose turn it is, and what is to happen."""
        position = self.position
        self.series.credit(position.verdict)
        contestant = self.series.seated()[position.seat]
        if position.verdict is None and contestant in self.people:
            hides = len(self.people) > 1 and not self.game.perfect_information
            if hides and (contestant != self._at_keyboard or len(self.positions) == 1):
                self._draw_curtain(contestant)
                return
            self._at_keyboard = contestant
        self._settle_down()

    def _draw_curtain(self, contestant: int) -> None:
        """Nobody sees anything until the next person sits at the keyboard."""

        def lift(_: None) -> None:
            self._curtained = False
            self._settle_down()

        self._curtained, self._at_keyboard = True, contestant
        self.app.push_screen(CurtainScreen(self.contestants[contestant][0]), lift)

    def _settle_down(self) -> None:
        position = self.position
        self._wind(None if position.verdict is not None else position.seat)
        self.arrived()
        if position.verdict is not None:
            self._keep(position.verdict)
        elif (policy := self.policy_at(position.seat)) is not None:
            if isinstance(policy, ContainedPolicy) and self.clocks is not None:
                policy.left_s = self.clocks.left(position.seat, time.monotonic())
            self.ask("advance", self.table.advance, lambda job, made: Moved(job, made[1], made[0]))
        self.show()

    def _keep(self, verdict: Verdict) -> None:
        """Put the game into the store, and say so, or why not."""
        keeper = self.terms.keeper
        if keeper is None:
            return
        actions = tuple(position.action for position in self.positions if position.action is not None)
        record = MatchRecord(self.game.label, tuple(self.seat_names), self._seed, (), actions, verdict)
        end = self.position

        async def keep() -> None:
            try:
                said = f"kept: arena replay {await keeper.keep(record)}"
            except UsageError as error:
                said = f"not kept: {error}"
            if self.position is end:
                self.say(f"{self.result_at(end)}   {said}", "result")

        self.run_worker(keep(), group="keeping")

    def clock_at(self, position: Position, seat: int) -> str:
        """The time that a seat has left."""
        return "" if self.clocks is None else clock(self.clocks.left(seat, time.monotonic()))

    def _wind(self, seat: int | None) -> None:
        """Let the time of a seat pass, and end the game when it is over."""
        if self._alarm is not None:
            self._alarm.stop()
        if self.clocks is not None:
            now = time.monotonic()
            self.clocks.run(seat, now)
            if seat is not None:
                left_s = max(self.clocks.left(seat, now), 0.001)  # textual's timers divide by their seconds
                self._alarm = self.set_timer(left_s, partial(self._time_is_up, seat))

    def _time_is_up(self, seat: int) -> None:
        if self.position.verdict is None and self.position.seat == seat:
            self.end(forfeit(self.game.num_players, seat, Reason.LATE, f"{clock(self.terms.time_s or 0)} are over"))

    def tick(self) -> None:
        """Bring clocks up to date, and say how to go on where agents take long."""
        running = self.clocks is not None and self.clocks.running is not None
        if self.job is not None or running:
            self.show()
        if self.job == "deal" and self.waited_s > 1:
            self.say(GETTING_READY)
        elif self.job == "advance" and PATIENCE_S < self.waited_s <= PATIENCE_S + 1:
            self.say(f"{self.seat_names[self.position.seat]} thinks; esc asks it to move now")

    def relieve(self) -> None:
        """Give up what agents do: one that does not end by itself is stopped, and plays the next game anew."""
        at_work = [policy for policy in self.everybody() if self.job in ("advance", "hint")]
        self.give_up()
        for policy in at_work:
            policy.hurry()
        ended = self.thinker.finished

        def stop() -> None:
            if self.thinker.finished == ended:
                for policy in at_work:
                    if isinstance(policy, ContainedPolicy):
                        policy.stop()

        if at_work:
            self.set_timer(GRACE_S, stop)

    def everybody(self) -> list[Policy]:
        """All agents that may be at work."""
        return [policy for _, policy in self.contestants if policy is not None]

    def end(self, verdict: Verdict) -> None:
        """End the game without a move."""
        self.relieve()
        self.positions.append(replace(self.position, legal={}, action=None, move="", verdict=verdict))
        self.arrive()
