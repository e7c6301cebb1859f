"""Who plays: a line for each contestant with the sign of its seat, its score, and what it is doing."""

from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from arena.tui.words import mark


@dataclass(frozen=True)
class Player:
    """One contestant at this moment."""

    name: str
    seat: int
    score: str = ""
    doing: str = ""
    """`to move`, `thinks`, `wins`; short."""


class Players(Widget):
    """The contestants, in an order that stays while they change seats."""

    BORDER_TITLE = "players"
    NOTE = 11
    """Columns kept for what a player is doing."""

    players: reactive[tuple[Player, ...]] = reactive(())

    def render(self) -> Content:
        """A line each: sign, name, score, doing."""
        return Content("\n").join(self._line(player) for player in self.players)

    def _line(self, player: Player) -> Content:
        score = max(len(other.score) for other in self.players)
        room = max(self.content_size.width - 2 - score - 2 - self.NOTE, 8)
        name = player.name if len(player.name) <= room else player.name[: room - 1] + "…"
        return Content.assemble(
            (mark(player.seat), f"$seat-{player.seat % 4}"),
            (f" {name:<{room}}", "bold" if player.doing else ""),
            f" {player.score:>{score}}",
            (f"  {player.doing:<{self.NOTE - 1}}", "$text-muted"),
        )
