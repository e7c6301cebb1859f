"""The sequential test as a format: it stops at the pair that decides, whoever plays."""

import pytest

import games
from arena.match.verdict import MatchRecord, Verdict
from arena.ratings.sprt import Sprt
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.sequential import SequentialTest, in_order, in_words
from arena.tournament.tournament import run_tournament

pytestmark = pytest.mark.full

CONNECT_FOUR = games.make("connect_four")
SPRT = Sprt(elo0=0, elo1=50)
CONFIG = TournamentConfig(format="sprt", sprt=SPRT, games=2000)


def pair(first, second):
    """Two games of a and b in which a earns `first` and `second`, in this order."""
    games = [(("a", "b"), (first, -first)), (("b", "a"), (-second, second))]
    return [MatchRecord("g", players, 0, (), (), Verdict(tuple(map(float, returns)))) for players, returns in games]


def test_pairs_are_counted_by_what_the_first_player_scored():
    test = SequentialTest(SPRT, "a")
    for one in ((-1, -1), (0, -1), (1, -1), (0, 0), (1, 0), (1, 1)):
        test.counted(pair(*one))
    assert test.result.pairs == (1, 1, 2, 1, 1)
    assert test.result.decision is None
    assert test.result.llr == SPRT.llr([1, 1, 2, 1, 1])


def test_nothing_is_counted_after_the_decision():
    test = SequentialTest(SPRT, "a")
    records = [record for _ in range(100) for record in pair(1, 1)]
    counted = test.counted(records)
    assert test.decision == "H1"
    assert len(counted) == 2 * sum(test.result.pairs) < 100
    assert SPRT.decide([0, 0, 0, 0, len(counted) // 2 - 1])[0] is None
    assert list(test.counted(records)) == []


def test_results_come_in_the_order_of_jobs():
    class Job:
        def __init__(self, first):
            self.first = first

    def backwards(jobs):
        for job in reversed(list(jobs)):
            yield job, []

    assert [job.first for job, _ in in_order(map(Job, (3, 5, 9)), backwards)] == [3, 5, 9]


def test_it_stops_as_soon_as_it_knows_with_any_number_of_workers(tmp_path):
    for agents in ({"a": "one-ply", "b": "random"}, {"a": "random", "b": "alphabeta:5"}):
        result = run_tournament(CONNECT_FOUR, agents, CONFIG)
        decision = "H1" if agents["b"] == "random" else "H0"
        assert result.sprt.decision == decision
        assert len(result.records) == 2 * sum(result.sprt.pairs) < 200
        before = SequentialTest(SPRT, "a")
        before.counted(result.records[:-2])
        assert before.decision is None
        with Store(tmp_path / f"{decision}.db") as store:
            again = run_tournament(CONNECT_FOUR, agents, CONFIG, workers=2, store=store)
            stored = run_tournament(CONNECT_FOUR, agents, CONFIG, store=store)
        assert again.records == stored.records == result.records
        assert again.sprt == stored.sprt == result.sprt


def test_it_ends_undecided_when_the_games_are_used_up():
    config = TournamentConfig(format="sprt", games=8)
    result = run_tournament(CONNECT_FOUR, {"a": "random", "b": "random"}, config)
    assert (result.sprt.decision, len(result.records), sum(result.sprt.pairs)) == (None, 8, 4)
    assert "it is not clear yet" in in_words(result.sprt, config.sprt, "a")


def test_the_end_is_told_in_words():
    test = SequentialTest(SPRT, "a")
    test.counted([record for _ in range(100) for record in pair(1, 1)])
    text = in_words(test.result, SPRT, "a")
    assert text.startswith("SPRT: a is stronger by 50 Elo (H1). Log-likelihood ratio ")
    assert f"{sum(test.result.pairs)} pairs, of which a scored 0: 0, 1/2: 0, 1: 0, 3/2: 0, 2: " in text
    assert text.endswith("All pairs brought the same, from which no difference in Elo can be estimated")
    test = SequentialTest(SPRT, "a")
    test.counted([record for pairs in ((1, 1), (-1, -1)) for record in pair(*pairs)])
    assert "overstates: +0.0 ± " in in_words(test.result, SPRT, "a")
