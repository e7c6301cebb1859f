"""The base of watching and replaying: stepping through the positions of a match, by hand or at a given speed."""

from textual.app import ComposeResult
from textual.timer import Timer

from arena.base.errors import UsageError
from arena.base.saving import free_path
from arena.match.ask import Answer
from arena.tui.drawing.board import BoardView
from arena.tui.drawing.pictures import Frame, save_png
from arena.tui.parts.hands import Hands
from arena.tui.parts.jobs import AgentJobs
from arena.tui.parts.match import ShownMatch
from arena.tui.screens.base import ArenaScreen
from arena.tui.screens.prompt import PromptScreen
from arena.tui.state.live_match import LiveMatch, Position
from arena.tui.state.pace import LAG_S, Pace, bounded
from arena.tui.state.series import Series
from arena.tui.widgets.board import Board
from arena.tui.widgets.match_pane import MatchPane, MatchView
from arena.tui.widgets.thoughts import Thought
from games.engine.game import Game
from games.engine.picture import Picture


class WalkScreen(ArenaScreen, inherit_bindings=False):
    """Shows one of the known positions with its analysis; each stays as long as the pace says.

    Subclasses supply the positions: `at_the_edge` is called on the last known one, `at_the_end` on the final one.
    """

    def __init__(self, place: str, game: Game, series: Series, speed: float):
        super().__init__(place, game.name)
        self.game, self.match = game, ShownMatch(game, series)
        self.live_match = LiveMatch(game)
        self.jobs = AgentJobs(self, self.background)
        self.hands = Hands()
        self.pace = Pace(speed)
        self.shown = 0
        """Number of the position on the board."""
        self.furthest = 0
        """Number of the latest position that the board has shown."""
        self.playing = True
        self.overlay = False
        self._step_wanted = False
        self._board = BoardView(self.position.picture)
        self._timer: Timer | None = None

    def compose_body(self) -> ComposeResult:
        """Yield the match."""
        yield MatchPane()

    def on_mount(self) -> None:
        """Refresh every second, for the clock of the agent that thinks."""
        self.set_interval(1.0, self.tick)

    def tick(self) -> None:
        """Refresh, once a second."""
        if self.jobs.current is not None:
            self.show()

    def show(self) -> None:
        """Draw the current snapshot."""
        self.query_one(MatchPane).view = self.view_model()

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
        return self.match.positions[self.shown]

    @property
    def picture(self) -> Picture:
        """Its picture, with hidden hands as backs if they are closed."""
        return self.hands.picture_of(self.position)

    def view_model(self) -> MatchView:
        """Return the position on the board with its analysis."""
        position, answer = self.position, self.match.answers.get(self.shown)
        chances = position.chances(answer)
        cells = position.on_cells(chances) if self.overlay else {}
        picture = self.picture
        if self._board.picture is not picture or self._board.chances != cells:  # an equal view is not drawn again
            self._board = BoardView(picture, chances=cells, seat=position.seat)
        thought = None if position.verdict is not None else self.thought(position, answer, chances)
        record = self.match.record(self.shown, self.furthest, self.marks())
        return MatchView(
            self._board, self.match.players(position, self.jobs.doing, self.clock_at), record, thought, self._values()
        )

    def marks(self) -> dict[int, str]:
        """Return the marks of moves, by the number of the position they led to."""
        return {}

    def clock_at(self, seat: int) -> str:
        """Return the clock of a seat at the position on the board, empty if it has none."""
        return ""

    def thought(self, position: Position, answer: Answer | None, chances: dict[int, float]) -> Thought | None:
        """Return the thoughts on a position that is not final."""
        raise NotImplementedError

    def _values(self) -> tuple[tuple[float | None, ...], ...]:
        """Return each seat's expected value by position; in two-player zero-sum games, from the first seat's view."""
        answers = self.match.answers
        if all(answer.value is None for answer in answers.values()):
            return ()
        turned = self.game.num_players == 2 and self.game.zero_sum
        values: list[list[float | None]] = [[None] * (self.furthest + 1) for _ in range(self.game.num_players)]
        for number, answer in answers.items():
            if number <= self.furthest and answer.value is not None:
                seat = self.match.positions[number].seat
                values[seat][number] = -answer.value if turned and seat == 1 else answer.value
        return tuple(map(tuple, values))

    def pace_words(self) -> tuple[str, ...]:
        """Return speed, pause and the player to move, for the heading."""
        moves = "" if self.position.verdict is not None else f"{self.picture.mark(self.position.seat)} to move"
        return f"{self.pace.speed:g} x", "" if self.playing else "paused", moves

    def arrive(self) -> None:
        """Show a position that has come onto the board, and schedule what follows; also after a change of speed."""
        self.pace.arrive()
        self.furthest = max(self.furthest, self.shown)
        if self.hands.note(self.position):
            self.refresh_bindings()
        self.wait(None)
        if self.position.verdict is not None:
            self.at_the_end()
        elif self.shown + 1 < len(self.match.positions):
            self.say("")
            self.wait(self.pace.pause_s)
        else:
            self.at_the_edge()
        self.show()

    def go_to(self, number: int) -> None:
        """Show the position with that number, or the nearest known one."""
        self.shown = min(max(number, 0), len(self.match.positions) - 1)
        self.arrive()

    def forward(self) -> None:
        """Show the next position, as soon as it is known."""
        self._step_wanted = self.shown + 1 == len(self.match.positions) and self.position.verdict is None
        if self.shown + 1 < len(self.match.positions):
            self.go_to(self.shown + 1)

    def position_added(self) -> None:
        """React to a position that was added."""
        if self._step_wanted:
            self.forward()
        elif self.playing and self.shown == len(self.match.positions) - 2:
            left_s = self.pace.left_s()
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
        self.go_to(number if number >= 0 else len(self.match.positions) - 1)

    def action_ask_jump(self) -> None:
        """Ask for the number of a move."""
        known = len(self.match.positions) - 1
        self.app.push_screen(PromptScreen(f"go to move (0 to {known})"), self._jump_to)

    def _jump_to(self, text: str | None) -> None:
        if text is None:
            return
        if not (text.isascii() and text.isdecimal()) or int(text) >= len(self.match.positions):
            self.say(f"{text!r} is not a move from 0 to {len(self.match.positions) - 1}", "refusal")
        else:
            self.action_jump(int(text))

    def action_faster(self) -> None:
        """Double the speed."""
        self._set_speed(self.pace.speed * 2)

    def action_slower(self) -> None:
        """Halve the speed."""
        self._set_speed(self.pace.speed / 2)

    def _set_speed(self, speed: float) -> None:
        self.pace.speed = bounded(speed)
        self.arrive()

    def action_thoughts(self) -> None:
        """Show or hide the probabilities on the board."""
        self.overlay = not self.overlay
        self.show()

    def action_flip(self) -> None:
        """Turn the board around."""
        self.query_one(Board).turn()

    def action_rules(self) -> None:
        """Show the rules of the game."""
        self.show_rules(self.game)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key is shown; that for hands only where some are hidden."""
        return action != "open_cards" or self.hands.hidden

    def action_open_cards(self) -> None:
        """Show or hide the hidden hands."""
        self.hands.are_open = not self.hands.are_open
        self.show()

    def captions(self) -> tuple[str, ...]:
        """Return the players, for a picture of the board."""
        return tuple(f"{self.picture.mark(seat)} {name}" for seat, name in enumerate(self.match.seat_names))

    def action_save_board(self) -> None:
        """Write the board to a PNG file."""
        try:
            path = save_png(Frame(self.picture, self.captions()), free_path(f"{self.game.name}-{self.shown}", ".png"))
        except UsageError as error:
            self.say(str(error), "refusal")
        else:
            self.say(f"the board is saved as {path}")

    def remarks(self) -> list[str]:
        """Return the game and its options."""
        return self.match.remarks()
