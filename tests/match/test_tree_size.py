"""How large trees are, guessed from random games."""

import math

import pytest

from arena.match.tree_size import guess_size
from arena.policy.registry import make_game

pytestmark = pytest.mark.full


@pytest.mark.parametrize(
    ("spec", "positions"),
    [("tic_tac_toe", 549_946), ("tic_tac_toe:m=2,n=2,k=2", 1 + 4 + 12 + 24)],
)
def test_it_is_about_right_where_the_tree_can_be_counted(spec, positions):
    assert guess_size(make_game(spec)) == pytest.approx(math.log10(positions), abs=0.1)


def test_chances_are_not_counted():
    """Kuhn poker has 9 points for each of 6 deals."""
    assert guess_size(make_game("kuhn_poker")) == pytest.approx(math.log10(9), abs=0.05)


@pytest.mark.parametrize("spec", ["tron:rows=3,columns=3", "backgammon"])
def test_any_game_has_a_size(spec):
    assert 1 < guess_size(make_game(spec)) < 1000
