"""Tournaments with agents under limits: the right verdicts, an end, and the same a second time."""

import pytest

import games
from arena.match.limits import Limits
from arena.match.verdict import Reason
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament

CONNECT_FOUR = games.make("connect_four")
FAULTS = {
    "raises": Reason.CRASHED,
    "sleeps": Reason.LATE,
    "illegal": Reason.ILLEGAL,
    "hoards": Reason.CRASHED,
    "forks": Reason.FINISHED,
    "exits": Reason.CRASHED,
}
LIMITS = Limits(time_per_move="4s", memory="600MB")
CONFIG = TournamentConfig(format="gauntlet", games=2, openings="random:2", limits=LIMITS)


@pytest.mark.usefixtures("faulty_agents")
def test_whatever_agents_do_the_tournament_ends_and_a_second_run_agrees(tmp_path):
    players = {"good": "one-ply"} | {how: f"faulty:{how}" for how in FAULTS}
    with Store(tmp_path / "arena.db") as store:
        result = run_tournament(CONNECT_FOUR, players, CONFIG, workers=2, store=store)
        assert run_tournament(CONNECT_FOUR, players, CONFIG, store=store).records == result.records
    assert len(result.records) == 2 * len(FAULTS)
    for record in result.records:
        how = next(name for name in record.players if name != "good")
        assert record.verdict.reason is FAULTS[how]
        if record.verdict.reason is not Reason.FINISHED:
            assert record.players[record.verdict.offender] == how
            assert record.verdict.returns[record.players.index("good")] == 1
    late = next(row.tally for row in result.standings.rows if row.name == "sleeps")
    assert (late.late, late.crashed, late.illegal) == (2, 0, 0)


def test_limits_do_not_change_what_those_within_them_play():
    players = {"a": "one-ply", "b": "alphabeta:5"}
    under = run_tournament(CONNECT_FOUR, players, TournamentConfig(games=4, limits=Limits(time_per_move="60s")))
    free = run_tournament(CONNECT_FOUR, players, TournamentConfig(games=4))
    assert under.records == free.records
