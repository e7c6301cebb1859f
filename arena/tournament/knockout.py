"""Knockouts: who loses a meeting is out, until one is left."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from arena.tournament.pairing import Table

TIEBREAKS = 8
"""Openings, each from both sides, by which a tied meeting goes on at most; then the one entered first goes through."""


@dataclass(frozen=True)
class Meeting:
    """One meeting of a round, and how it ended."""

    players: Table
    """Numbers of both players, the one entered first before the other."""
    points: tuple[float, float]
    """Points of both, games to break a tie included."""

    @property
    def winner(self) -> int:
        """Number of the player that goes through."""
        return self.players[0] if self.points[0] >= self.points[1] else self.players[1]


Round = tuple[Meeting, ...]
Played = Callable[[Table], tuple[float, float]]
"""Returns the points of the last games of a table."""


def knockout_rounds(players: int, played: Played) -> Generator[tuple[list[Table], bool], None, list[Round]]:
    """Yield the tables to be played next, and whether they break ties; return all rounds in the end.

    Players are seeded in order of entry: the first meets the last, and so on; where they are no power of two, the first
    have no opponent in the first round. `played` is asked after each yield.
    """
    left, rounds = list(range(players)), list[Round]()
    while len(left) > 1:
        byes = (1 << (len(left) - 1).bit_length()) - len(left)
        meeting = left[byes:]
        tables: list[Table] = [(meeting[i], meeting[-1 - i]) for i in range(len(meeting) // 2)]
        points = dict.fromkeys(tables, (0.0, 0.0))
        yield tables, False
        tied = tables
        for tries in range(TIEBREAKS + 1):
            for table in tied:
                points[table] = _sum(points[table], played(table))
            tied = [table for table in tables if points[table][0] == points[table][1]]
            if not tied or tries == TIEBREAKS:
                break
            yield tied, True
        rounds.append(tuple(Meeting(table, points[table]) for table in tables))
        left = sorted([*left[:byes], *(meeting.winner for meeting in rounds[-1])])
    return rounds


def _sum(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] + other[0], one[1] + other[1]


def most_openings(players: int, per_table: int) -> int:
    """Return the largest number of openings that a knockout needs."""
    return max(players - 1, 1).bit_length() * (per_table + TIEBREAKS)


def in_words(rounds: Sequence[Round], names: Sequence[str]) -> str:
    """Return the rounds in lines, and who has won."""
    lines = []
    for place, meetings in enumerate(rounds):
        left = len(rounds) - place
        title = {1: "final", 2: "semi-finals", 3: "quarter-finals"}.get(left, f"round {place + 1}")
        results = (
            f"{names[one.players[0]]} {one.points[0]:g}-{one.points[1]:g} {names[one.players[1]]}" for one in meetings
        )
        lines.append(f"{title}: {', '.join(results)}")
    return "\n".join([*lines, f"{names[rounds[-1][0].winner]} wins the knockout."])
