"""Watch agents play each other."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.timer import Timer

from arena.match.ask import Answer
from arena.policy.protocol import Policy
from arena.seeding import spawn_seeds
from arena.tui.drawing import BoardView
from arena.tui.messages import Dealt, Moved
from arena.tui.screens.match import COMMON_KEYS, MatchScreen
from arena.tui.series import Series
from arena.tui.table import Position
from arena.tui.widgets.heading import Heading
from arena.tui.widgets.match_pane import MatchView
from arena.tui.widgets.thoughts import Thought
from games.engine.game import Game

SLOWEST, FASTEST = 0.25, 64.0
"""Bounds of the speed, in moves a second."""
STEP = Binding.Group("step", compact=True)
SPEED = Binding.Group("speed", compact=True)


class WatchScreen(MatchScreen):
    """A series between `agents` (name, policy), who change seats from game to game.

    The agent to move answers as soon as its position is on the board; its thoughts are shown there, and 1 / `speed`
    seconds later its move. Each of the `openings` (actions that begin a game) is played once from every seat.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "pause", key_display="␣", tooltip="pause, or go on"),
        Binding("left", "back", "back", key_display="←", group=STEP, tooltip="a move back"),
        Binding("right", "forward", "forward", key_display="→", group=STEP, tooltip="a move forward"),
        Binding("plus,equals_sign", "faster", "faster", key_display="+", group=SPEED, tooltip="faster"),
        Binding("minus", "slower", "slower", key_display="−", group=SPEED, tooltip="slower"),
        Binding("o,O", "overlay", "overlay", tooltip="the chance of each move, on the board"),
        Binding("n,N", "next_game", "next", tooltip="go on to the next game of the series"),
        *COMMON_KEYS,
    ]

    def __init__(
        self,
        game: Game,
        agents: Sequence[tuple[str, Policy]],
        games: int = 10,
        seed: int = 0,
        speed: float = 1.0,
        openings: Sequence[tuple[int, ...]] = ((),),
    ):
        super().__init__("watch", game, Series([name for name, _ in agents]))
        self.shown = 0
        """Number of the position on the board."""
        self.speed = _bounded(speed)
        self.playing = True
        self.overlay = False
        self._agents = tuple(agents)
        self._games, self._seed, self._openings = games, seed, openings
        self._answers: list[Answer | None] = []  # answer i was given in position i; None in the opening
        self._seen = 0  # the latest position that the board has shown
        self._step_wanted = False
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """Begin the first game."""
        self._deal()

    def look(self) -> MatchView:
        """The position on the board, and what the agent to move thinks of it."""
        position = self.positions[self.shown]
        answer = self._answers[self.shown] if self.shown < len(self._answers) else None
        chances = position.chances(answer)
        board = BoardView(
            position.picture, chances=position.on_cells(chances) if self.overlay else {}, seat=position.seat
        )
        heading = self.query_one(Heading)
        game = f"game {self.series.game + 1} of {self._games}"
        heading.say(game, self.standings(), f"{self.speed:g} x", "" if self.playing else "paused")
        record = self.record(self.shown, self._seen)
        return MatchView(board, self.players_at(position), record, self._thought(position, answer, chances))

    def _thought(self, position: Position, answer: Answer | None, chances: dict[int, float]) -> Thought | None:
        if position.verdict is not None:
            return None
        if answer is None and self.shown < len(self._answers):
            return Thought(position.seat, "opening", remark="the next move is given")
        by_notation = {position.legal[action]: chance for action, chance in chances.items()}
        remark = "does not tell its chances" if answer is not None and not chances else ""
        name = self.seat_names[position.seat]
        return Thought(position.seat, f"{name} thinks", by_notation, answer.value if answer else None, remark)

    def _deal(self) -> None:
        """Set up the game of the series whose turn it is."""
        self._wait(None)
        self.positions, self._answers = self.positions[:1], []
        self.shown = self._seen = 0
        players = [self._agents[contestant] for contestant in self.series.seated()]
        self.say("")
        self.show()
        seed = spawn_seeds(self._seed, self.series.game, count=1)[0]
        opening = self._openings[self.series.game // len(players) % len(self._openings)]
        self.ask("deal", partial(self.table.deal, players, seed, opening), Dealt)

    def on_dealt(self, message: Dealt) -> None:
        """The positions of the opening; the last of them is the first that the agents see."""
        if self.is_news(message):
            self.positions = list(message.positions)
            self.shown = self._seen = len(self.positions) - 1
            self._answers = [None] * self.shown
            self._arrive()

    def on_moved(self, message: Moved) -> None:
        """Another position, which the board has yet to show."""
        if not self.is_news(message):
            return
        self.positions.append(message.position)
        self._answers.append(message.answer)
        self.show()
        if self._step_wanted:
            self._forward()
        elif self.playing and self.shown == len(self.positions) - 2:
            self._wait(1 / self.speed)

    def _forward(self) -> None:
        """Show the next position; wait for it if the agent is still thinking."""
        self._step_wanted = self.shown + 1 == len(self.positions) and self.positions[-1].verdict is None
        if self.shown + 1 < len(self.positions):
            self.shown += 1
            self._seen = max(self._seen, self.shown)
            self._arrive()

    def _arrive(self) -> None:
        """A position has come onto the board: what is to happen next."""
        position = self.positions[self.shown]
        if position.verdict is not None:
            self.series.credit(position.verdict)
            self._end(self.result_at(position))
        else:
            self.say("")
            if self.shown < len(self._answers):
                self._wait(1 / self.speed)
            elif self.job is None:
                self.ask("advance", self.table.advance, lambda job, made: Moved(job, made[1], made[0]))
        self.show()

    def _end(self, news: str) -> None:
        """A game is over: go on to the next after a while."""
        if self.series.game + 1 < self._games:
            self._wait(max(3 / self.speed, 0.5))
        else:
            self.playing = False
            news += f"   the series is over, {self.standings()}"
        self.say(news, "result")

    def _wait(self, seconds: float | None) -> None:
        """Go on after so many seconds, if not paused by then; None: not before something happens."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(seconds, self._go_on) if seconds is not None else None

    def _go_on(self) -> None:
        if not self.playing:
            return
        if self.positions[self.shown].verdict is None:
            self._forward()
        else:
            self.action_next_game()

    def action_pause(self) -> None:
        """Pause, or go on from the position on the board."""
        self.playing = not self.playing
        self._arrive()

    def action_back(self) -> None:
        """Pause, a move back."""
        self.playing = self._step_wanted = False
        self.shown = max(self.shown - 1, 0)
        self._arrive()

    def action_forward(self) -> None:
        """Pause, a move forward."""
        self.playing = False
        self._forward()
        self.show()

    def action_faster(self) -> None:
        """Twice the speed."""
        self._set_speed(self.speed * 2)

    def action_slower(self) -> None:
        """Half the speed."""
        self._set_speed(self.speed / 2)

    def _set_speed(self, speed: float) -> None:
        self.speed = _bounded(speed)
        self._arrive()

    def action_overlay(self) -> None:
        """Show or hide the chances on the board."""
        self.overlay = not self.overlay
        self.show()

    def action_next_game(self) -> None:
        """Leave this game for the next."""
        if self.series.game + 1 < self._games:
            self.series.game += 1
            self._deal()
        else:
            self.say(f"this is the last of {self._games} games; q quits", "refusal")


def _bounded(speed: float) -> float:
    return min(max(speed, SLOWEST), FASTEST)
