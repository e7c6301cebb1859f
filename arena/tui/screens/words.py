"""What an agent was asked and answered in words for one move, over the screen that shows the match."""

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from arena.match.transcripts import SpokenMove
from arena.policy.transcript import SpokenAnswer
from arena.tui.screens.dialog import Dialog
from games.engine.text import printable, printable_lines


class WordsScreen(Dialog[None]):
    """Shows the prompt, and each answer with what became of it; the rules come last."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,p,P,q,Q,enter", "dismiss", "close")]

    def __init__(self, move: SpokenMove, name: str):
        super().__init__()
        self._move, self._name = move, name

    def compose(self) -> ComposeResult:
        """Yield a frame in the middle of the screen, which the arrows scroll."""
        with VerticalScroll(id="transcript") as frame:
            frame.border_title = Content(f"{printable(self._name)}, move {self._move.number + 1}")
            frame.border_subtitle = "↑↓ scroll   esc closes"
            for heading, text in self._parts():
                yield Static(Content(heading), classes="heading")
                yield Static(Content(printable_lines(text.strip()) or "(nothing)"))

    def on_mount(self) -> None:
        """Let the arrows scroll."""
        self.query_one(VerticalScroll).focus()

    def _parts(self) -> Iterator[tuple[str, str]]:
        transcript = self._move.transcript
        yield "Asked", transcript.prompt
        for answer in transcript.answers:
            if answer.reasoning:
                yield "Reasoning", answer.reasoning
            yield _heading(answer), answer.text
            if answer.remark:
                yield "Told" if answer.text else "Why", answer.remark
        yield "Rules, told before", transcript.system


def _heading(answer: SpokenAnswer) -> str:
    """Return what became of an answer, with its figures."""
    became = f"move {printable(answer.move)}" if answer.move else answer.outcome
    vote = f", vote {answer.vote + 1}" if answer.vote else ""
    again = f", sent again {answer.retries} times" if answer.retries else ""
    tokens = f"{answer.prompt_tokens} tokens in, {answer.completion_tokens} out"
    return f"Answer: {became}{vote} ({answer.ms / 1000:.1f} s, {tokens}{again})"
