"""What watching and replaying share: walking through the positions of a match, by hand or at a pace."""

import time

from textual.binding import Binding, BindingType
from textual.timer import Timer

from arena.errors import UsageError
from arena.match.ask import Answer
from arena.saving import free_path
from arena.tui.drawing import BoardView
from arena.tui.pictures import Frame, save_png
from arena.tui.screens.hands import CARDS_KEY, HandsScreen
from arena.tui.screens.match import MatchScreen
from arena.tui.screens.prompt import PromptScreen
from arena.tui.series import Series
from arena.tui.table import Position
from arena.tui.widgets.match_pane import MatchView
from arena.tui.widgets.thoughts import Thought
from arena.tui.words import mark
from games.engine.game import Game
from games.engine.picture import Picture

SLOWEST, FASTEST = 0.25, 64.0
"""Bounds of the speed, in moves a second."""
LAG_S = 0.05
"""Of the time that passes before the next position is known, so much at most is taken from the board's: a screen that
is to be fast does not wait twice."""
STEP = Binding.Group("step", compact=True)
SPEED = Binding.Group("speed", compact=True)
WALK_KEYS: list[BindingType] = [
    Binding("space", "pause", "pause", key_display="␣", tooltip="pause, or go on"),
    Binding("left", "back", "back", key_display="←", group=STEP, tooltip="a move back"),
    Binding("right", "forward", "forward", key_display="→", group=STEP, tooltip="a move forward"),
    Binding("home", "jump(0)", "first", show=False, key_display="home", tooltip="the first position"),
    Binding("end", "jump(-1)", "last", show=False, key_display="end", tooltip="the last position so far"),
    Binding("g,G", "ask_jump", "go to", show=False, tooltip="go to a move by its number"),
    Binding("plus,equals_sign", "faster", "faster", key_display="+", group=SPEED, tooltip="faster"),
    Binding("minus", "slower", "slower", key_display="−", group=SPEED, tooltip="slower"),
    Binding("o,O", "overlay", "overlay", tooltip="the chance of each move, on the board"),
    CARDS_KEY,
    Binding("s", "save_screen", "save", tooltip="save a picture of the screen (SVG)"),
    Binding("S", "save_board", "save board", show=False, tooltip="save a picture of the board (PNG)"),
]
"""For the beginning of a screen's own keys; `MATCH_KEYS` stand at the end."""


