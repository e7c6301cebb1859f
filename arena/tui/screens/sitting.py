"""A sitting: people and agents at one table, game after game, with clocks."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from textual.timer import Timer

from arena.base.errors import UsageError
from arena.base.seeding import spawn_seeds
from arena.match.ask import Answer
from arena.match.contained import ContainedPolicy
from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit
from arena.policy.protocol import Policy
from arena.tui.screens.curtain import CurtainScreen
from arena.tui.screens.match import MatchScreen
from arena.tui.services.match_recorder import MatchRecorder
from arena.tui.state.clocks import Clocks
from arena.tui.state.live_match import Position
from arena.tui.state.messages import Dealt, MovePlayed
from arena.tui.state.series import Series
from arena.tui.state.words import GETTING_READY, YOU, clock
from arena.tui.widgets.match_pane import MatchPane
from games.engine.game import Game

HURRY_HINT_S = 3.0
"""Thinking time after which the user is told that the agent can be hurried."""
GRACE_S = 2.0
"""Time that an agent may go on after its answer is no longer needed."""


@dataclass(frozen=True)
class SittingOptions:
    """Limits of the games, and options of the screen."""

    seat: int = 0
    """Seat of the first person in the first game."""
    seed: int = 0
    time_s: float | None = None
    """Seconds that each seat has for all its moves of a game; None for no limit."""
    hints: tuple[str, Policy] | None = None
    """Agent that gives hints; None for the first agent at the table."""
    show_thoughts: bool = False
    """Show the agents' thoughts during the game."""
    recorder: MatchRecorder | None = None
    """Stores finished games."""


