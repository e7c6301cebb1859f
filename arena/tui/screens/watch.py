"""Watch agents play each other."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import ClassVar

from textual.binding import Binding, BindingType

from arena.base.seeding import spawn_seeds
from arena.match.ask import Answer
from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.match.starts import Opening
from arena.match.time_control import left_after
from arena.policy.protocol import Policy
from arena.tui.parts.match import thought_from
from arena.tui.screens.keys import HURRY, MATCH_KEYS, NEXT_KEY, WALK_KEYS, command
from arena.tui.screens.walk import WalkScreen
from arena.tui.state.live_match import Position
from arena.tui.state.messages import Dealt, MovePlayed
from arena.tui.state.remote_game import RemoteGame
from arena.tui.state.series import Series
from arena.tui.state.words import clock, getting_ready
from arena.tui.widgets.match_pane import MatchView
from arena.tui.widgets.thoughts import Thought
from games.engine.game import Game

OFFER_AFTER_S, STOP_AFTER_S = 10.0, 2.0
"""Thinking time after which ways to go on are offered, and after which leaving a game stops the agent that thinks."""


class WatchScreen(WalkScreen):
    """A series between `agents` (name, policy), which change seats from game to game.

    The agent to move is asked as soon as its position is on the board. Its thoughts are shown there, and its move
    1 / `speed` seconds later. Each of the `openings` is played once from every seat. With
    `limits`, the agents play by their clock.

    An agent in a process of its own (`ContainedPolicy`) can be hurried, or stopped: then it loses the game, and the
    series goes on.

    A `live` game is one alone, whose players' moves come from a server; `limits` give its clock, by which nobody loses
    here.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *WALK_KEYS,
        Binding("escape", "hurry", "move now", show=False, key_display="esc", tooltip=HURRY),
        command("r", "stop", "resign", "have the agent that thinks resign: it loses this game", show=False),
        NEXT_KEY,
        *MATCH_KEYS,
    ]

    def __init__(
        self,
        game: Game,
        agents: Sequence[tuple[str, Policy]],
        games: int = 10,
        seed: int = 0,
        speed: float = 1.0,
        openings: Sequence[Opening] = ((),),
        limits: Limits | None = None,
        live: RemoteGame | None = None,
    ):
        super().__init__("watch", game, Series([name for name, _ in agents]), speed)
        self._agents = tuple(agents)
        self._games, self._seed, self._openings = games, seed, openings
        self._limits, self._live = limits, live
        self._given = 0  # moves of the opening

    def on_mount(self) -> None:
        """Start the first game."""
        self._deal()

    def view_model(self) -> MatchView:
        """Return the position on the board and the score of the series."""
        series = (f"game {self.match.series.game + 1} of {self._games}", self.match.standings())
        self.heading.say(*(series if self._live is None else ("live",)), *self.pace_words())
        return super().view_model()

    def thought(self, position: Position, answer: Answer | None, chances: dict[int, float]) -> Thought:
        """Return the thoughts of the agent to move."""
        if self.shown < self._given and self._live is None:
            return Thought(position.seat, "opening", remark="the next move is given")
        line = self.match.positions[self.shown + 1].line if self.shown + 1 < len(self.match.positions) else ()
        return thought_from(f"{self.match.seat_names[position.seat]} thinks", position, answer, line)

    def clock_at(self, seat: int) -> str:
        """Return the time that an agent has used in this game, or has left, up to the position on the board."""
        moves_s = [seconds for mover, seconds in self._spent() if mover == seat]
        thinks = self.jobs.current == "advance" and self.shown + 1 == len(self.match.positions)
        waited_s = self.jobs.waited_s if thinks and self.position.seat == seat else 0.0
        control = None if self._limits is None else self._limits.control
        left_s = None if control is None else left_after(control, moves_s)
        return clock(sum(moves_s) + waited_s if left_s is None else max(left_s - waited_s, 0.0))

    def _spent(self) -> Sequence[tuple[int, float]]:
        """Return seat and seconds of each move up to the position on the board."""
        if self._live is not None:
            return self._live.spent[: self.shown]
        way = pairwise(self.match.positions[: self.shown + 1])
        return [(before.seat, after.took_s) for before, after in way]

    def tick(self) -> None:
        """Report the current job, and offer ways to go on if an agent thinks for long."""
        super().tick()
        if self.jobs.current == "advance" and self.jobs.waited_s > OFFER_AFTER_S and self._live is None:
            who = f"{self.position.picture.mark(self.position.seat)} {self.match.seat_names[self.position.seat]}"
            offers = "esc: move now   r: it loses this game   n: next game"
            self.say(f"{who} thinks for {int(self.jobs.waited_s)} s   {offers}", "refusal")
        elif self.jobs.current == "deal" and self.jobs.waited_s > 1:
            self.say(getting_ready(self.jobs.waited_s))

    def _deal(self) -> None:
        """Set up the current game of the series."""
        self.wait(None)
        self.match.positions, self.match.answers = self.match.positions[:1], {}
        self.shown = self.furthest = 0
        players = [self._agents[contestant] for contestant in self.match.series.seated()]
        self.say("")
        self.show()
        if self._live is not None:
            dealt = partial(self.live_match.deal, players, self._live.seed, self._live.actions)
        else:
            seed = spawn_seeds(self._seed, self.match.series.game, count=1)[0]
            opening = self._openings[self.match.series.game // len(players) % len(self._openings)]
            dealt = partial(self.live_match.deal, players, seed, opening, self._limits)
        self.jobs.ask("deal", dealt, Dealt)

    def on_dealt(self, message: Dealt) -> None:
        """Show the opening; its last position is the first that the agents see."""
        if self.jobs.is_news(message):
            self.match.positions = list(message.positions)
            self._given = len(self.match.positions) - 1
            self.go_to(self._given)

    def at_the_edge(self) -> None:
        """Ask the agent to move for its move, unless it is thinking already."""
        self.say("")
        if self.jobs.current is None:
            self.jobs.ask("advance", self.live_match.advance, lambda job, made: MovePlayed(job, made[1], made[0]))

    def on_move_played(self, message: MovePlayed) -> None:
        """Add a position, which the board has yet to show."""
        if self.jobs.is_news(message):
            if message.answer is not None:
                self.match.answers[len(self.match.positions) - 1] = message.answer
            position = message.position
            if position.verdict is not None and self._live is not None and self._live.verdict is not None:
                position = replace(position, verdict=self._live.verdict)
            self.match.positions.append(position)
            self.position_added()

    def at_the_end(self) -> None:
        """Score the game, and go on to the next after a pause."""
        self.match.series.credit(self.position.verdict)
        news = self.match.result_at(self.position)
        if self._live is not None:
            self.playing = False
        elif self.match.series.game + 1 < self._games:
            self.wait(max(3 * self.pace.pause_s, 0.5))
        else:
            self.playing = False
            news += f"   the series is over, {self.match.standings()}"
        self.say(news, "result")

    def pause_at_the_end(self) -> None:
        """Start the next game."""
        self.action_next_game()

    def _thinking(self) -> ContainedPolicy | None:
        """Return the agent that is thinking, if it runs in a process of its own."""
        if self.jobs.current != "advance" or self.match.positions[-1].verdict is not None:
            return None
        policy = self._agents[self.match.series.seated()[self.match.positions[-1].seat]][1]
        return policy if isinstance(policy, ContainedPolicy) else None

    def action_hurry(self) -> None:
        """Ask the agent that thinks to move at once."""
        if (policy := self._thinking()) is not None:
            policy.hurry()

    def action_stop(self) -> None:
        """Stop the agent that thinks."""
        if (policy := self._thinking()) is not None:
            policy.stop()

    def action_next_game(self) -> None:
        """Leave this game for the next."""
        if self._live is not None:
            self.say("this is one game; q quits", "refusal")
        elif self.match.series.game + 1 < self._games:
            if self.jobs.waited_s > STOP_AFTER_S:
                self.action_stop()  # or else the next game would wait for its move
            self.match.series.game += 1
            self._deal()
        else:
            self.say(f"this is the last of {self._games} games; q quits", "refusal")
