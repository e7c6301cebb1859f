"""Step through a match that was played before, and hear what any agent thinks of its positions."""

from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType

from arena.errors import UsageError
from arena.match.ask import Answer
from arena.match.contained import ContainedPolicy
from arena.match.files import WrittenMatch
from arena.policy.protocol import Policy
from arena.tui.export import export
from arena.tui.messages import Analysed, Dealt
from arena.tui.screens.match import MATCH_KEYS
from arena.tui.screens.prompt import PromptScreen
from arena.tui.screens.walk import WALK_KEYS, WalkScreen
from arena.tui.seating import seated
from arena.tui.series import Series
from arena.tui.table import Position
from arena.tui.widgets.heading import Heading
from arena.tui.widgets.match_pane import MatchView
from arena.tui.widgets.thoughts import Thought

USUAL_ANALYST = "mcts:1000"


class ReplayScreen(WalkScreen):
    """A match from its start to its end; with an `analyst` (spec, policy), its thoughts of each position shown.

    Its agent stays with whoever gave it; one that is asked for on the screen ends with the screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *WALK_KEYS,
        Binding("a", "analyse", "analyse", tooltip="what an agent thinks of the positions shown"),
        Binding(
            "A", "analyse_all", "analyse all", show=False, tooltip="the same of all positions, one after the other"
        ),
        Binding("w", "with_agent", "with", show=False, tooltip="choose the agent that analyses"),
        Binding("e", "export", "export", tooltip="write the match to a file: .jsonl, .pgn, .sgf, .gif or .png"),
        *MATCH_KEYS,
    ]

    def __init__(
        self,
        written: WrittenMatch,
        called: str = "replay",
        analyst: tuple[str, Policy] | None = None,
        speed: float = 1.0,
        at: int = 0,
    ):
        super().__init__("replay", written.game, Series(written.players), speed)
        self.written, self._called, self._start = written, called, at
        self.playing = False
        self.analyst = analyst
        self.analysing: str = "shown" if analyst else ""
        """Which positions are analysed: those `shown`, `all`, or none."""
        self._lines: dict[int, tuple[str, ...]] = {}
        self._asked: int | None = None  # the position that the agent thinks about; None if that is not wanted any more
        self._own: ContainedPolicy | None = None  # the agent that this screen made

    def on_mount(self) -> None:
        """Play the match through, out of sight."""
        self.show()
        self.ask("deal", partial(self.table.unroll, self.written), Dealt)

    def on_unmount(self) -> None:
        """Let go of the agent that was asked for here."""
        if self._own is not None:
            self._own.stop()

    def on_dealt(self, message: Dealt) -> None:
        """All positions are there."""
        if self.is_news(message):
            self.positions = list(message.positions)
            self.seen = len(self.positions) - 1  # nothing is given away
            self.series.credit(self.written.verdict)
            self.go_to(self._start)

    def look(self) -> MatchView:
        """The position on the board, and where it stands in the match."""
        where = f"{min(self.shown, len(self.written.actions))} of {len(self.written.actions)}"
        pace, _, moves = self.affairs()
        self.query_one(Heading).say(self._called, where, pace if self.playing else "", moves)
        return super().look()

    def thought(self, position: Position, answer: Answer | None, chances: dict[int, float]) -> Thought | None:
        """What the analyst thinks."""
        if self.analyst is None:
            return Thought(position.seat, "no analysis", remark="a: have the positions analysed")
        name = self.analyst[0]
        if answer is None:
            return Thought(position.seat, f"{name} thinks" if self.analysing else f"{name} is off")
        if answer.failure is not None:
            return Thought(position.seat, name, remark=answer.failure.detail)
        return self.told(name, position, answer, self._lines.get(self.shown, ()))

    def at_the_edge(self) -> None:
        """The match was not played on, or has yet to be set up."""
        if self.job != "deal":
            self.playing = False
            self.say("the record ends here, without a result", "result")

    def at_the_end(self) -> None:
        """Say how it ended."""
        self.playing = False
        self.say(self.result_at(self.position), "result")

    def arrive(self) -> None:
        """A position has come onto the board."""
        super().arrive()
        if self.job == "analyse" and self.analysing != "all" and self._asked != self.shown:
            self._interrupt()
        self._analyse()

    def _interrupt(self) -> None:
        """What the agent thinks about is no longer wanted: it shall come to an end, and does not count."""
        self._asked = None
        if self.analyst is not None:
            self.analyst[1].hurry()

    def _analyse(self) -> None:
        """Have the agent think about what it is to think about next, if it does not think already."""
        number = self._next_to_analyse()
        if self.analyst is None or number is None or self.job is not None:
            return
        policy, self._asked = self.analyst[1], number
        self.ask(
            "analyse",
            partial(self.table.analyse, policy, self.written, number),
            lambda job, opinion: Analysed(job, number, opinion),
        )

    def _next_to_analyse(self) -> int | None:
        candidates = {"shown": [self.shown], "all": [self.shown, *range(len(self.positions))]}.get(self.analysing, [])
        return next((n for n in candidates if n not in self.answers and self.positions[n].verdict is None), None)

    def on_analysed(self, message: Analysed) -> None:
        """What the agent thinks of a position."""
        if self.is_news(message):
            if self._asked == message.number:
                self.answers[message.number] = message.opinion.answer
                self._lines[message.number] = message.opinion.line
                self.show()
            self._analyse()

    def action_analyse(self) -> None:
        """Analyse what is shown, or leave it."""
        self._switch("shown")

    def action_analyse_all(self) -> None:
        """Analyse the whole match, or leave it."""
        self._switch("all")

    def _switch(self, which: str) -> None:
        self.analysing = "" if self.analysing == which else which
        if self.analysing and self.analyst is None:
            self.action_with_agent()
        else:
            self.arrive()

    def action_with_agent(self) -> None:
        """Ask for the agent."""
        usual = self.analyst[0] if self.analyst else USUAL_ANALYST
        self.app.push_screen(PromptScreen("analyse with the agent", usual), self._appoint)

    def _appoint(self, spec: str | None) -> None:
        """Have another agent analyse."""
        if spec is not None:
            if self.job == "analyse":
                self._interrupt()
            self.give_up()
            self.say(f"{spec} takes its seat ...")
            self.run_worker(self._seat(spec), group="seat", exclusive=True)

    async def _seat(self, spec: str) -> None:
        """Make the agent in the agents' thread, since that may take seconds."""
        try:
            policy = await self.run_job(partial(seated, spec, self.game))
        except UsageError as error:
            self.say(str(error), "refusal")
            return
        if self._own is not None:
            self._own.stop()
        self.analyst, self._own = (spec, policy), policy
        self.analysing = self.analysing or "shown"
        self.answers, self._lines = {}, {}
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
            self.say(export(self.written, [p.picture for p in self.positions], Path(name), self.shown))
        except UsageError as error:
            self.say(str(error), "refusal")
