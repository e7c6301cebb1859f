"""Pairings: tables of players who play every opening from all sides.

The games of a job depend on the seed, its table and its openings only, not on earlier results; so jobs can be played
anywhere and in any order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

from arena.base.errors import UsageError
from arena.base.seeding import make_rng, spawn_seeds
from arena.match.batch import Pairing
from arena.match.starts import Opening

BLOCK = 256
"""Openings of a job. Changing it changes the games: every job restarts the policies' random streams."""
COSTLY_BLOCK = 8
"""The same where an agent's answers are costly: fewer are lost when a tournament ends early."""
MAX_SEARCH_STEPS = 100_000
"""Most steps of the search for a swiss round without repeated meetings; almost all searches need fewer."""

Table = tuple[int, ...]


@dataclass(frozen=True)
class TournamentJob:
    """Games that are played together: one table of players, a block of openings."""

    first: int
    """Number of its first game in the tournament."""
    table: Table
    """Numbers of the players."""
    pairings: tuple[Pairing, ...]
    """The games; a seating holds indices into `table`."""
    seed: int
    """Seed of the players' random streams."""
    alone: bool
    """True if its games are played one after the other."""

    @property
    def numbers(self) -> range:
        """Numbers of its games."""
        return range(self.first, self.first + len(self.pairings))


@dataclass(frozen=True)
class JobScheduler:
    """Divides the meetings of players into jobs."""

    num_seats: int
    alone: tuple[bool, ...]
    """True for players that play one game at a time, by player."""
    block: int = BLOCK
    """Openings of a job of other players."""

    @property
    def num_players(self) -> int:
        """Number of players."""
        return len(self.alone)

    def jobs(
        self, tables: Sequence[Table], openings: Sequence[Opening], seed: int, first: int = 0, begin: int = 0
    ) -> Iterator[TournamentJob]:
        """Yield the jobs of every table with every opening from number `begin` on, from all sides.

        Games are numbered from `first`.
        A table with a player of one game at a time gets a job per opening, others a job per block. Tables alternate.
        """
        seats = range(self.num_seats)
        sides = [tuple((seat + shift) % self.num_seats for seat in seats) for shift in seats]
        for start in range(begin, len(openings)):
            for table in tables:
                alone = any(self.alone[player] for player in table)
                if (start - begin) % self.block and not alone:
                    continue
                part = openings[start : start + (1 if alone else self.block)]
                one_player = len(set(table)) == 1  # all sides are the same: games differ by their seeds
                repeats = len(sides) if one_player else 1
                table_seed, *seeds = spawn_seeds(seed, *table, start, count=1 + len(part) * repeats)
                if self.num_seats == 1:  # nobody meets: all play the same games, so that only the players differ
                    seeds = spawn_seeds(seed, start, count=len(part))
                lines = [opening for opening in part for _ in range(repeats)]
                games = zip(seeds, lines, strict=True)
                of_game = sides[:1] if one_player else sides
                pairings = tuple(Pairing(side, game_seed, opening) for game_seed, opening in games for side in of_game)
                yield TournamentJob(first, table, pairings, table_seed, alone)
                first += len(pairings)


def openings_needed(games: int, num_seats: int) -> int:
    """Return the number of openings for `games` games, each played from all sides; `UsageError` if it is not whole."""
    if games < 1 or games % num_seats:
        sides = "both sides" if num_seats == 2 else f"all {num_seats} sides"
        nearest = max(num_seats, games + num_seats - games % num_seats)
        number = "an even number" if num_seats == 2 else f"a multiple of {num_seats}"
        raise UsageError(f"games={games} is not {number} above 0, as openings are played from {sides}; try {nearest}")
    return games // num_seats


def round_robin(num_players: int, num_seats: int) -> list[Table]:
    """Return all tables of `num_seats` players."""
    return list(combinations(range(num_players), num_seats))


def gauntlet(num_players: int, num_seats: int) -> list[Table]:
    """Return all tables with the first player."""
    return [(0, *others) for others in combinations(range(1, num_players), num_seats - 1)]


def teams(num_players: int, num_seats: int, of: int | None = None) -> list[Table]:
    """Return the teams where nobody wins: each player alone at all seats, and each two taking seats in turn.

    With `of`, only teams of that player. Of one seat everybody is a team, whoever `of` is.
    """
    if num_seats == 1:
        return [(player,) for player in range(num_players)]
    pairs = [pair for pair in combinations_with_replacement(range(num_players), 2) if of is None or of in pair]
    return [tuple(pair[seat % 2] for seat in range(num_seats)) for pair in pairs]


def swiss_round(points: Sequence[float], before: Sequence[Sequence[Table]], num_seats: int, seed: int) -> list[Table]:
    """Return the tables of the next round: players of similar `points` meet; pairs meet again only if unavoidable.

    Ties are in random order, by `seed` and round. If the players do not fill all tables, those with the fewest points
    sit out, first those who have not before; `points` should count such a bye as won.
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
    """Return pairs near in `order` that have not met, by backtracking; None if the search fails."""
    free, steps = list(order), 0
    pairs: list[Table] = []
    tried: list[int] = [0]  # for each open pair, the index of its current partner in `free`
    while free and steps < MAX_SEARCH_STEPS:
        steps += 1
        partner = tried[-1] + 1
        if partner >= len(free):
            tried.pop()
            if not tried:
                return None
            first, other = pairs.pop()
            free.insert(0, first)
            free.insert(tried[-1], other)
        elif frozenset((free[0], free[partner])) in met:
            tried[-1] = partner
        else:
            tried[-1] = partner
            other = free.pop(partner)
            pairs.append((free.pop(0), other))
            tried.append(0)
    return None if free else pairs
