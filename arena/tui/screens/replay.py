"""Step through a stored match, with the analysis of any agent."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType

from arena.base.errors import UsageError
from arena.match.ask import Answer
from arena.match.contained import ContainedPolicy
from arena.match.files import WrittenMatch
from arena.match.transcripts import unpack
from arena.policy.protocol import Policy
from arena.tui.drawing.export import export
from arena.tui.parts.hints import HINT_S, bring_to_an_end
from arena.tui.parts.match import ShownMatch, thought_from
from arena.tui.screens.keys import MATCH_KEYS, WALK_KEYS
from arena.tui.screens.prompt import PromptScreen
from arena.tui.screens.walk import WalkScreen
from arena.tui.screens.words import WordsScreen
from arena.tui.services.agents import contained_agent
from arena.tui.state.analysis import lost_values, marks, summary
from arena.tui.state.live_match import Position
from arena.tui.state.messages import Analysed, Dealt
from arena.tui.state.series import Series
from arena.tui.state.words import NOT_ANALYSED
from arena.tui.widgets.match_pane import MatchView
from arena.tui.widgets.thoughts import Thought

PAUSE_S, POLL_S = 3.0, 2.0
"""Seconds that a result stays before another match follows, and between questions for it."""
NextMatch = Callable[[], WrittenMatch | None]
"""Returns a match that has come in since, None for none; may take long, and raise `UsageError`."""


class ReplayScreen(WalkScreen):
    """A match from start to end, analysed by the first of the `analysts` (spec, policy), if there are any.

    With `next_match` it plays by itself, and the next match of the same game follows, unless it is paused.

    An analyst that fails, takes long, or says nothing of what moves are worth, makes way for the next, who starts over:
    the values of two agents do not compare. `usual` names the agent that is suggested where none analyses; it may take
    seconds. The caller closes the analysts; agents chosen on the screen are stopped with the screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *WALK_KEYS,
        Binding("a,ctrl+a", "analyse", "analyse", tooltip="what an agent thinks of the positions shown"),
        Binding(
            "A", "analyse_all", "analyse all", show=False, tooltip="the same of all positions, one after the other"
        ),
        Binding("m,M", "next_mistake", "mistake", show=False, tooltip="to the next move that lost value"),
        Binding("w", "with_agent", "with", show=False, tooltip="choose the agent that analyses"),
        Binding("p,P", "words", "words", show=False, tooltip="what a language model was asked, and answered"),
        Binding("e", "export", "export", tooltip="write the match to a file: .jsonl, .pgn, .sgf, .gif or .png"),
        *MATCH_KEYS,
    ]

    def __init__(
        self,
        written: WrittenMatch,
        called: str = "replay",
        analysts: Sequence[tuple[str, Policy]] = (),
        speed: float = 1.0,
        at: int = 0,
        analyse_all: bool = False,
        usual: Callable[[], str] = str,
        next_match: NextMatch | None = None,
    ):
        super().__init__("watch" if next_match else "replay", written.game, Series(written.players), speed)
        self.written, self._called, self._start = written, called, at
        self.playing, self._next_match = next_match is not None, next_match
        self.analysts, self._usual = list(analysts), usual
        """Agents that analyse, the first of them now."""
        self.analysing: str = ("all" if analyse_all else "shown") if analysts else ""
        """Positions to analyse: "shown", "all", or "" for none."""
        self._lines: dict[int, tuple[str, ...]] = {}
        self._pending: int | None = None  # position being analysed; None once its result is unwanted
        self._screen_agent: ContainedPolicy | None = None  # made by this screen, which must stop it

    def on_mount(self) -> None:
        """Replay the match in the background."""
        self.deal(self.written)

    def deal(self, written: WrittenMatch) -> None:
        """Show a match of the same game from its beginning, replayed in the background."""
        self.written, self.match = written, ShownMatch(self.game, Series(written.players))
        self.shown = self.furthest = 0
        self._lines, self._pending = {}, None
        self.show()
        self.jobs.ask("deal", partial(self.live_match.unroll, written), Dealt)

    @property
    def analyst(self) -> tuple[str, Policy] | None:
        """The agent (spec, policy) that analyses, or would; None without one."""
        return self.analysts[0] if self.analysts else None

    def on_unmount(self) -> None:
        """Stop the analyst if this screen made it."""
        if self._screen_agent is not None:
            self._screen_agent.stop()

    def on_dealt(self, message: Dealt) -> None:
        """Show the first position; all are known now."""
        if self.jobs.is_news(message):
            self.match.positions = list(message.positions)
            self.furthest = len(self.match.positions) - 1  # a stored match has no moves to hide
            self.match.series.credit(self.written.verdict)
            self.go_to(self._start)

    def view_model(self) -> MatchView:
        """Return the position on the board and its place in the match."""
        where = f"{min(self.shown, len(self.written.actions))} of {len(self.written.actions)}"
        pace, _, moves = self.pace_words()
        self.heading.say(self._called, where, pace if self.playing else "", moves)
        return super().view_model()

    @property
    def _judges(self) -> bool:
        """True if an analysis says what moves lost: in games of two against each other."""
        return self.game.num_players == 2 and self.game.zero_sum

    def lost(self) -> dict[int, float]:
        """Return what each move lost, as far as it is known; nothing where moves are not judged."""
        return lost_values(self.match.positions, self.match.answers) if self._judges else {}

    def marks(self) -> dict[int, str]:
        """Return the marks of moves that lost value."""
        return marks(self.lost())

    def thought(self, position: Position, answer: Answer | None, chances: dict[int, float]) -> Thought | None:
        """Return the analysis of a position."""
        if self.analyst is None:
            remark = "a: have the positions analysed" if self.written.shown is None else NOT_ANALYSED
            return Thought(position.seat, "no analysis", remark=remark)
        name = self.analyst[0]
        if answer is None:
            return Thought(position.seat, f"{name} thinks" if self.analysing else f"{name} is off")
        if answer.failure is not None:
            return Thought(position.seat, name, remark=answer.failure.detail)
        return thought_from(name, position, answer, self._lines.get(self.shown, ()))

    def at_the_edge(self) -> None:
        """Stop: the match ends here without a result, or is still being set up."""
        if self.jobs.current != "deal":
            self.playing = False
            self.say("the record ends here, without a result", "result")

    def at_the_end(self) -> None:
        """Show the result, for a while if another match may follow."""
        self.playing = self.playing and self._next_match is not None
        self.say(self.match.result_at(self.position), "result")
        if self.playing:
            self.wait(PAUSE_S)

    def pause_at_the_end(self) -> None:
        """Ask for the next match."""
        self.run_worker(self._follow(), group="follow", exclusive=True)

    async def _follow(self) -> None:
        """Show the next match, or ask again a little later, also where nobody answered."""
        assert self._next_match is not None  # else nothing plays on after the end
        try:
            written = await self.background.run(self._next_match)
        except UsageError as error:
            self.say(str(error), "refusal")
            written = None
        if written is None:
            self.wait(POLL_S)
        else:
            self.deal(written)

    def arrive(self) -> None:
        """Show a position that has come onto the board, and analyse it if wanted."""
        super().arrive()
        if self.jobs.current == "analyse" and self.analysing != "all" and self._pending != self.shown:
            self._interrupt()
        self._analyse()

    def _interrupt(self) -> None:
        """Stop the current analysis; its result will be dropped."""
        self._pending = None
        if self.analyst is not None:
            self.analyst[1].hurry()

    def _analyse(self) -> None:
        """Analyse the next position, if the agent is idle."""
        number = self._next_to_analyse()
        if self.analyst is None or number is None or self.jobs.current is not None:
            return
        policy, self._pending = self.analyst[1], number
        self.jobs.ask(
            "analyse",
            partial(self.live_match.analyse, policy, self.written, number),
            lambda job, analysis: Analysed(job, number, analysis),
        )

    def _next_to_analyse(self) -> int | None:
        positions, known = self.match.positions, self.match.answers
        candidates = {"shown": [self.shown], "all": [self.shown, *range(len(positions))]}.get(self.analysing, [])
        return next((n for n in candidates if n not in known and positions[n].verdict is None), None)

    def tick(self) -> None:
        """Ask an analyst that takes long to come to an end, if there is another; a second later stop it."""
        super().tick()
        if len(self.analysts) > 1 and self.jobs.current == "analyse" and self.jobs.waited_s > HINT_S:
            bring_to_an_end(self.analysts[0][1], self.jobs.waited_s, others=True)

    def _turn_to_next(self) -> None:
        """Start over with the next analyst."""
        name = self.analysts.pop(0)[0]
        self.match.answers, self._lines = {}, {}
        self.say(f"{name} does not know what all moves are worth; {self.analysts[0][0]} analyses")

    def on_analysed(self, message: Analysed) -> None:
        """Show the analysis of a position, or turn to the next analyst."""
        if self.jobs.is_news(message):
            answer = message.analysis.answer
            is_wanted = self._pending == message.number
            if is_wanted and len(self.analysts) > 1 and (answer.failure or (self._judges and answer.value is None)):
                self._turn_to_next()
            elif is_wanted:
                self.match.answers[message.number] = message.analysis.answer
                self._lines[message.number] = message.analysis.line
                self.show()
            self._analyse()
            if self.analysing == "all" and self._next_to_analyse() is None and self.lost():
                losses = summary(self.lost(), self.match.positions, self.match.seat_names)
                self.say(f"{losses}   m: to the next", "result")

    def action_analyse(self) -> None:
        """Start or stop analysing the position shown."""
        self._switch("shown")

    def action_analyse_all(self) -> None:
        """Start or stop analysing the whole match."""
        self._switch("all")

    def _switch(self, which: str) -> None:
        self.analysing = "" if self.analysing == which else which
        if self.analysing and self.analyst is None:
            self.action_with_agent()
        else:
            self.arrive()

    def action_next_mistake(self) -> None:
        """Show the position before the next move that lost value; after the last, the first."""
        mistakes = [number - 1 for number in sorted(self.marks())]
        if mistakes:
            self.action_jump(next((number for number in mistakes if number > self.shown), mistakes[0]))
        else:
            self.say("no move is known to have lost much; A analyses all of them", "refusal")

    def action_words(self) -> None:
        """Show what was said about the move from the position shown, or else about the one that led to it."""
        try:
            spoken = {move.number: move for move in unpack(self.written.transcripts)}
        except UsageError as error:
            self.say(str(error), "refusal")
            return
        move = spoken.get(self.shown) or spoken.get(self.shown - 1)
        if move is None:
            self.say(
                "no words were kept of this move" if spoken else "no player of this match thinks in words", "refusal"
            )
            return
        self.app.push_screen(WordsScreen(move, self.written.players[move.seat]))

    def action_with_agent(self) -> None:
        """Ask for the agent."""
        if self.written.shown is not None:
            self.analysing = ""
            self.say(NOT_ANALYSED, "refusal")
            return
        self.run_worker(self._ask_for_agent(), group="suggest", exclusive=True)

    async def _ask_for_agent(self) -> None:
        """Ask for the agent, with the strongest one as a suggestion."""
        if self.analyst is None:
            self.say("looks for the strongest agent …")
        usual = self.analyst[0] if self.analyst else await self.background.run(self._usual)
        self.app.push_screen(PromptScreen("analyse with the agent", usual), self._appoint)

    def _appoint(self, spec: str | None) -> None:
        """Replace the analyst."""
        if spec is not None:
            if self.jobs.current == "analyse":
                self._interrupt()
            self.jobs.give_up()
            self.say(f"{spec} takes its seat ...")
            self.run_worker(self._seat(spec), group="seat", exclusive=True)

    async def _seat(self, spec: str) -> None:
        """Make the agent in the agents' thread, since that may take seconds."""
        try:
            policy = await self.jobs.run(partial(contained_agent, spec, self.game))
        except UsageError as error:
            self.say(str(error), "refusal")
            return
        if self._screen_agent is not None:
            self._screen_agent.stop()
        self.analysts, self._screen_agent = [(spec, policy)], policy
        self.analysing = self.analysing or "shown"
        self.match.answers, self._lines = {}, {}
        self.arrive()

    def action_export(self) -> None:
        """Ask for the file."""
        self.app.push_screen(PromptScreen("write the match to", f"{self.game.name}.gif"), self._export_to)

    def _export_to(self, name: str | None) -> None:
        if name is None:
            return
        if Path(name).exists():
            self.say(f"{name} is there already; choose another name", "refusal")
            return
        try:
            self.say(export(self.written, [p.picture for p in self.match.positions], Path(name), self.shown))
        except UsageError as error:
            self.say(str(error), "refusal")
