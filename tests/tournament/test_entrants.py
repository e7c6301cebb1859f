"""Names and specs of those who enter, and what a spec stands for at the time."""

import re

import pytest

from arena.base.errors import UsageError
from arena.tournament.entrants import Entrant, identity, named, pinned, read_entrants, split_wrapping
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
    assert pinned(f"pubeval:{tmp_path}") == f"pubeval:{tmp_path}", "its folder has no checkpoint"
    assert pinned(f"noisy:0.2:ppo:{tmp_path}") == f"noisy:0.2:ppo:{tmp_path}/snapshot-0010"
    assert pinned(f"noisy:0.2:solved:puct:{tmp_path}:50") == f"noisy:0.2:solved:puct:{tmp_path}/snapshot-0010:50"


def test_an_agent_that_plays_as_a_trained_one_is_named_by_its_weights():
    folder = "agents/zoo/connect_four"
    version = named("", f"puct:{folder}:50").name
    assert re.fullmatch("@[0-9a-f]{8}", version)
    entrant = named(f"solved:puct:{folder}:50", f"solved:puct:{folder}:50")
    assert entrant == Entrant(f"solved:puct:{folder}{version}:50", f"solved:puct:{folder}:50")
    assert identity(entrant)["files"].keys() >= {f"{folder}/weights.safetensors"}
    assert named("mine", f"noisy:0.1:puct:{folder}:50").name == f"mine{version}"


def test_what_stands_before_the_agent_that_another_one_plays_as():
    assert split_wrapping("noisy:0.2:solved:mcts:400") == ("noisy:0.2:solved:", "mcts:400")
    for spec in ("mcts:400", "noisy:0.2", "solved", "puct:runs/x:400", "unheard:of:it"):
        assert split_wrapping(spec) == ("", spec)


def test_a_policy_has_no_spec():
    with pytest.raises(UsageError, match="low is a Lowest of this process"):
        assert Entrant("low", Lowest()).spec
