"""Names and specs of those who enter, and what a spec stands for at the time."""

import pytest

from arena.base.errors import UsageError
from arena.tournament.entrants import Entrant, pinned, read_entrants
from tests.match.players import Lowest


def test_a_spec_is_its_own_name_unless_it_is_given_one():
    words = ["random", "deep=alphabeta:8", "sf 17=uci:stockfish,nodes=1000", "cmd:./bot --level=3", "ppo:runs/a=b"]
    assert read_entrants(words) == {
        "random": "random",
        "deep": "alphabeta:8",
        "sf 17": "uci:stockfish,nodes=1000",
        "cmd:./bot --level=3": "cmd:./bot --level=3",
        "ppo:runs/a=b": "ppo:runs/a=b",
    }


@pytest.mark.parametrize("words", [["random", "random"], ["a=random", "a=one-ply"], ["random", "random=one-ply"]])
def test_two_of_one_name_are_refused(words):
    with pytest.raises(UsageError, match="two agents of one name"):
        read_entrants(words)


def test_a_run_folder_is_pinned_to_its_newest_snapshot(tmp_path):
    for number in (1, 2, 10):
        (tmp_path / f"snapshot-{number:04d}").mkdir()
    assert pinned(f"ppo:{tmp_path}") == f"ppo:{tmp_path}/snapshot-0010"
    assert pinned("alphabeta:4") == "alphabeta:4"


def test_a_policy_has_no_spec():
    with pytest.raises(UsageError, match="low is a Lowest of this process"):
        assert Entrant("low", Lowest()).spec
