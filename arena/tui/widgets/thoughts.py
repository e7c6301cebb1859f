"""An agent's thoughts on a position: moves with probabilities and visits, the value, and the expected line."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from arena.tui.state.words import bar, mark, percent, signed


@dataclass(frozen=True)
class Thought:
    """Snapshot of one agent's thoughts on one position."""

    seat: int
    """Seat for which it thinks."""
    title: str
    chances: Mapping[str, float] = field(default_factory=dict)
    """Probability of each move by its notation; empty if not reported."""
    value: float | None = None
    """Expected return of that seat; None if not reported."""
    remark: str = ""
    """Text in place of moves."""
    visits: Mapping[str, int] = field(default_factory=dict)
    """Search visits of each move; empty if not reported."""
    line: tuple[str, ...] = ()
    """Expected moves, its own first; empty if not reported."""


MIN_CHANCE = 0.005
"""Minimum probability of a move that is shown."""


class Thoughts(Widget):
    """The likeliest moves with bars, as many as fit, and the expected line below them."""

    thought: reactive[Thought | None] = reactive(None)
    sides: tuple[str, ...] = ()
    """White or black for each seat, if the game is played with these."""

    def watch_thought(self, thought: Thought | None) -> None:
        """Show the agent and its value in the frame."""
        self.border_title = Content(
            "thoughts" if thought is None else f"{mark(thought.seat, self.sides)} {thought.title}"
        )
        value = thought.value if thought is not None else None
        self.border_subtitle = "" if value is None else f"expects {signed(value)}"

    def render(self) -> Content:
        """Return a line a move: notation, bar, percentage, visits."""
        thought = self.thought
        if thought is None:
            return Content("")
        line = [Content.assemble(("line ", "$text-muted"), " ".join(thought.line))] if thought.line else []
        if not thought.chances:
            return Content("\n").join([Content.styled(thought.remark, "$text-muted"), *line])
        room = max(self.content_size.height - len(line), 1)
        return Content("\n").join([*self._moves(thought, room), *line])

    def _moves(self, thought: Thought, limit: int) -> list[Content]:
        likely = sorted(thought.chances.items(), key=lambda item: -item[1])
        likely = [item for item in likely if item[1] >= MIN_CHANCE][:limit]
        width = max((len(move) for move, _ in likely), default=1)
        counts = {move: f"{thought.visits[move]:,}" for move, _ in likely if move in thought.visits}
        counted = max((len(count) + 2 for count in counts.values()), default=0)
        room = max(self.content_size.width - width - 7 - counted, 4)
        return [
            Content.assemble(
                (f"{move:>{width}}  ", "bold"),
                (f"{bar(chance, room):<{room}}", f"$seat-{thought.seat % 4}"),
                f" {percent(chance):>4}",
                (f"{counts.get(move, ''):>{counted}}", "$text-muted"),
            )
            for move, chance in likely
        ]
