"""Who meets whom, from which side, with which opening and seed."""

import random
from collections import Counter
from itertools import combinations

import pytest

from arena.base.errors import UsageError
from arena.tournament.pairing import BLOCK, JobScheduler, gauntlet, openings_needed, round_robin, swiss_round

OPENINGS = [(a, b) for a in range(17) for b in range(17)]


def all_against_all(num_players, num_seats, openings=OPENINGS, seed=0, alone=()):
    field = JobScheduler(num_seats, tuple(player in alone for player in range(num_players)))
    return list(field.jobs(round_robin(num_players, num_seats), openings, seed))


def games(jobs):
    """Every game as (players by seat, seed, opening)."""
    return [
        (tuple(job.table[place] for place in pairing.seating), pairing.seed, pairing.opening)
        for job in jobs
        for pairing in job.pairings
    ]


@pytest.mark.parametrize("alone", [(), (1,)])
@pytest.mark.parametrize(("num_players", "num_seats"), [(2, 2), (4, 2), (4, 3), (5, 4)])
def test_every_table_plays_every_opening_from_all_sides(num_players, num_seats, alone):
    played = games(all_against_all(num_players, num_seats, alone=alone))
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
    for seating, seed, opening in games(all_against_all(4, 2, alone=(0,))):
        seeds.setdefault(seed, set()).add((tuple(sorted(seating)), opening))
    assert len(seeds) == 6 * len(OPENINGS)
    assert all(len(pair) == 1 for pair in seeds.values())


def test_numbers_count_all_games_and_jobs_hold_whole_openings():
    jobs = all_against_all(4, 2, alone=(3,))
    assert [number for job in jobs for number in job.numbers] == list(range(6 * len(OPENINGS) * 2))
    for job in jobs:
        assert job.alone == (3 in job.table)
        assert len(job.pairings) == (
            2 if job.alone else 2 * BLOCK if job.pairings[0].opening == (0, 0) else 2 * (289 - BLOCK)
        )
        assert Counter(pairing.opening for pairing in job.pairings).most_common()[-1][1] == 2
    assert len({job.table for job in jobs[:6]}) == 6, "all tables take turns"


def test_a_job_depends_on_its_table_and_openings_alone():
    few = {job.table: job for job in all_against_all(3, 2, OPENINGS[:BLOCK], seed=5)}
    many = {job.table: job for job in all_against_all(6, 2, seed=5)[:15]}
    assert all((many[table].pairings, many[table].seed) == (job.pairings, job.seed) for table, job in few.items())
    assert few[0, 1] != all_against_all(3, 2, OPENINGS[:BLOCK], seed=6)[0]


def test_in_a_gauntlet_the_first_meets_all_the_others():
    assert gauntlet(4, 2) == [(0, 1), (0, 2), (0, 3)]
    assert gauntlet(4, 3) == [(0, 1, 2), (0, 1, 3), (0, 2, 3)]


def rounds(num_players, count, num_seats=2, seed=0):
    """Rounds in which the player of the higher number wins."""
    points, before = [0.0] * num_players, []
    for _ in range(count):
        tables = swiss_round(points, before, num_seats, seed)
        before.append(tables)
        seated = {player for table in tables for player in table}
        for player in range(num_players):
            points[player] += player not in seated
        for table in tables:
            points[max(table)] += 1
    return before, points


@pytest.mark.parametrize("num_players", [2, 4, 5, 6, 7, 8, 9, 16, 33])
def test_nobody_meets_again_in_a_swiss_while_it_can_be_helped(num_players):
    count = num_players - 1 if num_players < 5 else 3
    for seed in range(5):
        before, _ = rounds(num_players, count, seed=seed)
        met = Counter(table for tables in before for table in tables)
        assert set(met.values()) == {1}
        assert all(len(tables) == num_players // 2 for tables in before)


def test_a_swiss_of_two_meets_every_round():
    assert rounds(2, 3)[0] == [[(0, 1)]] * 3


def test_a_swiss_pairs_like_points_and_finds_the_best():
    before, points = rounds(16, 5)
    assert max(range(16), key=points.__getitem__) == 15
    assert rounds(16, 5) == (before, points)
    assert rounds(16, 5, seed=1)[0] != before
    third = swiss_round([3.0, 0.0, 3.0, 0.0, 1.0, 1.0], [], 2, 0)
    assert sorted(third) == [(0, 2), (1, 3), (4, 5)]


def test_who_has_the_fewest_points_sits_out():
    for seed in range(10):
        (first, *_) = tables = swiss_round([3.0, 2.0, 1.0, 0.0, 2.5], [], 2, seed)
        assert 3 not in {player for table in tables for player in table}, first


def first_pairing(order, met):
    """The first pairs without a repeated meeting in the order of all pairings, by trying every one."""
    if not order:
        return []
    for other in order[1:]:
        if frozenset((order[0], other)) not in met:
            rest = first_pairing([player for player in order[1:] if player != other], met)
            if rest is not None:
                return [tuple(sorted((order[0], other))), *rest]
    return None


@pytest.mark.parametrize("seed", range(20))
def test_a_swiss_pairs_the_nearest_that_have_not_met(seed):
    points = [float(-player) for player in range(8)]  # the order is that of the numbers
    meetings = random.Random(seed).sample(round_robin(8, 2), 12)
    met = {frozenset(table) for table in meetings}
    expected = first_pairing(list(range(8)), met)
    if expected is not None:
        assert sorted(swiss_round(points, [meetings], 2, seed)) == sorted(expected)


def test_jobs_of_a_later_beginning_are_whole_blocks_from_there():
    scheduler = JobScheduler(2, (False, False))
    openings = [(number,) for number in range(BLOCK + 20)]
    jobs = list(scheduler.jobs([(0, 1)], openings, 0, first=10, begin=10))
    assert [len(job.pairings) for job in jobs] == [2 * BLOCK, 2 * 10]
    assert [job.pairings[0].opening for job in jobs] == [(10,), (10 + BLOCK,)]


def test_those_who_sit_out_take_turns():
    before, _ = rounds(5, 5)
    out = [set(range(5)) - {player for table in tables for player in table} for tables in before]
    assert Counter(player for one in out for player in one) == dict.fromkeys(range(5), 1)


def test_a_swiss_of_three_at_a_table():
    before, _ = rounds(8, 3, num_seats=3)
    for tables in before:
        assert [len(table) for table in tables] == [3, 3]
        assert len({player for table in tables for player in table}) == 6


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
