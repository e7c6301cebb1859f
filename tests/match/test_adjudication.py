"""Matches that are ended by what players state or a solver knows, as fastchess and cutechess end them."""

from typing import Any

import numpy as np
import pytest

import games
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.match.adjudication import Adjudication, Adjudicator
from arena.match.batch import Pairing, play_matches
from arena.match.contained import ContainedPolicy
from arena.match.files import WrittenMatch, match_text, read_match
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.replay import replay
from arena.match.verdict import MatchRecord, Reason
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent
from games.engine.game import Game

CHESS, CONNECT_FOUR, OTHELLO = (games.make(name) for name in ("chess", "connect_four", "othello"))
KNIGHTS_OUT = ("Nf3", "Nc6", "Ng1", "Nb8")  # back and forth, which no rule ends before the third repetition


class States(Policy):
    """Plays knights' moves back and forth, or the first legal move, and states the given scores in turn."""

    def __init__(self, *values: float | None):
        self._values, self._asked = values, 0

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return the first legal action of each row, and one score for all."""
        value = self._values[min(self._asked, len(self._values) - 1)]
        self._asked += 1
        answer = Batch(act=batch.obs.mask.argmax(axis=1))
        if value is not None:
            answer.value = np.full(len(answer.act), value)
        return answer


def played(game: Game, first: Policy, second: Policy, **rules: Any) -> MatchRecord:
    """Return a match, which its moves lead to again."""
    adjudicator = Adjudicator(game, Adjudication(**rules))
    alone = Match(game, [("a", first), ("b", second)], adjudicator=adjudicator).play_out()
    assert replay(alone).match.verdict == alone.verdict
    return alone


@pytest.mark.parametrize(
    ("first", "second", "rule", "plies"),
    [
        ((-0.95,), (0.95,), "movecount=3,score=0.9", 6),
        ((0.0, -0.95), (0.95,), "movecount=3,score=0.9", 7),
        ((-0.95, 0.0, -0.95), (0.95,), "movecount=2,score=0.9", 7),  # a break begins the count anew
        ((-0.95,), (0.5,), "movecount=3,score=0.9,twosided=no", 5),
        ((-0.82,), (0.82,), "movecount=2,score=400", 4),  # centipawns, 0.818
    ],
)
def test_a_player_that_both_see_lost_loses(first, second, rule, plies):
    verdict = (record := played(CHESS, States(*first), States(*second), resign=rule)).verdict
    assert (verdict.returns, verdict.reason) == ((-1.0, 1.0), Reason.ADJUDICATED)
    assert (verdict.detail, verdict.offender, len(record.actions)) == ("resign by score", None, plies)


def test_one_that_states_no_score_agrees_to_nothing():
    record = played(CONNECT_FOUR, States(-1.0), States(None), resign="movecount=1,score=0.5")
    assert record.verdict.reason is Reason.FINISHED


def test_quiet_games_are_drawn_from_a_move_on():
    rules = {"draw": "movenumber=5,movecount=2,score=0.05"}
    record = played(CHESS, States(0.02), States(0.5, 0.0), **rules)
    assert record.verdict.returns == (0.0, 0.0)
    assert (record.verdict.detail, len(record.actions)) == ("draw by score", 10)


def test_long_games_are_drawn():
    record = played(CHESS, States(None), States(None), max_moves=4)
    assert (record.verdict.returns, record.verdict.detail, len(record.actions)) == ((0, 0), "maximum length", 8)


@pytest.mark.full
def test_an_endgame_solver_ends_games_with_the_result_of_perfect_play():
    adjudicator = Adjudicator(OTHELLO, Adjudication(arbiter="perfect"))
    perfect = make_agent("perfect", OTHELLO)
    players = [("a", make_agent("random", OTHELLO)), ("b", make_agent("random", OTHELLO))]
    records = play_matches(OTHELLO, players, [Pairing((0, 1), seed) for seed in range(4)], adjudicator=adjudicator)
    for record in records:
        assert (record.verdict.detail, record.verdict.reason) == ("arbiter perfect", Reason.ADJUDICATED)
        assert len(record.actions) <= 60 - 16 + 2
        match = Match(OTHELLO, [("a", perfect), ("b", perfect)], opening=record.actions)
        assert match.play_out().verdict.returns == record.verdict.returns


def test_games_side_by_side_end_as_they_do_alone():
    rules = Adjudication(resign="movecount=2,score=0.8", draw="movenumber=3,movecount=2,score=0.3", max_moves=12)
    adjudicator, players = Adjudicator(CHESS, rules), [("a", make_agent("one-ply", CHESS)), ("b", States(0.1))]
    pairings = [Pairing((0, 1), seed) for seed in range(3)] + [Pairing((1, 0), 3)]
    together = play_matches(CHESS, players, pairings, adjudicator=adjudicator)
    assert all(record.verdict.reason is Reason.ADJUDICATED for record in together)
    for pairing, record in zip(pairings, together, strict=True):
        seats = [players[place] for place in pairing.seating]
        alone = Match(CHESS, [seats[0], seats[1]], pairing.seed, adjudicator=adjudicator).play_out()
        assert len(alone.actions) == len(record.actions)
        assert alone.verdict == record.verdict


@pytest.mark.full
def test_agents_in_processes_of_their_own_state_scores():
    limits = Limits(time_per_move="20s")
    agent = ContainedPolicy("alphabeta:4", CONNECT_FOUR, limits)
    try:
        rules = Adjudication(resign="movecount=1,score=0.99")
        match = Match(
            CONNECT_FOUR,
            [("a", agent)] * 2,
            limits=limits,
            adjudicator=Adjudicator(CONNECT_FOUR, rules),
        )
        assert match.play_out().verdict.detail == "resign by score"
    finally:
        agent.close()


def test_files_say_what_ended_a_match(tmp_path):
    record = played(CHESS, States(-0.95), States(0.95), resign="movecount=1,score=0.9")
    text = match_text(WrittenMatch.of(record), ".pgn")
    assert '[Termination "adjudication"]' in text
    assert '[TerminationDetails "adjudicated: resign by score"]' in text
    assert '[Result "0-1"]' in text
    for suffix in (".pgn", ".jsonl"):
        path = tmp_path / f"game{suffix}"
        path.write_text(match_text(WrittenMatch.of(record), suffix))
        again = read_match(path)
        assert (again.verdict.returns, again.verdict.reason) == ((-1.0, 1.0), Reason.ADJUDICATED)


@pytest.mark.parametrize(
    ("game", "rules", "message"),
    [
        (CHESS, {"resign": "3:0.9"}, "resign=3:0.9 is not of the form movecount=3,score=0.9"),
        (CHESS, {"resign": "movecount=3"}, "resign=movecount=3 is not of the form"),
        (CHESS, {"resign": "movecount=0,score=0.9"}, "is not of the form"),
        (CHESS, {"resign": "movecount=3,score=nan"}, "is not of the form"),
        (CHESS, {"resign": "movecount=3,score=0.9,movenumber=3"}, "is not of the form"),
        (CHESS, {"draw": "movecount=8,score=-1"}, "draw=movecount=8,score=-1 is not of the form movenumber=40"),
        (CHESS, {"max_moves": 0}, "max_moves=0"),
        (CONNECT_FOUR, {"resign": "movecount=3,score=400"}, "score=400 is not an expected return from 0 to 1"),
        (CONNECT_FOUR, {"arbiter": "random"}, "arbiter=random knows no results of positions; perfect does"),
        (CHESS, {"arbiter": "perfect"}, "perfect cannot solve chess"),
        (games.make("leduc_poker"), {"max_moves": 9}, "are adjudicated, won at 1; leduc_poker"),
    ],
)
def test_rules_that_mean_nothing_are_refused(game, rules, message):
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        Adjudicator(game, Adjudication(**rules))


@pytest.mark.full
def test_a_clock_that_nobody_would_keep_is_refused():
    limits = Limits(clock="move=100ms")
    agent = ContainedPolicy("random", CONNECT_FOUR, limits, later=True)
    seats = [("a", agent), ("b", agent)]
    assert Match(CONNECT_FOUR, seats).clocks is not None  # the match keeps its players' clock by itself
    with pytest.raises(UsageError, match="cannot play in a match with the clock move"):
        Match(CONNECT_FOUR, seats, limits=Limits(clock="move=200ms"))
    with pytest.raises(UsageError, match="cannot play in a match with no clock"):
        play_matches(CONNECT_FOUR, seats, [Pairing((0, 1))])
    agent.close()
