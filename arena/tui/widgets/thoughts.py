"""What an agent thinks of a position: its moves with their chances and visits, the value and the line it expects."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from arena.tui.words import bar, mark, percent, signed


@dataclass(frozen=True)
class Thought:
    """What one agent thinks of one position."""

    seat: int
    """For whom it thinks."""
    title: str
    chances: Mapping[str, float] = field(default_factory=dict)
    """Chance of each move, by the game's notation; empty if it does not tell."""
    value: float | None = None
    """The return it expects for that seat, if it tells."""
    remark: str = ""
    """Said in place of moves."""
    visits: Mapping[str, int] = field(default_factory=dict)
    """How often its search has tried each move; empty if it does not search or tell."""
    line: tuple[str, ...] = ()
    """The moves that it expects, its own first; empty if it does not tell."""


LEAST = 0.005
"""A smaller chance is not worth a line."""


class Thoughts(Widget):
    """The likeliest moves, as many as there is room for, with bars; below them the line that is expected."""

    thought: reactive[Thought | None] = reactive(None)

    def watch_thought(self, thought: Thought | None) -> None:
        """Say in the frame who thinks, and what it expects."""
        self.border_title = "thoughts" if thought is None else f"{mark(thought.seat)} {thought.title}"
        value = thought.value if thought is not None else None
        self.border_subtitle = "" if value is None else f"expects {signed(value)}"

    def render(self) -> Content:
        """A line a move: notation, bar, percentage, visits."""
        thought = self.thought
        if thought is None:
            return Content("")
        line = [Content.assemble(("line ", "$text-muted"), " ".join(thought.line))] if thought.line else []
        if not thought.chances:
            return Content("\n").join([Content.styled(thought.remark, "$text-muted"), *line])
        room = max(self.content_size.height - len(line), 1)
        return Content("\n").join([*self._moves(thought, room), *line])

    def _moves(self, thought: Thought, most: int) -> list[Content]:
        likely = sorted(thought.chances.items(), key=lambda item: -item[1])
        likely = [item for item in likely if item[1] >= LEAST][:most]
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
