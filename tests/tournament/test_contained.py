"""Tournaments with agents under limits: the right verdicts, an end, and the same a second time."""

import pytest

import games
from arena.match.limits import Limits
from arena.match.verdict import Reason
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament

pytestmark = pytest.mark.full

CONNECT_FOUR = games.make("connect_four")
FAULTS = {
    "illegal": Reason.ILLEGAL,
    "forks": Reason.FINISHED,
}
SLEEPS = {"sleeps": Reason.LATE}


@pytest.mark.slow("waits for every fault in whole tournaments")
@pytest.mark.usefixtures("faulty_agents")
@pytest.mark.parametrize(
    ("faults", "limits", "workers"),
    [(FAULTS, Limits(memory="600MB"), 2), (SLEEPS, Limits(time_per_move="5s"), 1)],  # no clock where a fault takes time
)
def test_whatever_agents_do_the_tournament_ends_with_the_right_verdicts(faults, limits, workers):
    config = TournamentConfig(format="gauntlet", games=2, openings="random:2", limits=limits)
    players = {"good": "one-ply"} | {how: f"faulty:{how}" for how in faults}
    result = run_tournament(CONNECT_FOUR, players, config, workers=workers)
    assert len(result.records) == 2 * len(faults)
    for record in result.records:
        how = next(name for name in record.players if name != "good")
        assert record.verdict.reason is faults[how]
        if record.verdict.reason is not Reason.FINISHED:
            assert record.players[record.verdict.offender] == how
            assert record.verdict.returns[record.players.index("good")] == 1
    tallies = {row.name: row.tally for row in result.standings.rows}
    for how, reason in faults.items():
        counted = {kind: getattr(tallies[how], kind) for kind in ("illegal", "late", "crashed")}
        assert counted == {kind: 2 * (reason == kind) for kind in counted}


@pytest.mark.usefixtures("faulty_agents")
def test_a_second_run_agrees_and_plays_nothing_that_is_stored(tmp_path):
    config = TournamentConfig(format="gauntlet", games=2, openings="random:2", limits=Limits(memory="600MB"))
    players = {"good": "one-ply", "raises": "faulty:raises"}
    with Store(tmp_path / "arena.db") as store:
        result = run_tournament(CONNECT_FOUR, players, config, store=store)
        assert [record.verdict.reason for record in result.records] == [Reason.CRASHED] * 2
        assert run_tournament(CONNECT_FOUR, players, config, store=store).records == result.records
    assert run_tournament(CONNECT_FOUR, players, config).records == result.records


def test_limits_do_not_change_what_those_within_them_play():
    players = {"a": "one-ply", "b": "alphabeta:5"}
    under = run_tournament(CONNECT_FOUR, players, TournamentConfig(games=4, limits=Limits(time_per_move="60s")))
    free = run_tournament(CONNECT_FOUR, players, TournamentConfig(games=4))
    assert under.records == free.records
