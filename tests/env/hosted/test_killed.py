"""A league in a hosted game of each kind is killed from outside and resumed; `kills` does it for all of them."""

import pytest

from tests.env.hosted.kills import killed_and_resumed
from tests.env.hosted.worlds import spec

pytestmark = pytest.mark.full


@pytest.mark.parametrize(
    "name", [spec("early_death"), "pettingzoo:pettingzoo.classic.leduc_holdem_v4", "openspiel:kuhn_poker"]
)
def test_a_league_that_is_killed_and_resumed_ends_as_it_would_have(name, tmp_path):
    assert killed_and_resumed(name, tmp_path)
