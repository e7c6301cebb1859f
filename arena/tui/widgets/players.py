"""The players: a line each with symbol, name, score, clock and activity."""

from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from arena.tui.state.words import ending, mark
from games.engine.palette import GROUNDS, SIDES


@dataclass(frozen=True)
class Player:
    """Snapshot of one contestant."""

    name: str
    seat: int
    score: str = ""
    doing: str = ""
    """Activity, short: `to move`, `thinks 3 s`."""
    clock: str = ""
    """Time left, or used."""


class Players(Widget):
    """The contestants, in an order that stays while they change seats."""

    BORDER_TITLE = "players"
    NOTE = 12
    """Columns reserved for the activity."""

    players: reactive[tuple[Player, ...]] = reactive(())
    sides: reactive[tuple[str, ...]] = reactive(())
    """White or black for each seat, if the game is played with these."""

    def render(self) -> Content:
        """Return a line for each player."""
        score = max((len(player.score) for player in self.players), default=0)
        clock = max((len(player.clock) for player in self.players), default=0)
        return Content("\n").join(self._line(player, score, clock) for player in self.players)

    def _sign(self, player: Player) -> tuple[str, str]:
        """Return the symbol of a player with its style: a stone on wood if it plays white or black."""
        sign = mark(player.seat, self.sides)
        if not self.sides:
            return sign, f"$seat-{player.seat % 4}"
        colour, ground = SIDES[self.sides[player.seat]], GROUNDS["wood"]
        return sign, f"bold rgb({','.join(map(str, colour))}) on rgb({','.join(map(str, ground))})"

    def _line(self, player: Player, score: int, clock: int) -> Content:
        timed = clock + 2 if clock else 0
        room = max(self.content_size.width - 2 - score - 2 - timed - self.NOTE, 8)
        name = ending(player.name, room)
        return Content.assemble(
            self._sign(player),
            (f" {name:<{room}}", "bold" if player.doing else ""),
            f" {player.score:>{score}}",
            f"{player.clock:>{timed}}",
            (f"  {player.doing:<{self.NOTE - 1}}", "$text-muted"),
        )
