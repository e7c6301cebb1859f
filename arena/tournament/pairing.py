"""Who meets whom: a round robin in which every opening is played from all sides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.errors import UsageError
from arena.match.batch import Pairing
from arena.seeding import spawn_seeds

BLOCK = 64
"""Openings of a job. It is part of what fixes the games: a policy's random stream starts anew in every job."""


@dataclass(frozen=True)
class Job:
    """Games that are played together: one table of players, a block of openings."""

    table: tuple[int, ...]
    """Numbers of the players who meet."""
    pairings: tuple[Pairing, ...]
    """Their games; a seating holds places in `table`."""
    seed: int
    """Starts the players' random streams."""


def openings_needed(games: int, num_seats: int) -> int:
    """How many openings make `games` games when each is played from all sides; `UsageError` if that is not even."""
    if games < 1 or games % num_seats:
        sides = "both sides" if num_seats == 2 else f"all {num_seats} sides"
        nearest = max(num_seats, games + num_seats - games % num_seats)
        number = "an even number" if num_seats == 2 else f"a multiple of {num_seats}"
        raise UsageError(f"games={games} is not {number} above 0, as openings are played from {sides}; try {nearest}")
    return games // num_seats


def round_robin(num_players: int, num_seats: int, openings: Sequence[tuple[int, ...]], seed: int) -> Iterator[Job]:
    """Every table of `num_seats` players with every opening, each from all sides (the seating is rotated).

    What a job holds depends on the seed, its table and its block of openings, and on nothing that was played before.
    """
    rotations = [tuple((seat + shift) % num_seats for seat in range(num_seats)) for shift in range(num_seats)]
    for block, start in enumerate(range(0, len(openings), BLOCK)):
        part = openings[start : start + BLOCK]
        for table in combinations(range(num_players), num_seats):
            own, *seeds = spawn_seeds(seed, *table, block, count=1 + len(part))
            pairings = tuple(
                Pairing(seating, one, opening)
                for one, opening in zip(seeds, part, strict=True)
                for seating in rotations
            )
            yield Job(table, pairings, own)