class SittingScreen(MatchScreen):
    """Games between a person and `others` (name, policy; None for another person); seats change from game to game."""

    def __init__(self, game: Game, others: Sequence[tuple[str, Policy | None]], options: SittingOptions | None = None):
        self.options = options or SittingOptions()
        super().__init__("play", game, Series([YOU, *(name for name, _ in others)], self.options.seat))
        self.contestants: tuple[tuple[str, Policy | None], ...] = ((YOU, None), *others)
        self.answers: dict[int, Answer] = {}
        """The agents' answers, by the number of the position."""
        self.clocks: Clocks | None = None
        self.people = [i for i, (_, policy) in enumerate(self.contestants) if policy is None]
        """Numbers of the contestants who are people."""
        self._at_keyboard = 0  # the contestant who is, or was last
        self._curtained = False
        self._alarm: Timer | None = None
        self._seed = 0  # of this game

    def on_mount(self) -> None:
        """Start the first game."""
        self.deal()

    def on_unmount(self) -> None:
        """Stop agents that are still thinking."""
        if self.job in ("advance", "hint"):
            for policy in self.all_agents():
                if isinstance(policy, ContainedPolicy):
                    policy.stop()

    def arrived(self) -> None:
        """Announce a new position."""
        raise NotImplementedError

    @property
    def position(self) -> Position:
        """The latest position."""
        return self.positions[-1]

    @property
    def seat(self) -> int:
        """Seat of the person at the keyboard."""
        return self.series.seat_of(self._at_keyboard)

    def policy_at(self, seat: int) -> Policy | None:
        """Return the agent at a seat; None for a person."""
        return self.contestants[self.series.seated()[seat]][1]

    @property
    def my_turn(self) -> bool:
        """True if the person at the keyboard may move."""
        position = self.position
        return position.verdict is None and self.policy_at(position.seat) is None and self.job in (None, "hint")

    def show(self) -> None:
        """Draw the current snapshot, unless the curtain is drawn."""
        if not self._curtained:
            super().show()

    def deal(self, actions: tuple[int, ...] = ()) -> None:
        """Set up a match with these actions played; only a new game resets the clocks."""
        self.stop_agents()
        if not actions or self.clocks is None:
            self.clocks = None if self.options.time_s is None else Clocks(self.game.num_players, self.options.time_s)
        self._run_clock(None)
        self.answers = {number: answer for number, answer in self.answers.items() if number < len(actions)}
        players = [self.contestants[contestant] for contestant in self.series.seated()]
        self._seed = spawn_seeds(self.options.seed, self.series.game, count=1)[0]
        self.ask("deal", partial(self.live_match.deal, players, self._seed, actions), Dealt)
        self.show()

    def on_dealt(self, message: Dealt) -> None:
        """Show a position to play from."""
        if self.is_news(message):
            self.positions = list(message.positions)
            if len(self.positions) == 1:  # a board with sides is seen from the player's
                sided = self.positions[0].picture.action_origins is not None
                self.query_one(MatchPane).board.flipped = sided and self.people == [0] and self.seat == 1
            self.arrive()

    def on_move_played(self, message: MovePlayed) -> None:
        """Add a move of a person or of an agent."""
        if self.is_news(message):
            if message.answer is not None:
                self.answers[len(self.positions) - 1] = message.answer
            self.positions.append(message.position)
            self.arrive()

    def arrive(self) -> None:
        """Continue from a new position: score it, and draw the curtain if another person is to move."""
        position = self.position
        self.series.credit(position.verdict)
        contestant = self.series.seated()[position.seat]
        if position.verdict is None and contestant in self.people:
            hides = len(self.people) > 1 and not self.game.perfect_information
            if hides and (contestant != self._at_keyboard or len(self.positions) == 1):
                self._draw_curtain(contestant)
                return
            self._at_keyboard = contestant
        self._go_on()

    def _draw_curtain(self, contestant: int) -> None:
        """Hide everything until the next person sits at the keyboard."""

        def lift(_: None) -> None:
            self._curtained = False
            self._go_on()

        self._curtained, self._at_keyboard = True, contestant
        self.app.push_screen(CurtainScreen(self.contestants[contestant][0]), lift)

    def _go_on(self) -> None:
        position = self.position
        self._run_clock(None if position.verdict is not None else position.seat)
        self.arrived()
        if position.verdict is not None:
            self._keep(position.verdict)
        elif (policy := self.policy_at(position.seat)) is not None:
            if isinstance(policy, ContainedPolicy) and self.clocks is not None:
                policy.left_s = self.clocks.left(position.seat, time.monotonic())
            self.ask("advance", self.live_match.advance, lambda job, made: MovePlayed(job, made[1], made[0]))
        self.show()

    def _keep(self, verdict: Verdict) -> None:
        """Store the game, and report its number, or why it was not stored."""
        recorder = self.options.recorder
        if recorder is None:
            return
        actions = tuple(position.action for position in self.positions if position.action is not None)
        record = MatchRecord(self.game.label, tuple(self.seat_names), self._seed, (), actions, verdict)
        end = self.position

        async def keep() -> None:
            try:
                news = f"kept: arena replay {await recorder.keep(record)}"
            except UsageError as error:
                news = f"not kept: {error}"
            if self.position is end:
                self.say(f"{self.result_at(end)}   {news}", "result")

        self.run_worker(keep(), group="keeping")

    def clock_at(self, position: Position, seat: int) -> str:
        """Return the time that a seat has left."""
        return "" if self.clocks is None else clock(self.clocks.left(seat, time.monotonic()))

    def _run_clock(self, seat: int | None) -> None:
        """Start the clock of a seat, None for no clock; the game ends when its time is over."""
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
            self.end(forfeit(self.game.num_players, seat, Reason.LATE, f"{clock(self.options.time_s or 0)} are over"))

    def tick(self) -> None:
        """Refresh the clocks, and say how to go on if an agent takes long."""
        running = self.clocks is not None and self.clocks.running is not None
        if self.job is not None or running:
            self.show()
        if self.job == "deal" and self.waited_s > 1:
            self.say(GETTING_READY)
        elif self.job == "advance" and HURRY_HINT_S < self.waited_s <= HURRY_HINT_S + 1:
            self.say(f"{self.seat_names[self.position.seat]} thinks; esc asks it to move now")

    def stop_agents(self) -> None:
        """Drop the agents' jobs: one that does not end by itself is stopped, and restarts with the next game."""
        at_work = [policy for policy in self.all_agents() if self.job in ("advance", "hint")]
        self.give_up()
        for policy in at_work:
            policy.hurry()
        ended = self.background.finished

        def stop() -> None:
            if self.background.finished == ended:
                for policy in at_work:
                    if isinstance(policy, ContainedPolicy):
                        policy.stop()

        if at_work:
            self.set_timer(GRACE_S, stop)

    def all_agents(self) -> list[Policy]:
        """Return all agents that may be thinking."""
        return [policy for _, policy in self.contestants if policy is not None]

    def end(self, verdict: Verdict) -> None:
        """End the game without a move."""
        self.stop_agents()
        self.positions.append(replace(self.position, legal={}, action=None, move="", verdict=verdict))
        self.arrive()
