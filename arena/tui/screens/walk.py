"""The base of watching and replaying: stepping through the positions of a match, by hand or at a given speed."""

import time

from textual.binding import Binding, BindingType
from textual.timer import Timer

from arena.base.errors import UsageError
from arena.base.saving import free_path
from arena.match.ask import Answer
from arena.tui.drawing.board import BoardView
from arena.tui.drawing.pictures import Frame, save_png
from arena.tui.screens.hands import CARDS_KEY, HandsScreen
from arena.tui.screens.match import MatchScreen
from arena.tui.screens.prompt import PromptScreen
from arena.tui.state.live_match import Position
from arena.tui.state.series import Series
from arena.tui.state.words import mark
from arena.tui.widgets.match_pane import MatchView
from arena.tui.widgets.thoughts import Thought
from games.engine.game import Game
from games.engine.picture import Picture

SLOWEST, FASTEST = 0.25, 64.0
"""Bounds of the speed, in moves a second."""
LAG_S = 0.05
"""Maximum lateness of a position that counts as on time: at high speed, small delays must not add up."""
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
"""Bindings for the beginning of a screen's own; `MATCH_KEYS` come last."""


class WalkScreen(MatchScreen, HandsScreen):
    """Shows one of the known positions with its analysis; each stays for 1 / `speed` seconds.

    Subclasses supply the positions: `at_the_edge` is called on the last known one, `at_the_end` on the final one.
    """

    def __init__(self, place: str, game: Game, series: Series, speed: float):
        super().__init__(place, game, series)
        self.shown = 0
        """Number of the position on the board."""
        self.speed = bounded(speed)
        self.playing = True
        self.overlay = False
        self.answers: dict[int, Answer] = {}
        """The agents' answers, by the number of the position."""
        self.last_seen = 0
        """Number of the latest position that the board has shown."""
        self._step_wanted = False
        self._arrived_s = 0.0
        self._board = BoardView(self.positions[0].picture)
        self._timer: Timer | None = None

    def at_the_edge(self) -> None:
        """Handle the last known position, from which the match goes on."""
        raise NotImplementedError

    def at_the_end(self) -> None:
        """Handle the final position."""
        raise NotImplementedError

    def pause_at_the_end(self) -> None:
        """Handle the end of the pause after the final position."""

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.positions[self.shown]

    @property
    def picture(self) -> Picture:
        """Its picture, with hidden hands as backs if they are closed."""
        return self.picture_of(self.position)

    def view_model(self) -> MatchView:
        """Return the position on the board with its analysis."""
        position, answer = self.position, self.answers.get(self.shown)
        chances = position.chances(answer)
        cells = position.on_cells(chances) if self.overlay else {}
        picture = self.picture
        if self._board.picture is not picture or self._board.chances != cells:  # an equal view is not drawn again
            self._board = BoardView(picture, chances=cells, seat=position.seat)
        thought = None if position.verdict is not None else self.thought(position, answer, chances)
        record = self.move_record(self.shown, self.last_seen)
        return MatchView(self._board, self.players_at(position), record, thought, self._values())

    def thought(self, position: Position, answer: Answer | None, chances: dict[int, float]) -> Thought | None:
        """Return the thoughts on a position that is not final."""
        raise NotImplementedError

    def _values(self) -> tuple[tuple[float | None, ...], ...]:
        """Return each seat's expected value by position; in two-player zero-sum games, from the first seat's view."""
        turned = self.game.num_players == 2 and self.game.zero_sum
        values: list[list[float | None]] = [[None] * (self.last_seen + 1) for _ in range(self.game.num_players)]
        for number, answer in self.answers.items():
            if number <= self.last_seen and answer.value is not None:
                seat = self.positions[number].seat
                values[seat][number] = -answer.value if turned and seat == 1 else answer.value
        return tuple(map(tuple, values)) if any(answer.value is not None for answer in self.answers.values()) else ()

    def pace_words(self) -> tuple[str, ...]:
        """Return speed, pause and the player to move, for the heading."""
        moves = "" if self.position.verdict is not None else f"{mark(self.position.seat)} to move"
        return f"{self.speed:g} x", "" if self.playing else "paused", moves

    def arrive(self) -> None:
        """Show a position that has come onto the board, and schedule what follows; also after a change of speed."""
        now = time.monotonic()  # small delays count as on time, so that they do not add up
        self._arrived_s = min(now, max(self._arrived_s + 1 / self.speed, now - LAG_S))
        self.last_seen = max(self.last_seen, self.shown)
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
        """Show the position with that number, or the nearest known one."""
        self.shown = min(max(number, 0), len(self.positions) - 1)
        self.arrive()

    def forward(self) -> None:
        """Show the next position, as soon as it is known."""
        self._step_wanted = self.shown + 1 == len(self.positions) and self.position.verdict is None
        if self.shown + 1 < len(self.positions):
            self.go_to(self.shown + 1)

    def position_added(self) -> None:
        """React to a position that was added."""
        if self._step_wanted:
            self.forward()
        elif self.playing and self.shown == len(self.positions) - 2:
            left_s = 1 / self.speed - min(time.monotonic() - self._arrived_s, LAG_S)
            if left_s > LAG_S:  # time enough to show the thoughts before the move
                self.show()
            if left_s > 0:
                self.wait(left_s)
            else:
                self._go_on()
        else:
            self.show()

    def wait(self, seconds: float | None) -> None:
        """Go on after `seconds` unless paused; None cancels."""
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
        """Pause, and go a move back."""
        self.playing = self._step_wanted = False
        self.go_to(self.shown - 1)

    def action_forward(self) -> None:
        """Pause, and go a move forward."""
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
            self.say(f"{text!r} is not a move from 0 to {len(self.positions) - 1}", "refusal")
        else:
            self.action_jump(int(text))

    def action_faster(self) -> None:
        """Double the speed."""
        self._set_speed(self.speed * 2)

    def action_slower(self) -> None:
        """Halve the speed."""
        self._set_speed(self.speed / 2)

    def _set_speed(self, speed: float) -> None:
        self.speed = bounded(speed)
        self.arrive()

    def action_overlay(self) -> None:
        """Show or hide the probabilities on the board."""
        self.overlay = not self.overlay
        self.show()

    def captions(self) -> tuple[str, ...]:
        """Return the players, for a picture of the board."""
        return tuple(f"{mark(seat)} {name}" for seat, name in enumerate(self.seat_names))

    def action_save_board(self) -> None:
        """Write the board to a PNG file."""
        try:
            path = save_png(Frame(self.picture, self.captions()), free_path(f"{self.game.name}-{self.shown}", ".png"))
        except UsageError as error:
            self.say(str(error), "refusal")
        else:
            self.say(f"the board is saved as {path}")


def bounded(speed: float) -> float:
    """Return the nearest allowed speed."""
    return min(max(speed, SLOWEST), FASTEST)
