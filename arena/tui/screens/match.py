"""The base of watching and playing: layout, common keys, and jobs for the thread of the agents."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Literal, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from arena.match.ask import Answer
from arena.tui.screens.base import COMMON_KEYS, ArenaScreen
from arena.tui.state.live_match import LiveMatch, Position, first_position
from arena.tui.state.messages import Analysed, Dealt, Hinted, MovePlayed
from arena.tui.state.series import Series
from arena.tui.state.words import points, result, standings
from arena.tui.widgets.match_pane import MatchPane, MatchView
from arena.tui.widgets.moves import MoveRecord
from arena.tui.widgets.players import Player
from arena.tui.widgets.thoughts import Thought
from games.engine.game import Game

T = TypeVar("T")
JobKind = Literal["deal", "play", "advance", "hint", "analyse"]
"""Job of the agents' thread."""

MATCH_KEYS: list[BindingType] = [
    Binding("f,F", "flip", "flip", show=False, tooltip="see the board from the other side"),
    *(
        replace(key, show=key.action in ("help", "app.back"))  # there are too many for one line
        for key in COMMON_KEYS
        if isinstance(key, Binding)
    ),
]
"""Bindings for the end of a screen's own, where users look for them."""


class MatchScreen(ArenaScreen, inherit_bindings=False):
    """A match on a screen; subclasses fill in `view_model` and decide who moves when.

    The match itself belongs to the agents' thread; the screen holds snapshots of its positions.
    """

    def __init__(self, place: str, game: Game, series: Series):
        super().__init__(place, game.name)
        self.game, self.series = game, series
        self.live_match = LiveMatch(game)
        self.positions: list[Position] = [first_position(game)]
        """The match so far."""
        self.job: JobKind | None = None
        """Current job of the agents' thread; None if idle."""
        self._job_number = 0
        self._job_start_s = 0.0

    def compose_body(self) -> ComposeResult:
        """Yield the match."""
        yield MatchPane()

    def on_mount(self) -> None:
        """Show the board at once; refresh every second, for the clock of the agent that thinks."""
        self.show()
        self.set_interval(1.0, self.tick)

    def tick(self) -> None:
        """Refresh, once a second."""
        if self.job is not None:
            self.show()

    def view_model(self) -> MatchView:
        """Return the snapshot to draw."""
        raise NotImplementedError

    def show(self) -> None:
        """Draw the current snapshot."""
        self.query_one(MatchPane).view = self.view_model()

    def ask(self, job: JobKind, work: Callable[[], T], news: Callable[[int, T], Message]) -> None:
        """Run `work` in the agents' thread and post its result as `news`; the result of an earlier job is dropped."""
        self._job_number += 1
        self.job, self._job_start_s = job, time.monotonic()
        bringing: Callable[[], Awaitable[None]] = partial(self._bring_home, self._job_number, work, news)
        self.run_worker(bringing, group="agents", exclusive=True)

    async def run_job(self, work: Callable[[], T]) -> T:
        """Return the result of `work`, run in the agents' thread; raises what it raises."""
        return await self.background.run(work)

    async def _bring_home(self, number: int, work: Callable[[], T], news: Callable[[int, T], Message]) -> None:
        self.post_message(news(number, await self.background.run(work)))

    def is_news(self, message: Dealt | MovePlayed | Hinted | Analysed) -> bool:
        """Return whether a message answers the current job, which is then done."""
        if message.job != self._job_number:
            return False
        self.job = None
        return True

    def give_up(self) -> None:
        """Drop the result of the current job."""
        self._job_number += 1
        self.job = None

    @property
    def seat_names(self) -> list[str]:
        """Names by seat in this game."""
        return [self.series.names[contestant] for contestant in self.series.seated()]

    def players_at(self, position: Position) -> tuple[Player, ...]:
        """Return every contestant with its score and its activity in a position."""
        return tuple(
            Player(
                name,
                self.series.seat_of(i),
                points(self.series.score[i]),
                self._doing(position, i),
                self.clock_at(position, self.series.seat_of(i)),
            )
            for i, name in enumerate(self.series.names)
        )

    def clock_at(self, position: Position, seat: int) -> str:
        """Return the clock of a seat in a position, empty if it has none."""
        return ""

    def _doing(self, position: Position, contestant: int) -> str:
        if position.verdict is not None or self.series.seat_of(contestant) != position.seat:
            return ""
        waited_s = int(self.waited_s)
        if self.job != "advance" or waited_s < 1:
            return "to move"
        return f"thinks {waited_s} s" if waited_s < 100 else f"thinks {waited_s // 60} m"

    @property
    def waited_s(self) -> float:
        """Seconds since the current job began."""
        return time.monotonic() - self._job_start_s

    def move_record(self, shown: int, known: int) -> MoveRecord:
        """Return the moves that led to position `known`, with position `shown` marked."""
        moves = tuple(position.move for position in self.positions[: known + 1] if position.action is not None)
        return MoveRecord(moves, min(shown, len(moves)), self.game.num_players)

    def result_at(self, position: Position) -> str:
        """Return how the match ended in a position, in words; empty if it goes on."""
        if position.verdict is None:
            return ""
        return result(position.verdict, self.seat_names, sum(p.action is not None for p in self.positions))

    def standings(self) -> str:
        """Return the score, `1½ – ½`."""
        return standings(self.series.score)

    def action_flip(self) -> None:
        """Turn the board around."""
        board = self.query_one(MatchPane).board
        board.flipped = not board.flipped

    def thought_from(self, title: str, position: Position, answer: Answer | None, line: tuple[str, ...]) -> Thought:
        """Return an agent's answer as a snapshot to draw, under a title."""
        chances, visits = position.chances(answer), position.visits(answer)
        remark = "reports no probabilities" if answer is not None and not chances else ""
        return Thought(
            position.seat,
            title,
            {position.legal[action]: chance for action, chance in chances.items()},
            answer.value if answer else None,
            remark,
            {position.legal[action]: count for action, count in visits.items()},
            line,
        )

    def remarks(self) -> list[str]:
        """Return the game and its options."""
        options = ", ".join(f"{name} {value}" for name, value in self.game.options.items())
        return [f"{self.game.title}: {options}"]
