"""The moves of a match so far, in the game's notation."""

from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget


@dataclass(frozen=True)
class MoveRecord:
    """Snapshot of the moves of a match."""

    moves: tuple[str, ...] = ()
    shown: int = 0
    """Number of moves that led to the position on the board."""
    round_length: int = 2
    """Moves that share a number."""


class Moves(Widget):
    """Numbered rounds of moves, scrolled so that the highlighted move that led to the board is visible."""

    BORDER_TITLE = "moves"

    record: reactive[MoveRecord] = reactive(MoveRecord())

    def render(self) -> Content:
        """Return as many whole lines as fit; only those are built, since games may be long."""
        record = self.record
        widest = max(map(len, record.moves), default=1)
        number = len(str(len(record.moves) // record.round_length + 1))
        round_width = number + 1 + record.round_length * (widest + 1) + 2
        per_line = max(self.content_size.width // round_width, 1) * record.round_length
        height, lines = max(self.content_size.height, 1), -(-len(record.moves) // per_line)
        current = max(record.shown - 1, 0) // per_line
        first = min(max(current - height + 1, 0), max(lines - height, 0))
        return Content("\n").join(
            Content("").join(
                self._move(i, number, widest) for i in range(start, min(start + per_line, len(record.moves)))
            )
            for start in range(first * per_line, min((first + height) * per_line, len(record.moves)), per_line)
        )

    def _move(self, index: int, number: int, width: int) -> Content:
        """Return one move, with the round's number before the first and a gap after the last."""
        turn, place = divmod(index, self.record.round_length)
        move = self.record.moves[index]
        shown = "bold reverse" if index + 1 == self.record.shown else ""
        return Content.assemble(
            (f"{turn + 1:>{number}}." if place == 0 else "", "$text-muted"),
            " ",
            (move, shown),
            " " * (width - len(move) + (2 if place == self.record.round_length - 1 else 0)),
        )
