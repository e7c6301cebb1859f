"""Pointing at a move from cell to cell: first at the piece, then at where it is to go."""

from arena.tui.table import Cell, Position


def pointed(position: Position, picked: Cell | None, cell: Cell) -> tuple[Cell | None, list[int]]:
    """What pointing at `cell` means while the piece on `picked` is in hand, if one is.

    Returns the piece that is in hand then, and the actions that are meant, if any. The same piece again, and any cell
    where it may not go and no other piece that may move stands, lets it go.
    """
    meant = [action for action in position.targets.get(cell, []) if action in moves_of(position, picked)]
    if meant:
        return None, meant
    return (cell if cell != picked and cell in position.origins else None), []


def moves_of(position: Position, picked: Cell | None) -> list[int]:
    """The legal actions of the piece that stands there."""
    return [] if picked is None else position.origins.get(picked, [])


def lit(position: Position, picked: Cell | None) -> frozenset[Cell]:
    """Cells to mark: where the piece in hand may go; without one, the pieces that may move, or where moves take place.

    Moves without a piece (a stone put down) take place where they are pointed at.
    """
    if picked is not None:
        moves = set(moves_of(position, picked))
        return frozenset(cell for cell, actions in position.targets.items() if not moves.isdisjoint(actions))
    return frozenset(position.origins or position.targets)
