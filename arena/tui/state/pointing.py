"""Moves by pointing: first at a piece, then at its destination."""

from arena.tui.state.live_match import Cell, Position


def pointed(position: Position, picked: Cell | None, cell: Cell) -> tuple[Cell | None, list[int]]:
    """Return the effect of pointing at `cell` while the piece on `picked`, if any, is picked up.

    The result is the cell of the piece picked up then, and the actions meant, if any. Pointing at the same piece again,
    or at a cell that is neither a destination nor a movable piece, puts it down.
    """
    meant = [action for action in position.targets.get(cell, []) if action in moves_of(position, picked)]
    if meant:
        return None, meant
    return (cell if cell != picked and cell in position.origins else None), []


def moves_of(position: Position, picked: Cell | None) -> list[int]:
    """Return the legal actions of the piece on a cell."""
    return [] if picked is None else position.origins.get(picked, [])


def highlighted(position: Position, picked: Cell | None) -> frozenset[Cell]:
    """Return the cells to mark: destinations of the picked piece, else pieces that may move, else targets of moves.

    In games without moving pieces, such as go, a move is pointed at where it takes place.
    """
    if picked is not None:
        moves = set(moves_of(position, picked))
        return frozenset(cell for cell, actions in position.targets.items() if not moves.isdisjoint(actions))
    return frozenset(position.origins or position.targets)


def without_cell(position: Position) -> dict[int, str]:
    """Return the legal actions that cannot be pointed at, with their notation: pass, call, roll."""
    cells = position.picture.action_cells
    return {action: text for action, text in position.legal.items() if cells[action][0] < 0}


def your_move(position: Position) -> str:
    """Return the words for a person's turn; buttons need no explanation, and leave little room."""
    return "your move" if without_cell(position) else "your move: type it, click, or arrows and enter"
