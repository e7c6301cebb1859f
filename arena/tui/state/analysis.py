"""Moves of a match that lost value, by the analysis of one agent: pure functions."""

from collections.abc import Mapping, Sequence

from arena.match.ask import Answer
from arena.tui.state.live_match import Position

JUDGEMENTS = ((0.6, "??"), (0.3, "?"), (0.15, "?!"))
"""Marks of chess notation, each from the share of a won game that a move lost: blunder, mistake, inaccuracy."""


def lost_values(positions: Sequence[Position], answers: Mapping[int, Answer]) -> dict[int, float]:
    """Return what each move lost, by the number of the position it led to, in returns of the seat that moved.

    For games of two seats in which one's gain is the other's loss. A move is judged by the values of the positions
    before and after it, the last of which is the result; it is left out where one of them is not known.
    """
    stake = max((abs(value) for p in positions if p.verdict for value in p.verdict.returns), default=1.0) or 1.0
    lost = {}
    for number in range(1, len(positions)):
        before, after = _value(positions, answers, number - 1), _value(positions, answers, number)
        if before is not None and after is not None and positions[number].action is not None:
            turn = 1 if positions[number - 1].seat == 0 else -1
            lost[number] = max(turn * (before - after) / stake, 0.0)
    return lost


def _value(positions: Sequence[Position], answers: Mapping[int, Answer], number: int) -> float | None:
    """Return the value of a position for the first seat."""
    position = positions[number]
    if position.verdict is not None:
        return float(position.verdict.returns[0])
    answer = answers.get(number)
    if answer is None or answer.value is None:
        return None
    return answer.value if position.seat == 0 else -answer.value


def marks(lost: Mapping[int, float]) -> dict[int, str]:
    """Return the mark of each move that lost much.

    >>> marks({1: 0.0, 2: 0.2, 3: 0.4, 4: 2.0})
    {2: '?!', 3: '?', 4: '??'}
    """
    judged = {number: next((mark for least, mark in JUDGEMENTS if loss >= least), "") for number, loss in lost.items()}
    return {number: mark for number, mark in judged.items() if mark}


def summary(lost: Mapping[int, float], positions: Sequence[Position], names: Sequence[str]) -> str:
    """Return how many moves of each player lost value, and the worst of them."""
    marked = marks(lost)
    counts = [sum(positions[number - 1].seat == seat for number in marked) for seat in range(len(names))]
    if not marked:
        return "no move lost much"
    worst = max(marked, key=lambda number: lost[number])
    players = ", ".join(f"{name} {count}" for name, count in zip(names, counts, strict=True))
    turn, move = (worst + 1) // 2, positions[worst].move
    return f"moves that lost much: {players}; the worst: {turn}. {move}{marked[worst]}"
