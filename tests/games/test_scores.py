"""Sharing a win among any number of seats."""

import numpy as np
import pytest

from games.engine.scores import share_win


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([3, 1], [1, -1]),
        ([0, 0], [0, 0]),
        ([-2, -1], [-1, 1]),
        ([1, 5, 2], [-0.5, 1, -0.5]),
        ([5, 5, 2], [0.5, 0.5, -1]),
        ([4, 4, 4, 4], [0, 0, 0, 0]),
        ([4, 1, 4, 4], [1 / 3, -1, 1 / 3, 1 / 3]),
    ],
)
def test_the_best_share_what_the_others_pay(scores, expected):
    out = np.zeros(len(scores), np.float32)
    share_win(np.array(scores, np.int16), out)
    assert out.tolist() == pytest.approx(expected)
