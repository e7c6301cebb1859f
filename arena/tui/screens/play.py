"""Play against agents, or against other people at the same keyboard."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from arena.base.errors import UsageError
from arena.match.ask import Answer
from arena.policy.protocol import Policy
from arena.tui.drawing.board import BoardView
from arena.tui.screens.match import MATCH_KEYS
from arena.tui.screens.requests import RequestsScreen
from arena.tui.screens.sitting import SittingOptions
from arena.tui.state.live_match import Cell, Position
from arena.tui.state.messages import Hinted, MovePlayed
from arena.tui.state.pointing import highlighted, pointed
from arena.tui.state.words import mark
from arena.tui.widgets.board import Board
from arena.tui.widgets.choices import Choices
from arena.tui.widgets.entry import Entry
from arena.tui.widgets.heading import Heading
from arena.tui.widgets.match_pane import MatchView
from arena.tui.widgets.thoughts import Thought
from games.engine.game import Game

YOUR_MOVE = "your move: type it, click, or arrows and enter"


class PlayScreen(RequestsScreen):
    """Moves by typing, pointing and choosing; hints, and the agents' thoughts."""

    AUTO_FOCUS = "Entry"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "point(-1, 0)", "up", show=False, key_display="↑", tooltip="the cursor up"),
        Binding("down", "point(1, 0)", "down", show=False, key_display="↓", tooltip="the cursor down"),
        Binding("left", "point(0, -1)", "left", show=False, key_display="←", tooltip="the cursor left; a move back"),
        Binding("right", "point(0, 1)", "right", show=False, key_display="→", tooltip="the cursor right; a move on"),
        Binding("enter", "choose", "play", key_display="↵", tooltip="play what is typed, or the cursor's cell"),
        Binding("escape", "let_go", "let go", show=False, tooltip="let go of a piece; have the agent move now"),
        Binding("h,H", "hint", "hint", tooltip="what an agent would do in your place"),
        Binding("u,U", "take_back", "undo", tooltip="take back your last move"),
        Binding("d,D", "draw", "draw", tooltip="offer a draw, or accept one"),
        Binding("R,ctrl+r", "resign", "resign", tooltip="resign"),
        Binding("m,M", "mind", "mind", tooltip="what agents thought, after the game"),
        Binding("n,N", "new_game", "new", tooltip="a new game, seats changed"),
        Binding("c,C", "change_seats", "seats", show=False, tooltip="this game again, seats changed"),
        *MATCH_KEYS,
    ]

    def __init__(self, game: Game, others: Sequence[tuple[str, Policy | None]], options: SittingOptions | None = None):
        super().__init__(game, others, options)
        self.hint: Answer | None = None
        """Advice for the current position, if the player asked for it."""
        self.picked: Cell | None = None
        """Cell of the piece that the player has picked up, to point at its destination next."""
        self.shown = 0
        """Number of the position on the board; the last one until the game is over."""
        self.mind = self.options.show_thoughts
        """True if thoughts are shown where they are allowed."""
        self._adviser = self.options.hints or next(((name, policy) for name, policy in others if policy), None)

    def compose_bottom(self) -> ComposeResult:
        """Yield the input line, and moves to click."""
        yield Entry()
        yield Choices()

    def view_model(self) -> MatchView:
        """Return the position, with the hint or the agent's thoughts."""
        position, latest = self.positions[self.shown], len(self.positions) - 1
        chances = {} if self.hint is None else position.chances(self.hint)
        targets = highlighted(position, self.picked) if self.my_turn else frozenset()
        board = BoardView(position.picture, targets, position.on_cells(chances), position.seat, self.picked)
        self.query_one(Heading).say(f"game {self.series.game + 1}", self.standings())
        record = self.move_record(self.shown, latest)
        return MatchView(board, self.players_at(position), record, self._thought(position))

    def _thought(self, position: Position) -> Thought:
        """Return the hint, or the last thoughts of an agent before the position on the board."""
        adviser = self._adviser[0] if self._adviser else ""
        if self.hint is not None:
            return self.thought_from(f"{adviser} would play", position, self.hint, ())
        over = self.position.verdict is not None
        known = [number for number in self.answers if number <= self.shown and number + 1 < len(self.positions)]
        if self.mind and known and (over or self.options.show_thoughts):
            before, line = self.positions[max(known)], self.positions[max(known) + 1].line
            return self.thought_from(f"{self.seat_names[before.seat]} thought", before, self.answers[max(known)], line)
        remark = f"{self.key_of('hint')}: what {adviser} would play" if adviser else ""
        after = f"{self.key_of('mind')}: what they thought   ← →: step"
        return Thought(self.seat, "thoughts", remark=after if over else remark)

    def show(self) -> None:
        """Show the current position, with the cursor if a person is to move, and buttons for moves without a cell."""
        super().show()
        self.query_one(Board).show_cursor(self.my_turn)
        legal, cells = self.position.legal, self.position.picture.action_cells
        placeless = {action: text for action, text in legal.items() if cells[action][0] < 0}
        self.query_one(Choices).moves = placeless if self.my_turn else {}

    def deal(self, actions: tuple[int, ...] = ()) -> None:
        """Set up a match with these actions played."""
        self.hint = self.picked = None
        self.shown = len(self.positions) - 1
        super().deal(actions)

    def arrived(self) -> None:
        """Announce whose turn it is, or the result."""
        self.hint = self.picked = None
        self.shown = len(self.positions) - 1
        position = self.position
        entry = self.query_one(Entry)
        entry.beginnings = entry.beginnings | {text[0] for text in position.legal.values()}
        self.refresh_bindings()
        if position.verdict is not None:
            self.say(f"{self.result_at(position)}   {self.key_of('new_game')}: new game, seats changed", "result")
        elif self.policy_at(position.seat) is not None:
            self.say("")
        elif self.offer not in (None, position.seat):
            self.say(f"a draw is offered: {self.key_of('draw')} accepts, a move declines", "refusal")
        else:
            player = "" if len(self.people) == 1 else f"{mark(position.seat)} {self.seat_names[position.seat]}, "
            self.say(player + YOUR_MOVE)

    def on_board_pointed(self, message: Board.Pointed) -> None:
        """Play the move of the cell, or pick up the piece on it."""
        position = self.position
        if position.picture.action_origins is not None and self.my_turn:
            self._point_at(position, message.cell)
        elif (action := int(position.picture.cell_actions[message.cell])) >= 0 or not self.my_turn:
            self._play(action, "that")
        elif position.targets.get(message.cell):
            self._play(position.targets[message.cell][0], "that")

    def _point_at(self, position: Position, cell: Cell) -> None:
        """Pick up a piece, or move the one that is picked up."""
        previous, (self.picked, meant) = self.picked, pointed(position, self.picked, cell)
        if len(meant) == 1:
            self._play(meant[0], "that")
        elif meant:
            self.picked = previous
            self.say("several moves lead there; click one, or type it", "refusal")
            self.query_one(Choices).moves = {action: position.legal[action] for action in meant}
            return
        elif self.picked is not None:
            self.say("where to? a dot marks each cell; escape lets go")
        elif previous is not None:
            self.say(YOUR_MOVE)
        else:
            self.say("nothing of yours can move from there; a dot marks each piece that can", "refusal")
        self.show()

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        """Play the clicked move."""
        self._play(message.action, "that")

    def action_let_go(self) -> None:
        """Put down the piece that is picked up; without one, ask the agent to move now."""
        if self.picked is not None:
            self.picked = None
            self.say(YOUR_MOVE)
            self.show()
        elif self.job == "hint" and self._adviser is not None:
            self._adviser[1].hurry()
        else:
            self.move_now()

    def on_entry_typed(self, message: Entry.Typed) -> None:
        """Play the typed move."""
        try:
            action = self.game.parse_action(self.position.state, message.text)
        except UsageError as error:
            self.say(str(error), "refusal")
        else:
            self._play(action, repr(message.text.strip()))

    def _play(self, action: int, called: str) -> None:
        """Play an action of the player at the keyboard; an illegal one is refused with the reason."""
        position = self.position
        if position.verdict is not None:
            self.say_over()
        elif not self.my_turn:
            self.say(f"it is not your turn: {self.seat_names[position.seat]} moves", "refusal")
        elif action not in position.legal:
            self.say(f"{called} is not a legal move here; a dot marks each that is", "refusal")
        else:
            if self.offer not in (None, position.seat):
                self.offer = None
            self.stop_agents()
            self.ask("play", partial(self.live_match.play, action), MovePlayed)

    def action_point(self, down: int, right: int) -> None:
        """Move the cursor; once the game is over, step through it."""
        if self.my_turn:
            self.query_one(Board).step_cursor(down, right)
        elif self.position.verdict is not None:
            self.shown = min(max(self.shown + right, 0), len(self.positions) - 1)
            self.show()

    def action_choose(self) -> None:
        """Play the cursor's cell."""
        self.query_one(Board).choose()

    def all_agents(self) -> list[Policy]:
        """Return the agents at the table, and the one that gives hints."""
        return [*super().all_agents(), *([self._adviser[1]] if self.options.hints and self._adviser else [])]

    def action_hint(self) -> None:
        """Ask an agent for a hint, or hide the hint."""
        if self.hint is not None:
            self.hint = None
            self.show()
        elif self._adviser is None:
            self.say("no agent gives hints here", "refusal")
        elif self.my_turn and self.job is None:
            self.say(f"{self._adviser[0]} thinks about a hint …")
            match = self.live_match
            work = match.advise if self.options.hints else lambda policy, seed: match.consult(policy)
            self.ask("hint", partial(work, self._adviser[1], self.options.seed), Hinted)
        else:
            self.say("a hint is for your own turn", "refusal")

    def on_hinted(self, message: Hinted) -> None:
        """Show the hint."""
        if not self.is_news(message):
            return
        self.hint = self._named(message.answer)
        if self.hint is None and self._adviser is not None:
            failure = message.answer.failure
            why = failure.detail if failure else "its move is illegal"
            self.say(f"{self._adviser[0]} has no hint: {why}", "refusal")
        else:
            self.say(YOUR_MOVE)
        self.show()

    def _named(self, answer: Answer) -> Answer | None:
        """Return an answer with probabilities: if it has none, 1 for its move; None if that move is illegal."""
        if self.position.chances(answer):
            return answer
        if answer.action not in self.position.legal:
            return None
        return replace(answer, probs=np.eye(self.game.num_actions)[answer.action])

    def action_mind(self) -> None:
        """Show or hide the agents' thoughts."""
        if self.position.verdict is None and not self.options.show_thoughts:
            self.say("what agents think is shown after the game, or always with --open", "refusal")
        else:
            self.mind = not self.mind
            self.show()

    def remarks(self) -> list[str]:
        """Return how letters are shared between moves and commands."""
        return [*super().remarks(), "A letter that begins a move types it; its command is on the capital then."]
