"""Who meets whom: tables of players at which every opening is played from all sides.

What a job holds depends on the seed, its table and its openings, and on nothing that was played before; so it can be
played anywhere and at any time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.errors import UsageError
from arena.match.batch import Pairing
from arena.seeding import make_rng, spawn_seeds

BLOCK = 256
"""Openings of a job. It is part of what fixes the games: a policy's random stream starts anew in every job."""
PATIENCE = 100_000
"""Steps in search of a round in which nobody meets again; a larger field has none, or is easy."""

Opening = tuple[int, ...]
Table = tuple[int, ...]


@dataclass(frozen=True)
class Job:
    """Games that are played together: one table of players, a block of openings."""

    first: int
    """Number of its first game in the tournament."""
    table: Table
    """Numbers of the players who meet."""
    pairings: tuple[Pairing, ...]
    """Their games; a seating holds places in `table`."""
    seed: int
    """Starts the players' random streams."""
    alone: bool
    """Whether its games are played one after the other."""

    @property
    def numbers(self) -> range:
        """Numbers of its games."""
        return range(self.first, self.first + len(self.pairings))


@dataclass(frozen=True)
class Field:
    """Who there is to play."""

    num_seats: int
    alone: tuple[bool, ...]
    """For each player, whether it wants to play one game at a time."""

    @property
    def num_players(self) -> int:
        """How many there are."""
        return len(self.alone)

    def jobs(self, tables: Sequence[Table], openings: Sequence[Opening], seed: int, first: int = 0) -> Iterator[Job]:
        """Every table with every opening, each from all sides (the seating is rotated), numbered from `first` on.

        A table that plays one game at a time has a job for each opening, others one for a block. All tables take turns.
        """
        seats = range(self.num_seats)
        sides = [tuple((seat + shift) % self.num_seats for seat in seats) for shift in seats]
        for start in range(len(openings)):
            for table in tables:
                alone = any(self.alone[player] for player in table)
                if start % BLOCK and not alone:
                    continue
                part = openings[start : start + (1 if alone else BLOCK)]
                own, *seeds = spawn_seeds(seed, *table, start, count=1 + len(part))
                games = zip(seeds, part, strict=True)
                pairings = tuple(Pairing(side, one, opening) for one, opening in games for side in sides)
                yield Job(first, table, pairings, own, alone)
                first += len(pairings)


def openings_needed(games: int, num_seats: int) -> int:
    """How many openings make `games` games when each is played from all sides; `UsageError` if that is not even."""
    if games < 1 or games % num_seats:
        sides = "both sides" if num_seats == 2 else f"all {num_seats} sides"
        nearest = max(num_seats, games + num_seats - games % num_seats)
        number = "an even number" if num_seats == 2 else f"a multiple of {num_seats}"
        raise UsageError(f"games={games} is not {number} above 0, as openings are played from {sides}; try {nearest}")
    return games // num_seats


def round_robin(num_players: int, num_seats: int) -> list[Table]:
    """All tables that there are."""
    return list(combinations(range(num_players), num_seats))


def gauntlet(num_players: int, num_seats: int) -> list[Table]:
    """All tables with the first player."""
    return [(0, *others) for others in combinations(range(1, num_players), num_seats - 1)]


def swiss_round(points: Sequence[float], before: Sequence[Sequence[Table]], num_seats: int, seed: int) -> list[Table]:
    """The tables of the next round: players of like `points` meet, and two do not meet again while it can be helped.

    Equal points are put in an order that `seed` draws anew for every round. Where the players do not fill all tables,
    those of the fewest points sit out who have not done so before; `points` should count a round of sitting out as won.
    """
    order = make_rng(spawn_seeds(seed, len(before), count=1)[0]).permutation(len(points)).tolist()
    order.sort(key=lambda player: -points[player])
    played = {player: sum(player in table for tables in before for table in tables) for player in order}
    for player in sorted(reversed(order), key=lambda player: -played[player])[: len(order) % num_seats]:
        order.remove(player)
    if num_seats > 2:
        tables = [tuple(order[i : i + num_seats]) for i in range(0, len(order), num_seats)]
    else:
        met = {frozenset(table) for tables in before for table in tables}
        tables = _pairs_of_new(order, met) or list(zip(order[::2], order[1::2], strict=True))
    return [tuple(sorted(table)) for table in tables]


def _pairs_of_new(order: list[int], met: set[frozenset[int]]) -> list[Table] | None:
    """Pairs of neighbours in `order` as far as they have not met, by backtracking; None if none are found."""
    free, steps = list(order), 0
    pairs: list[Table] = []
    tried: list[int] = [0]  # for each pair under way, which partner comes next
    while free and steps < PATIENCE:
        steps += 1
        partner = tried[-1] + 1
        if partner >= len(free):
            tried.pop()
            if not tried:
                return None
            one, other = pairs.pop()
            free.insert(0, one)
            free.insert(tried[-1], other)
        elif frozenset((free[0], free[partner])) in met:
            tried[-1] = partner
        else:
            tried[-1] = partner
            other = free.pop(partner)
            pairs.append((free.pop(0), other))
            tried.append(0)
    return None if free else pairs
