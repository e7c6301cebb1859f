"""A recorded match of every game plays again exactly as it stands in the record."""

import pytest

from games.engine.registry import GAMES
from tests.games.transcript import FOLDER, transcript

pytestmark = pytest.mark.full


@pytest.mark.parametrize("name", GAMES.names())
def test_the_recorded_match_plays_again(name):
    recorded = FOLDER / f"{name}.txt"
    assert recorded.exists(), "record it with: python -m tests.games.transcript"
    assert transcript(name) == recorded.read_text(encoding="utf-8")
