"""The round robin: who meets whom, from which side, with which opening and seed."""

from collections import Counter
from itertools import combinations

import pytest

from arena.errors import UsageError
from arena.tournament.pairing import BLOCK, openings_needed, round_robin

OPENINGS = [(a, b) for a in range(9) for b in range(9)]


def games(num_players, num_seats, seed=0):
    """Every game as (players by seat, seed, opening)."""
    return [
        (tuple(job.table[place] for place in pairing.seating), pairing.seed, pairing.opening)
        for job in round_robin(num_players, num_seats, OPENINGS, seed)
        for pairing in job.pairings
    ]


@pytest.mark.parametrize(("num_players", "num_seats"), [(2, 2), (4, 2), (4, 3), (5, 4)])
def test_every_table_plays_every_opening_from_all_sides(num_players, num_seats):
    played = games(num_players, num_seats)
    tables = list(combinations(range(num_players), num_seats))
    assert len(played) == len(set(played)) == len(tables) * len(OPENINGS) * num_seats
    assert Counter(tuple(sorted(seating)) for seating, _, _ in played) == {
        table: len(OPENINGS) * num_seats for table in tables
    }
    for seat in range(num_seats):
        at_this_seat = Counter(seating[seat] for seating, _, _ in played)
        assert len(at_this_seat) == num_players
        assert len(set(at_this_seat.values())) == 1


def test_both_sides_of_an_opening_share_a_seed_and_nothing_else_does():
    seeds: dict[int, set] = {}
    for seating, seed, opening in games(4, 2):
        seeds.setdefault(seed, set()).add((tuple(sorted(seating)), opening))
    assert len(seeds) == 6 * len(OPENINGS)
    assert all(len(pair) == 1 for pair in seeds.values())


def test_a_job_depends_on_its_table_and_block_alone():
    few = {job.table: job for job in round_robin(3, 2, OPENINGS[:BLOCK], seed=5)}
    many = {job.table: job for job in list(round_robin(6, 2, OPENINGS, seed=5))[:15]}
    assert all(many[table] == job for table, job in few.items())
    assert few[0, 1] != next(iter(round_robin(3, 2, OPENINGS[:BLOCK], seed=6)))


@pytest.mark.parametrize(
    ("count", "seats", "message"),
    [
        (5, 2, "games=5 is not an even number above 0, as openings are played from both sides; try 6"),
        (0, 2, "games=0 is not an even number above 0, as openings are played from both sides; try 2"),
        (-3, 2, "try 2"),
        (10, 3, "games=10 is not a multiple of 3 above 0, as openings are played from all 3 sides; try 12"),
    ],
)
def test_games_that_do_not_share_out_are_refused(count, seats, message):
    with pytest.raises(UsageError, match=message):
        openings_needed(count, seats)
    assert openings_needed(40, 2) == 20
