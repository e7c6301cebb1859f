"""What watching and playing share: the parts of the screen, its common keys, and jobs for the agents' thread."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Literal, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from arena.match.ask import Answer
from arena.tui.messages import Analysed, Dealt, Hinted, Moved
from arena.tui.screens.base import COMMON_KEYS, ArenaScreen
from arena.tui.series import Series
from arena.tui.table import Position, Table, first_position
from arena.tui.widgets.match_pane import MatchPane, MatchView
from arena.tui.widgets.moves import Record
from arena.tui.widgets.players import Player
from arena.tui.widgets.thoughts import Thought
from arena.tui.words import points, result, standings
from games.engine.game import Game

T = TypeVar("T")
Job = Literal["deal", "play", "advance", "hint", "analyse"]
"""What the agents' thread may be asked for."""

MATCH_KEYS: list[BindingType] = [
    Binding("f,F", "flip", "flip", show=False, tooltip="see the board from the other side"),
    *(
        replace(key, show=key.action in ("help", "app.back"))  # there are too many for one line
        for key in COMMON_KEYS
        if isinstance(key, Binding)
    ),
]
"""For the end of a screen's own keys, which is where people look for them."""


class MatchScreen(ArenaScreen, inherit_bindings=False):
    """A match on a screen; what it shows (`look`), and who moves when, is filled in below it.

    The match itself is touched in the agents' thread only; here are snapshots of its positions.
    """

    def __init__(self, place: str, game: Game, series: Series):
        super().__init__(place, game.name)
        self.game, self.series = game, series
        self.table = Table(game)
        self.positions: list[Position] = [first_position(game)]
        """The match so far."""
        self.job: Job | None = None
        """What the agents' thread is asked for now."""
        self._job_number = 0
        self._job_start_s = 0.0

    def compose_body(self) -> ComposeResult:
        """The match."""
        yield MatchPane()

    def on_mount(self) -> None:
        """Show the board at once; the clock of whoever thinks is brought up to date every second."""
        self.show()
        self.set_interval(1.0, self.tick)

    def tick(self) -> None:
        """A second has passed."""
        if self.job is not None:
            self.show()

    def look(self) -> MatchView:
        """What to show now."""
        raise NotImplementedError

    def show(self) -> None:
        """Show what there is to see now."""
        self.query_one(MatchPane).view = self.look()

    def ask(self, job: Job, work: Callable[[], T], news: Callable[[int, T], Message]) -> None:
        """Have `work` done in the agents' thread and its result posted as `news`; gives up what was asked before."""
        self._job_number += 1
        self.job, self._job_start_s = job, time.monotonic()
        bringing: Callable[[], Awaitable[None]] = partial(self._bring_home, self._job_number, work, news)
        self.run_worker(bringing, group="agents", exclusive=True)

    async def run_job(self, work: Callable[[], T]) -> T:
        """The result of `work`, done in the agents' thread, or what it raised."""
        return await self.thinker.run(work)

    async def _bring_home(self, number: int, work: Callable[[], T], news: Callable[[int, T], Message]) -> None:
        self.post_message(news(number, await self.thinker.run(work)))

    def is_news(self, message: Dealt | Moved | Hinted | Analysed) -> bool:
        """Whether a message answers what was asked last; that is settled then."""
        if message.job != self._job_number:
            return False
        self.job = None
        return True

    def give_up(self) -> None:
        """Ignore whatever the agents' thread is doing."""
        self._job_number += 1
        self.job = None

    @property
    def seat_names(self) -> list[str]:
        """Names by seat in this game."""
        return [self.series.names[contestant] for contestant in self.series.seated()]

    def players_at(self, position: Position) -> tuple[Player, ...]:
        """Every contestant with its score and what it is doing in a position."""
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
        """What the clock of a seat shows in a position; empty where there is none."""
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
        """Seconds since the agents' thread was asked for something."""
        return time.monotonic() - self._job_start_s

    def record(self, shown: int, known: int) -> Record:
        """The moves that led to position `known`, with the place of position `shown` among them."""
        moves = tuple(position.move for position in self.positions[: known + 1] if position.action is not None)
        return Record(moves, min(shown, len(moves)), self.game.num_players)

    def result_at(self, position: Position) -> str:
        """How the match ended there, in words; empty if it goes on."""
        if position.verdict is None:
            return ""
        return result(position.verdict, self.seat_names, sum(p.action is not None for p in self.positions))

    def standings(self) -> str:
        """The score, `1½ – ½`."""
        return standings(self.series.score)

    def action_flip(self) -> None:
        """See the board from the other side."""
        board = self.query_one(MatchPane).board
        board.flipped = not board.flipped

    def told(self, title: str, position: Position, answer: Answer | None, line: tuple[str, ...]) -> Thought:
        """An answer in words, under a title."""
        chances, visits = position.chances(answer), position.visits(answer)
        remark = "does not tell its chances" if answer is not None and not chances else ""
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
        """The game and its options."""
        options = ", ".join(f"{name} {value}" for name, value in self.game.options.items())
        return [f"{self.game.title}: {options}"]
