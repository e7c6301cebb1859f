"""Play against agents, or against other people at the same keyboard, game after game."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from arena.base.errors import UsageError
from arena.match.contained import ContainedPolicy
from arena.match.files import WrittenMatch
from arena.match.verdict import Reason, agreed, forfeit, has_agreed_draws
from arena.policy.protocol import Policy
from arena.tui.drawing.board import BoardView
from arena.tui.parts.confirmation import Confirmation
from arena.tui.parts.draws import why_declined
from arena.tui.parts.hints import HINT_S, bring_to_an_end
from arena.tui.parts.match import thought_from
from arena.tui.parts.sitting import PlayOptions, Sitting
from arena.tui.screens.base import ArenaScreen
from arena.tui.screens.curtain import CurtainScreen
from arena.tui.screens.keys import MATCH_KEYS, PLAY_KEYS
from arena.tui.screens.replay import ReplayScreen
from arena.tui.state.live_match import Cell, Position
from arena.tui.state.messages import Dealt, Hinted, MovePlayed, RemoteNews
from arena.tui.state.pointing import highlighted, pointed, without_cell, your_move
from arena.tui.state.words import getting_ready
from arena.tui.widgets.board import Board
from arena.tui.widgets.choices import Choices
from arena.tui.widgets.entry import Entry
from arena.tui.widgets.match_pane import MatchPane, MatchView
from arena.tui.widgets.thoughts import Thought
from games.engine.actions import Action, written
from games.engine.game import Game

WHAT_NEXT = "n: next game   x: again from the other seat   a: analysis"
"""What can be done after a game."""
LOOK_S = 3.0
"""Seconds between questions to the server that keeps a game, while the player thinks."""
HURRY_HINT_S = 3.0
"""Thinking time after which the user is told that the agent can be hurried."""


class PlayScreen(ArenaScreen, inherit_bindings=False):
    """Games between a person and `others` (name, policy; None for another person); seats change from game to game."""

    AUTO_FOCUS = "Entry"
    BINDINGS: ClassVar[list[BindingType]] = [*PLAY_KEYS, *MATCH_KEYS]

    def __init__(self, game: Game, others: Sequence[tuple[str, Policy | None]], options: PlayOptions | None = None):
        super().__init__("play", game.name)
        self.game, self.options = game, options or PlayOptions()
        self.sitting = Sitting(self, self.background, game, others, self.options)
        self.match, self.jobs = self.sitting.match, self.sitting.jobs
        self.confirmation = Confirmation()
        self.picked: Cell | None = None
        """Cell of the piece that the player has picked up, to point at its destination next."""
        self.shown = 0
        """Number of the position on the board; the last one until the game is over."""
        self.mind = self.options.show_thoughts
        """True if thoughts are shown where they are allowed."""
        self._looks = False  # while the server is asked for news of the game that it keeps

    def compose_body(self) -> ComposeResult:
        """Yield the match."""
        yield MatchPane()

    def compose_bottom(self) -> ComposeResult:
        """Yield the input line, and moves to click."""
        yield Entry()
        yield Choices()

    def on_mount(self) -> None:
        """Start the first game."""
        self.set_interval(1.0, self.tick)
        if self.options.remote is not None:
            self.set_interval(LOOK_S, self._look)
        self.sitting.open()

    def on_unmount(self) -> None:
        """Stop agents that are still thinking."""
        self.jobs.end(self.sitting.all_agents())

    def on_dealt(self, message: Dealt) -> None:
        """Begin from the position that was dealt."""
        self.sitting.dealt(message)

    def on_move_played(self, message: MovePlayed) -> None:
        """Go on from the position after a move."""
        self.sitting.moved(message)

    # --- what is drawn --------------------------------------------------------------------------------------------

    def view_model(self) -> MatchView:
        """Return the position, with the hint or the agent's thoughts."""
        sitting, match, position = self.sitting, self.match, self.match.positions[self.shown]
        hint = sitting.hints.answer
        targets = highlighted(position, self.picked) if sitting.my_turn else frozenset()
        chances = position.on_cells(position.chances(hint.answer if hint else None))
        board = BoardView(position.picture, targets, chances, position.seat, self.picked)
        record = match.record(self.shown, len(match.positions) - 1)
        players = match.players(position, sitting.jobs.doing, sitting.clocks.text)
        return MatchView(board, players, record, self._thought(position))

    def _thought(self, position: Position) -> Thought:
        """Return the hint, or the last thoughts of an agent before the position on the board."""
        sitting, match, adviser = self.sitting, self.match, self.sitting.hints.name
        if sitting.hints.answer is not None:
            hint = sitting.hints.answer
            return thought_from(f"{adviser} would play", position, hint.answer, hint.line)
        known = [number for number in match.answers if number <= self.shown and number + 1 < len(match.positions)]
        if self.mind and known and (sitting.over or self.options.show_thoughts):
            before, line = match.positions[max(known)], match.positions[max(known) + 1].line
            name = match.seat_names[before.seat]
            return thought_from(f"{name} thought", before, match.answers[max(known)], line)
        remark = f"{self.key_of('hint')}: what {adviser} would play" if adviser else ""
        after = "o: what they thought   ← →: step   a: analysis"
        return Thought(sitting.seat, "thoughts", remark=after if sitting.over else remark)

    def show(self) -> None:
        """Show the current position, with the cursor if a person is to move, and buttons for moves without a cell."""
        sitting, match = self.sitting, self.sitting.match
        self.shown = min(self.shown, len(match.positions) - 1)
        if not sitting.keyboard.curtained:
            of_session = "" if self.options.hands is None else f" of {self.options.hands}"
            unit = "game" if self.game.stakes is None else "hand"
            self.heading.say(f"{unit} {match.series.game + 1}{of_session}", match.standings())
            self.query_one(MatchPane).view = self.view_model()
        self.query_one(Board).show_cursor(sitting.my_turn)
        self.query_one(Choices).moves = without_cell(sitting.position) if sitting.my_turn else {}

    def tick(self) -> None:
        """Refresh the clocks, once a second, and say how to go on if an agent takes long."""
        sitting, jobs = self.sitting, self.sitting.jobs
        if jobs.current is not None or sitting.clocks.running:
            self.show()
        if jobs.current == "deal" and jobs.waited_s > 1:
            self.say(getting_ready(jobs.waited_s))
        elif jobs.current == "hint" and jobs.waited_s > HINT_S:
            self._end_hint()
        elif self.options.remote is not None:
            return
        elif jobs.current == "advance" and HURRY_HINT_S < jobs.waited_s <= HURRY_HINT_S + 1:
            self.say(f"{sitting.match.seat_names[sitting.position.seat]} thinks; esc asks it to move now")

    def _look(self) -> None:
        """Ask the server for news while the player thinks; at other times the wait for the other's move has them."""
        sitting, remote = self.sitting, self.options.remote
        if remote is None or sitting.over or self._looks:
            return
        if not sitting.my_turn:
            self.post_message(RemoteNews())
            return
        self._looks = True
        self._ask_server(remote.look, is_offer=False)

    def _ask_server(self, request: Callable[[], None], is_offer: bool) -> None:
        """Ask the server that keeps the game, in a thread of its own: that of the agents waits for the other's move."""

        def ask() -> None:
            refusal = ""
            try:
                request()
            except UsageError as error:
                refusal = str(error)
            self.post_message(RemoteNews(refusal if is_offer else "", looked=not is_offer))

        self.run_worker(ask, group="server", thread=True)

    def on_remote_news(self, message: RemoteNews) -> None:
        """Show an offer of a draw, or the end of the game."""
        sitting, remote = self.sitting, self.options.remote
        if message.looked:
            self._looks = False
        if sitting.over or remote is None:
            return
        if remote.verdict is not None and sitting.my_turn:
            sitting.end(remote.verdict)
        elif message.refusal:
            self.say(message.refusal, "refusal")
        elif remote.draw_by != sitting.draw_offer.by:
            sitting.draw_offer.by = remote.draw_by
            self._say_offer()

    def _say_offer(self) -> None:
        """Say whose offer of a draw is on the table, and what comes of it."""
        offer = self.sitting.draw_offer
        if offer.by == self.sitting.seat:
            self.say(f"a draw is offered; the other accepts with {self.key_of('draw')}, and declines by a move")
        elif offer.by is not None:
            self.say(f"a draw is offered: {self.key_of('draw')} accepts, a move declines", "refusal")

    def arrived(self) -> None:
        """Show a new position from its player's side, and announce whose turn it is, or the result."""
        sitting, position = self.sitting, self.sitting.position
        self.picked, self.shown = None, len(sitting.match.positions) - 1
        if self.shown == 0:  # a board with sides is seen from the player's
            sided, alone = position.picture.action_origins is not None, sitting.keyboard.people == (0,)
            self.query_one(Board).flipped = sided and alone and sitting.seat == 1
        entry = self.query_one(Entry)
        (entry.close if sitting.over else entry.open)()
        self.refresh_bindings()
        if sitting.over:
            self.say(self._end_with("" if sitting.finished else WHAT_NEXT), "result")
        elif sitting.policy_at(position.seat) is not None:
            self.say("")
        elif sitting.draw_offer.is_open_to(position.seat):
            self._say_offer()
        else:
            name = f"{position.picture.mark(position.seat)} {sitting.match.seat_names[position.seat]}, "
            self.say(("" if len(sitting.keyboard.people) == 1 else name) + your_move(position))

    def hide(self, name: str) -> None:
        """Draw the curtain until the person of that name lifts it."""
        self.app.push_screen(CurtainScreen(name), lambda _: self.sitting.lift_curtain())

    def kept(self, news: str) -> None:
        """Say whether the game that has ended was stored."""
        self.say(self._end_with(news), "result")

    # --- moves ----------------------------------------------------------------------------------------------------

    def on_board_pointed(self, message: Board.Pointed) -> None:
        """Play the move of the cell, or pick up the piece on it."""
        position = self.sitting.position
        if position.picture.action_origins is not None and self.sitting.my_turn:
            self._point_at(position, message.cell)
        elif (action := int(position.picture.cell_actions[message.cell])) >= 0 or not self.sitting.my_turn:
            self._play(action, "that")
        elif position.targets.get(message.cell):
            self._play(position.targets[message.cell][0], "that")
        else:
            self.say("no move takes place there; choose another cell, or type the move", "refusal")

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
            self.say(your_move(self.sitting.position))
        else:
            self.say("nothing of yours can move from there; a dot marks each piece that can", "refusal")
        self.show()

    def on_choices_chosen(self, message: Choices.Chosen) -> None:
        """Play the clicked move."""
        self._play(message.action, "that")

    def on_entry_typed(self, message: Entry.Typed) -> None:
        """Play the typed move; before it can be played it stays in the line."""
        if not self.sitting.my_turn and not self.sitting.over:
            self.query_one(Entry).give_back(message.text)
        try:
            action = self.sitting.position.read(self.game, message.text)
        except UsageError as error:
            self.say(str(error), "refusal")
        else:
            self._play(action, repr(message.text.strip()))

    def _play(self, action: Action, called: str) -> None:
        """Play an action of the player at the keyboard; an illegal one is refused with the reason."""
        position = self.sitting.position
        if self.sitting.over:
            self.say("the session is over" if self.sitting.finished else f"the game is over   {WHAT_NEXT}", "refusal")
        elif self.jobs.current == "deal":
            self.say(f"one moment: {getting_ready(self.jobs.waited_s)}", "refusal")
        elif not self.sitting.my_turn and self.sitting.policy_at(position.seat) is None:
            self.say("one moment: your last move is not played yet", "refusal")
        elif not self.sitting.my_turn:
            self.say(f"it is not your turn: {self.match.seat_names[position.seat]} moves", "refusal")
        elif not position.allows(action):
            self.say(f"{called} is not a legal move here; a dot marks each that is", "refusal")
        else:
            self.sitting.play(action)

    # --- keys -----------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key means anything now: most end with the game, others begin with its end."""
        sitting, local = self.sitting, self.options.remote is None
        return {
            "point": not sitting.over,
            "choose": not sitting.over,
            "let_go": not sitting.over,
            "hint": not sitting.over and sitting.hints.policy is not None,
            "draw": not sitting.over and has_agreed_draws(self.game),
            "resign": not sitting.over,
            "step": sitting.over,
            "analyse": sitting.over,
            "next_game": not sitting.finished and local,
            "change_seats": local,
            "take_back": local,
            "thoughts": local and (sitting.over or self.options.show_thoughts),
        }.get(action, True)

    def action_point(self, down: int, right: int) -> None:
        """Move the cursor."""
        if self.sitting.my_turn:
            self.query_one(Board).step_cursor(down, right)

    def action_step(self, moves: int) -> None:
        """Step through the game that is over."""
        self.shown = min(max(self.shown + moves, 0), len(self.match.positions) - 1)
        self.show()

    def action_analyse(self) -> None:
        """Go through the game that is over, analysed by the agents that give hints."""
        written = WrittenMatch.of(self.sitting.record())
        self.app.push_screen(ReplayScreen(written, "this game", self.sitting.hints.advisers, analyse_all=True))

    def action_choose(self) -> None:
        """Play the cursor's cell."""
        self.query_one(Board).choose()

    def action_let_go(self) -> None:
        """Put down the piece that is picked up; without one, ask the agent to move now."""
        if self.picked is not None:
            self.picked = None
            self.say(your_move(self.sitting.position))
            self.show()
        elif self.jobs.current == "hint" and self.sitting.hints.policy is not None:
            self.sitting.hints.policy.hurry()
        else:
            self._move_now()

    def _move_now(self) -> None:
        """Ask the agent to move at once; the second time stop it, which loses it the game."""
        policy, name = (
            self.sitting.policy_at(self.sitting.position.seat),
            self.match.seat_names[self.sitting.position.seat],
        )
        if policy is None or self.jobs.current != "advance":
            return
        if self.options.remote is not None:
            self.say(f"{name} plays at another machine, and is asked for nothing", "refusal")
            return
        if not self.confirmation.given("hurry", self.sitting.position):
            policy.hurry()
            self.say(f"{name} is asked to move now; esc again stops it")
        elif isinstance(policy, ContainedPolicy):
            policy.stop()
            self.say(f"{name} is stopped")
        else:
            self.say(f"{name} cannot be stopped; {self.key_of('next_game')} begins another game", "refusal")

    def action_hint(self) -> None:
        """Ask an agent for a hint, or hide the hint."""
        hints = self.sitting.hints
        if hints.answer is not None:
            hints.answer = None
            self.show()
        elif self.sitting.my_turn and self.jobs.current is None:
            hints.begin()
            self._ask_for_hint()
        else:
            self.say("a hint is for your own turn", "refusal")

    def _ask_for_hint(self) -> None:
        hints = self.sitting.hints
        self.say(f"{hints.name} thinks about a hint …")
        self.jobs.ask("hint", hints.work(self.sitting.live_match, self.options.seed), Hinted)

    def _end_hint(self) -> None:
        """Ask the agent to come to an end with its hint; a second later give it up, if another can be asked."""
        hints = self.sitting.hints
        assert hints.policy is not None
        bring_to_an_end(hints.policy, self.jobs.waited_s, len(hints.advisers) > 1)

    def on_hinted(self, message: Hinted) -> None:
        """Show the hint, or ask the next agent if this one has none."""
        hints = self.sitting.hints
        if not self.jobs.is_news(message):
            return
        why_none = hints.take(self.sitting.position, message.hint)
        if why_none and hints.next():
            self._ask_for_hint()
        elif why_none:
            self.say(f"{hints.name} has no hint: {why_none}", "refusal")
        elif isinstance(message.hint.answer.action, tuple):
            self.say(f"{hints.name} would play {written(message.hint.answer.action)}")
        else:
            self.say(your_move(self.sitting.position))
        self.show()

    def action_thoughts(self) -> None:
        """Show or hide the agents' thoughts."""
        self.mind = not self.mind
        self.show()

    def action_rules(self) -> None:
        """Show the rules of the game."""
        self.show_rules(self.game)

    def action_flip(self) -> None:
        """Turn the board around."""
        self.query_one(Board).turn()

    def action_draw(self) -> None:
        """Offer or accept a draw; an agent decides by the value it expected at its last move."""
        other = 1 - self.sitting.seat
        if self.options.remote is not None:
            self._ask_server(self.options.remote.offer_draw, is_offer=True)
        elif self.sitting.draw_offer.by == other:
            self.sitting.end(agreed(2))
        elif self.sitting.policy_at(other) is None:
            self.sitting.draw_offer.by = self.sitting.seat
            self._say_offer()
        elif declined := why_declined(self.match, other):
            self.say(f"{self.match.seat_names[other]} {declined}", "refusal")
        else:
            self.sitting.end(agreed(2))

    def _confirmed(self, action: str, does: str, but: str = "") -> bool:
        """Return whether a request is confirmed; the first time, explain its effect."""
        if self.confirmation.given(action, self.sitting.position):
            return True
        self.say(f"{but}{self.key_of(action)} again {does}", "refusal")
        return False

    def action_resign(self) -> None:
        """Resign, if confirmed."""
        if self._confirmed("resign", "resigns"):
            loss = self.game.forfeit_return
            self.sitting.end(forfeit(self.game.num_players, self.sitting.seat, Reason.RESIGNED, loss=loss))

    def action_take_back(self) -> None:
        """Go back to the last decision of a person."""
        if not self.game.repeatable:
            self.say("nothing can be taken back: the same seed and moves give another game", "refusal")
        elif not self.sitting.take_back():
            self.say("there is nothing to take back", "refusal")

    def action_next_game(self) -> None:
        """Start another game with seats changed; has to be confirmed if this one is not over."""
        if self._may_leave("next_game"):
            self.sitting.next_game()

    def _end_with(self, news: str) -> str:
        """Return the result of the game, or after its last one that of the session, and the news about it."""
        sitting, standings = self.sitting, self.match.standings()
        whole = sitting.finished and self.options.remote is None
        end = f"the session is over: {standings}" if whole else self.match.result_at(sitting.position)
        return f"{end}   {news}".rstrip()

    def action_change_seats(self) -> None:
        """Restart this game with seats changed; has to be confirmed once moves have been made."""
        if self._may_leave("change_seats"):
            self.sitting.change_seats()

    def _may_leave(self, action: str) -> bool:
        but = "this game is not over; "
        return not self.sitting.under_way or self._confirmed(action, "leaves it for a new one", but)

    def remarks(self) -> list[str]:
        """Return the game, and while it is played how keys are shared between moves and commands."""
        if self.sitting.over:
            return self.match.remarks()
        return [*self.match.remarks(), "Letters and digits type a move; commands are keys with ctrl."]
