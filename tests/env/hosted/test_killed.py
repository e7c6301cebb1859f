"""A league in a hosted game is killed from outside and resumed; `kills` does it for all of them."""

import pytest

from tests.env.hosted.kills import killed_and_resumed
from tests.env.hosted.worlds import spec

pytestmark = pytest.mark.full


@pytest.mark.slow("kills it again and again")
def test_a_league_that_is_killed_and_resumed_ends_as_it_would_have(tmp_path):
    assert killed_and_resumed(spec("early_death"), tmp_path)
