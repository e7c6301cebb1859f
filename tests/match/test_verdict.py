"""What returns mean, and what a fault brings the others."""

import pytest

from arena.base.errors import UsageError
from arena.match.match import Match
from arena.match.replay import require_possible
from arena.match.verdict import Reason, forfeit, results
from arena.policy.registry import make_game


@pytest.mark.parametrize(
    ("returns", "expected"),
    [
        ((1.0, -1.0), (1, -1)),
        ((0.0, 0.0), (0, 0)),
        ((2.0, 2.0, -4.0), (0, 0, -1)),  # who ends below those that share the top has lost
        ((3.0, 1.0, 1.0), (1, -1, -1)),
    ],
)
def test_the_highest_return_wins_and_is_shared(returns, expected):
    assert results(returns) == expected


def test_a_forfeit_is_shared_by_the_others():
    verdict = forfeit(3, 1, Reason.LATE, "1 s")
    assert (verdict.returns, verdict.offender) == ((0.5, -1.0, 0.5), 1)
    assert forfeit(1, 0, Reason.CRASHED).returns == (-1.0,)


def test_a_forfeit_alone_costs_as_much_as_the_game_can():
    pytest.importorskip("pyspiel")
    cliffs = make_game("openspiel:cliff_walking")
    match = Match(cliffs, [("a", None)], 0)
    match.resign(0)
    assert match.record().verdict.returns == (-199.0,)
    require_possible(match.record().verdict, cliffs, 0)
    assert make_game("connect_four").forfeit_return == make_game("hanabi").forfeit_return == -1.0
    with pytest.raises(UsageError, match=r"a loss by resigned is \[-1.0, 1.0\]"):
        require_possible(forfeit(2, 0, Reason.RESIGNED, loss=-199.0), make_game("connect_four"), 0)