class WalkScreen(MatchScreen, HandsScreen):
    """Shows one of the known positions, and what was thought there; each stays for 1 / `speed` seconds.

    Where positions come from is filled in below: `at_the_edge` is called on the last known one, `at_the_end` where the
    match is over.
    """

    def __init__(self, place: str, game: Game, series: Series, speed: float):
        super().__init__(place, game, series)
        self.shown = 0
        """Number of the position on the board."""
        self.speed = bounded(speed)
        self.playing = True
        self.overlay = False
        self.answers: dict[int, Answer] = {}
        """What was thought of positions, by their number."""
        self.seen = 0
        """The latest position that the board has shown."""
        self._step_wanted = False
        self._arrived_s = 0.0
        self._board = BoardView(self.positions[0].picture)
        self._timer: Timer | None = None

    def at_the_edge(self) -> None:
        """Nothing is known beyond the position on the board, and the match goes on there."""
        raise NotImplementedError

    def at_the_end(self) -> None:
        """The match is over in the position on the board."""
        raise NotImplementedError

    def pause_at_the_end(self) -> None:
        """The end has been on the board for its time."""

    @property
    def position(self) -> Position:
        """What is on the board."""
        return self.positions[self.shown]

    @property
    def picture(self) -> Picture:
        """How it looks now, hidden hands as backs if they are closed."""
        return self.picture_of(self.position)

    def look(self) -> MatchView:
        """The position on the board, and what was thought of it."""
        position, answer = self.position, self.answers.get(self.shown)
        chances = position.chances(answer)
        cells = position.on_cells(chances) if self.overlay else {}
        picture = self.picture
        if self._board.picture is not picture or self._board.chances != cells:  # the same one is not drawn again
            self._board = BoardView(picture, chances=cells, seat=position.seat)
        thought = None if position.verdict is not None else self.thought(position, answer, chances)
        record = self.record(self.shown, self.seen)
        return MatchView(self._board, self.players_at(position), record, thought, self._values())

    def thought(self, position: Position, answer: Answer | None, chances: dict[int, float]) -> Thought | None:
        """What there is to be told of a position that is not the end."""
        raise NotImplementedError

    def _values(self) -> tuple[tuple[float | None, ...], ...]:
        """What each seat expected for itself, position by position; of two that share a sum of zero, for the first."""
        turned = self.game.num_players == 2 and self.game.zero_sum
        values: list[list[float | None]] = [[None] * (self.seen + 1) for _ in range(self.game.num_players)]
        for number, answer in self.answers.items():
            if number <= self.seen and answer.value is not None:
                seat = self.positions[number].seat
                values[seat][number] = -answer.value if turned and seat == 1 else answer.value
        return tuple(map(tuple, values)) if any(answer.value is not None for answer in self.answers.values()) else ()

    def affairs(self) -> tuple[str, ...]:
        """The pace, and who is to move, for the heading."""
        moves = "" if self.position.verdict is not None else f"{mark(self.position.seat)} to move"
        return f"{self.speed:g} x", "" if self.playing else "paused", moves

    def arrive(self) -> None:
        """A position has come onto the board, or the pace has changed: what is to happen next."""
        now = time.monotonic()  # a little late is taken for on time, so that lateness does not add up
        self._arrived_s = min(now, max(self._arrived_s + 1 / self.speed, now - LAG_S))
        self.seen = max(self.seen, self.shown)
        self.note(self.position)
        self.wait(None)
        if self.position.verdict is not None:
            self.at_the_end()
        elif self.shown + 1 < len(self.positions):
            self.say("")
            self.wait(1 / self.speed)
        else:
            self.at_the_edge()
        self.show()

    def go_to(self, number: int) -> None:
        """Show the position with that number, or the nearest that is known."""
        self.shown = min(max(number, 0), len(self.positions) - 1)
        self.arrive()

    def forward(self) -> None:
        """Show the next position, as soon as it is known."""
        self._step_wanted = self.shown + 1 == len(self.positions) and self.position.verdict is None
        if self.shown + 1 < len(self.positions):
            self.go_to(self.shown + 1)

    def discovered(self) -> None:
        """There is one more position than before."""
        if self._step_wanted:
            self.forward()
        elif self.playing and self.shown == len(self.positions) - 2:
            left_s = 1 / self.speed - min(time.monotonic() - self._arrived_s, LAG_S)
            if left_s > LAG_S:  # for what was thought to be seen before it is played
                self.show()
            if left_s > 0:
                self.wait(left_s)
            else:
                self._go_on()
        else:
            self.show()

    def wait(self, seconds: float | None) -> None:
        """Go on after so many seconds, if not paused by then; None: not before something happens."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(seconds, self._go_on) if seconds is not None else None

    def _go_on(self) -> None:
        if not self.playing:
            return
        if self.position.verdict is None:
            self.forward()
        else:
            self.pause_at_the_end()

    def action_pause(self) -> None:
        """Pause, or go on from the position on the board."""
        self.playing = not self.playing
        self.arrive()

    def action_back(self) -> None:
        """Pause, a move back."""
        self.playing = self._step_wanted = False
        self.go_to(self.shown - 1)

    def action_forward(self) -> None:
        """Pause, a move forward."""
        self.playing = False
        self.forward()
        self.show()

    def action_jump(self, number: int) -> None:
        """Pause at a position; -1 is the last."""
        self.playing = self._step_wanted = False
        self.go_to(number if number >= 0 else len(self.positions) - 1)

    def action_ask_jump(self) -> None:
        """Ask for the number of a move."""
        known = len(self.positions) - 1
        self.app.push_screen(PromptScreen(f"go to move (0 to {known})"), self._jump_to)

    def _jump_to(self, text: str | None) -> None:
        if text is None:
            return
        if not (text.isascii() and text.isdecimal()) or int(text) >= len(self.positions):
            self.say(f"{text!r} is no move from 0 to {len(self.positions) - 1}", "refusal")
        else:
            self.action_jump(int(text))

    def action_faster(self) -> None:
        """Twice the speed."""
        self._set_speed(self.speed * 2)

    def action_slower(self) -> None:
        """Half the speed."""
        self._set_speed(self.speed / 2)

    def _set_speed(self, speed: float) -> None:
        self.speed = bounded(speed)
        self.arrive()

    def action_overlay(self) -> None:
        """Show or hide the chances on the board."""
        self.overlay = not self.overlay
        self.show()

    def captions(self) -> tuple[str, ...]:
        """Who plays, for a picture of the board."""
        return tuple(f"{mark(seat)} {name}" for seat, name in enumerate(self.seat_names))

    def action_save_board(self) -> None:
        """Write the board to a file."""
        try:
            path = save_png(Frame(self.picture, self.captions()), free_path(f"{self.game.name}-{self.shown}", ".png"))
        except UsageError as error:
            self.say(str(error), "refusal")
        else:
            self.say(f"the board is saved as {path}")


def bounded(speed: float) -> float:
    """The nearest speed that there is."""
    return min(max(speed, SLOWEST), FASTEST)
