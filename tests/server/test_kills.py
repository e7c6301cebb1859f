"""A server and its workers are killed at random moments: the ladder is the same, game for game."""

import pytest

from scripts.server_kills import play

pytestmark = pytest.mark.full


def test_kills_change_nothing(tmp_path):
    expected, _ = play(tmp_path / "alone", 12, 1)
    games, kills = play(tmp_path / "killed", 12, 2, kills=4, seed=2)
    assert kills == 4
    assert games == expected
    assert len(games) == 24
