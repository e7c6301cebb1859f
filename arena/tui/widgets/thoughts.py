"""What an agent thinks of a position: its moves with their chances, and the value it expects."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from arena.tui.words import bar, mark, percent, signed


@dataclass(frozen=True, eq=False)
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


LEAST = 0.005
"""A smaller chance is not worth a line."""


class Thoughts(Widget):
    """The likeliest moves, as many as there is room for, with bars."""

    thought: reactive[Thought | None] = reactive(None)

    def watch_thought(self, thought: Thought | None) -> None:
        """Say in the frame who thinks, and what it expects."""
        self.border_title = "thoughts" if thought is None else f"{mark(thought.seat)} {thought.title}"
        value = thought.value if thought is not None else None
        self.border_subtitle = "" if value is None else f"expects {signed(value)}"

    def render(self) -> Content:
        """A line a move: notation, bar, percentage."""
        if self.thought is None or not self.thought.chances:
            return Content.styled(self.thought.remark if self.thought else "", "$text-muted")
        likely = sorted(self.thought.chances.items(), key=lambda item: -item[1])
        likely = [item for item in likely if item[1] >= LEAST][: max(self.content_size.height, 1)]
        width = max((len(move) for move, _ in likely), default=1)
        room = max(self.content_size.width - width - 7, 4)
        return Content("\n").join(
            Content.assemble(
                (f"{move:>{width}}  ", "bold"),
                (f"{bar(chance, room):<{room}}", f"$seat-{self.thought.seat % 4}"),
                f" {percent(chance):>4}",
            )
            for move, chance in likely
        )
