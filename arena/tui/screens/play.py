"""Play against an agent."""

from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from arena.errors import UsageError
from arena.match.ask import Answer
from arena.match.verdict import Reason, forfeit
from arena.policy.protocol import Policy
from arena.seeding import spawn_seeds
from arena.tui.drawing import BoardView
from arena.tui.messages import Dealt, Hinted, Moved
from arena.tui.pointing import lit, pointed
from arena.tui.screens.match import MATCH_KEYS, MatchScreen
from arena.tui.series import Series
from arena.tui.table import Cell, Position
from arena.tui.widgets.board import Board
from arena.tui.widgets.entry import Entry
from arena.tui.widgets.heading import Heading
from arena.tui.widgets.match_pane import MatchView
from arena.tui.widgets.thoughts import Thought
from arena.tui.words import YOU
from games.engine.game import Game

YOUR_MOVE = "your move: type it, click, or arrows and enter"


class PlayScreen(MatchScreen):
    """Games between a person and an `agent` (name, policy) at all other seats; seats change from game to game."""

    AUTO_FOCUS = "Entry"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "point(-1, 0)", "up", show=False, key_display="↑", tooltip="the cursor up"),
        Binding("down", "point(1, 0)", "down", show=False, key_display="↓", tooltip="the cursor down"),
        Binding("left", "point(0, -1)", "left", show=False, key_display="←", tooltip="the cursor left"),
        Binding("right", "point(0, 1)", "right", show=False, key_display="→", tooltip="the cursor right"),
        Binding("enter", "choose", "play", key_display="↵", tooltip="play what is typed, or the cursor's cell"),
        Binding("escape", "let_go", "let go", show=False, tooltip="let go of the piece that you pointed at"),
        Binding("h,H", "hint", "hint", tooltip="what the agent would do in your place"),
        Binding("u,U", "take_back", "take back", tooltip="take back your last move"),
        Binding("R", "resign", "resign", tooltip="resign"),
        Binding("n,N", "new_game", "new", tooltip="a new game, seats changed"),
        *MATCH_KEYS,
    ]

    def __init__(self, game: Game, agent: tuple[str, Policy], seat: int = 0, seed: int = 0):
        super().__init__("play", game, Series([YOU] + [agent[0]] * (game.num_players - 1), first_seat=seat))
        self.hint: Answer | None = None
        """What the agent would do in the present position, if the person has asked."""
        self.picked: Cell | None = None
        """Where the piece stands that the person has pointed at, and is to point at its way."""
        self._agent = agent
        self._seed = seed
        self._asked_to_leave: Position | None = None  # where a new game was asked for before this one's end

    def compose_bottom(self) -> ComposeResult:
        """The line to type on."""
        yield Entry()

    def on_mount(self) -> None:
        """Begin the first game."""
        self._deal()

    @property
    def seat(self) -> int:
        """The person's."""
        return self.series.seat_of(0)

    @property
    def my_turn(self) -> bool:
        """Whether the person may move."""
        position = self.positions[-1]
        return position.verdict is None and position.seat == self.seat and self.job in (None, "hint")

    def look(self) -> MatchView:
        """The latest position, and the hint."""
        position = self.positions[-1]
        chances = self._hinted_chances(position)
        targets = lit(position, self.picked) if self.my_turn else frozenset()
        board = BoardView(position.picture, targets, position.on_cells(chances), position.seat, self.picked)
        self.query_one(Heading).say(f"game {self.series.game + 1}", self.standings())
        thought = Thought(self.seat, "hint", remark=f"ask, and see what {self._agent[0]} would play")
        if self.hint is not None:
            by_notation = {position.legal[action]: chance for action, chance in chances.items()}
            thought = Thought(self.seat, f"{self._agent[0]} would play", by_notation, self.hint.value)
        latest = len(self.positions) - 1
        return MatchView(board, self.players_at(position), self.record(latest, latest), thought)

    def show(self) -> None:
        """Show the present, with the cursor on the person's turn."""
        super().show()
        self.query_one(Board).show_cursor(self.my_turn)

    def _hinted_chances(self, position: Position) -> dict[int, float]:
        """Chances of the hint; the one move it names, if it tells no chances."""
        if self.hint is None:
            return {}
        named = {self.hint.action: 1.0} if self.hint.action in position.legal else {}
        return position.chances(self.hint) or named

    def _deal(self, actions: tuple[int, ...] = ()) -> None:
        """Set up a match with these actions played."""
        self.hint = self.picked = None
        players = [(YOU, None) if contestant == 0 else self._agent for contestant in self.series.seated()]
        seed = spawn_seeds(self._seed, self.series.game, count=1)[0]
        self.ask("deal", partial(self.table.deal, players, seed, actions), Dealt)
        self.show()

    def on_dealt(self, message: Dealt) -> None:
        """A position to play from."""
        if self.is_news(message):
            self.positions = list(message.positions)
            beginnings = {text[0] for text in self.positions[0].legal.values()}
            self.query_one(Entry).beginnings = frozenset(beginnings)
            self.refresh_bindings()
            self._arrive()

    def on_moved(self, message: Moved) -> None:
        """A move of the person or of an agent."""
        if self.is_news(message):
            self.positions.append(message.position)
            self._arrive()

    def _arrive(self) -> None:
        """A new position: whose turn it is, and what is to happen."""
        position = self.positions[-1]
        self.hint = self.picked = None
        self.series.credit(position.verdict)
        if position.verdict is not None:
            self.say(f"{self.result_at(position)}   n: new game, seats changed", "result")
        elif position.seat == self.seat:
            self.say(YOUR_MOVE)
        else:
            self.say("")
            self.ask("advance", self.table.advance, lambda job, made: Moved(job, made[1], made[0]))
        self.show()

    def on_board_pointed(self, message: Board.Pointed) -> None:
        """Play what the person pointed at, or take the piece there in hand."""
        position = self.positions[-1]
        if position.picture.action_origins is not None and self.my_turn:
            self._point_at(position, message.cell)
        elif (action := int(position.picture.cell_actions[message.cell])) >= 0 or not self.my_turn:
            self._play(action, "that")

    def _point_at(self, position: Position, cell: Cell) -> None:
        """Point at a piece, or at where the one in hand is to go."""
        held, (self.picked, meant) = self.picked, pointed(position, self.picked, cell)
        if len(meant) == 1:
            self._play(meant[0], "that")
        elif meant:
            self.picked = held
            self.say(f"several moves lead there; type one: {', '.join(position.legal[a] for a in meant)}", "refusal")
        elif self.picked is not None:
            self.say("where to? a dot marks each cell; escape lets go")
        elif held is not None:
            self.say(YOUR_MOVE)
        else:
            self.say("nothing of yours can move from there; a dot marks each piece that can", "refusal")
        self.show()

    def action_let_go(self) -> None:
        """Have no piece in hand."""
        if self.picked is not None:
            self.picked = None
            self.say(YOUR_MOVE)
            self.show()

    def on_entry_typed(self, message: Entry.Typed) -> None:
        """Play what the person typed."""
        self.query_one(Entry).text = ""
        try:
            action = self.game.parse_action(self.positions[-1].state, message.text)
        except UsageError as error:
            self.say(str(error), "refusal")
        else:
            self._play(action, repr(message.text.strip()))

    def _play(self, action: int, called: str) -> None:
        """Play an action of the person's, or say why not."""
        position = self.positions[-1]
        if position.verdict is not None:
            self.say("the game is over; n begins another", "refusal")
        elif not self.my_turn:
            self.say(f"it is not your turn: {self.seat_names[position.seat]} moves", "refusal")
        elif action not in position.legal:
            self.say(f"{called} is not a legal move here; a dot marks each that is", "refusal")
        else:
            self.ask("play", partial(self.table.play, action), Moved)

    def action_point(self, down: int, right: int) -> None:
        """Move the cursor."""
        if self.my_turn:
            self.query_one(Board).step_cursor(down, right)

    def action_choose(self) -> None:
        """Play the cursor's cell."""
        self.query_one(Board).choose()

    def action_hint(self) -> None:
        """Ask the agent, or hide what it said."""
        if self.hint is not None:
            self.hint = None
            self.show()
        elif self.my_turn and self.job is None:
            self.ask("hint", partial(self.table.consult, self._agent[1]), Hinted)
        else:
            self.say("a hint is for your own turn", "refusal")

    def on_hinted(self, message: Hinted) -> None:
        """What the agent would do."""
        if not self.is_news(message):
            return
        self.hint = message.answer
        if not self._hinted_chances(self.positions[-1]):
            self.hint = None
            failure = message.answer.failure
            why = failure.detail if failure else "its move is illegal"
            self.say(f"{self._agent[0]} has no hint: {why}", "refusal")
        self.show()

    def action_take_back(self) -> None:
        """Go back to the person's last decision."""
        mine = [i for i, position in enumerate(self.positions[:-1]) if position.seat == self.seat]
        if not mine:
            self.say("there is nothing to take back", "refusal")
            return
        self.positions = self.positions[: mine[-1] + 1]
        self.series.credit(None)
        self._deal(tuple(position.action for position in self.positions if position.action is not None))

    def action_resign(self) -> None:
        """Lose the game."""
        position = self.positions[-1]
        if position.verdict is None:
            self.give_up()
            verdict = forfeit(self.game.num_players, self.seat, Reason.RESIGNED)
            self.positions.append(replace(position, legal={}, action=None, move="", verdict=verdict))
            self._arrive()

    def action_new_game(self) -> None:
        """Begin another game; asks again before it leaves one that is not over."""
        position = self.positions[-1]
        if position.verdict is None and len(self.positions) > 1 and self._asked_to_leave is not position:
            self._asked_to_leave = position
            self.say("this game is not over; n again leaves it for a new one", "refusal")
            return
        self.series.game += 1
        self.positions = self.positions[:1]
        self._deal()

    def remarks(self) -> list[str]:
        """How letters are shared between moves and commands."""
        return [*super().remarks(), "A letter that begins a move types it; its command is on the capital then."]
