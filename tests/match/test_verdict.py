"""What returns mean, and what a fault brings the others."""

import pytest

from arena.match.verdict import Reason, forfeit, results


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
