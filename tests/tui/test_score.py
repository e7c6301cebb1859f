"""The score of a series: points, a balance in chips, or what a team earns."""

from arena.match.verdict import Verdict
from arena.policy.registry import make_game
from arena.tui.state.score import score_of, score_words
from arena.tui.state.series import Series


def series_of(*hands):
    """The series of you and a bot in which the seats earned this, hand by hand."""
    series = Series(["you", "bot"])
    for number, returns in enumerate(hands):
        series.game = number
        series.credit(Verdict(returns))
    return series


def test_poker_keeps_a_balance_in_chips_and_blinds_a_hand():
    holdem = make_game("texas_holdem")  # a return of 1 is a big blind, two chips
    series = series_of((3.0, -3.0), (1.0, -1.0))  # the seats change: you win 3, then lose 1
    words = score_words(holdem, series)
    assert words.startswith("you +4 chips (+2 bb), +1000 ± ")
    assert words.endswith("mbb/hand after 2 hands")
    assert "±" not in score_words(holdem, series_of((3.0, -3.0)))
    assert [score_of(holdem, series, i) for i in (0, 1)] == ["+4", "-4"]
    assert score_words(holdem, series_of()) == "0 – 0"


def test_a_hand_taken_back_is_not_counted():
    series = series_of((3.0, -3.0))
    series.credit(None)
    assert series.returns_of(0) == ()


def test_a_team_has_one_score():
    hanabi = make_game("hanabi")
    series = series_of((18.0, 18.0), (9.0, 9.0))
    assert score_words(hanabi, series) == "the team earns 13.5 a game, 27 in 2 games"
    assert score_of(hanabi, series, 1) == "27"


def test_other_games_are_counted_in_points():
    series = series_of((1.0, -1.0), (0.0, 0.0))
    assert score_words(make_game("tic_tac_toe"), series) == "1½ – ½"
    assert score_of(make_game("tic_tac_toe"), series, 0) == "1½"
