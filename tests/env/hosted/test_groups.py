"""Agents with different spaces: a policy for each group of agents that are alike, in leagues and tournaments."""

import numpy as np
import pytest
import torch

from arena.cli.main import main
from arena.league.config import LeagueConfig
from arena.policy.registry import make_agent, make_game
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament
from tests.env.hosted.test_continuous import STEER, CutError, training
from tests.env.hosted.worlds import spec
from tests.league.small import left_behind

TAG = "pettingzoo:mpe2.simple_tag_v3"
GROUPS = {
    spec("unequal"): ((0,), (1,), (2,)),
    STEER: ((0,), (1,)),
    spec("race"): (),
    TAG: ((0, 1, 2), (3,)),
    "pettingzoo:mpe2.simple_adversary_v3": ((0,), (1, 2)),
    "pettingzoo:mpe2.simple_speaker_listener_v4": ((0,), (1,)),
    "pettingzoo:mpe2.simple_world_comm_v3": ((0,), (1, 2, 3), (4, 5)),
    "pettingzoo:mpe2.simple_spread_v3": (),
}
IN_GROUPS = LeagueConfig(self_play=0.5, pool=0.3, opponents=1, references=("random",), seats="groups")


@pytest.mark.parametrize("name", GROUPS)
def test_agents_with_equal_spaces_are_a_group(name):
    assert make_game(name).groups == GROUPS[name]


@pytest.mark.parametrize(
    ("name", "algo"), [(spec("unequal"), "ppo"), pytest.param(TAG, "dqn", marks=pytest.mark.full), (STEER, "ppo")]
)
def test_a_league_in_groups_that_is_cut_off_and_resumed_ends_as_it_would_have(name, algo, tmp_path):
    def cut(progress):
        if progress.step > 64:
            raise CutError

    snapshot = training(name, algo, tmp_path / "whole", league=IN_GROUPS).train()
    with pytest.raises(CutError):
        training(name, algo, tmp_path / "cut", league=IN_GROUPS).train(cut)
    training(name, algo, tmp_path / "cut", league=IN_GROUPS, resume=True).train()
    assert left_behind(tmp_path / "cut") == left_behind(tmp_path / "whole")
    game = make_game(name)
    held = make_agent(f"{algo}:{snapshot}", game).policies
    assert [held.index(policy) for policy in held] == [
        min(next(group for group in game.groups if seat in group)) for seat in range(game.num_players)
    ]
    first, last = (torch.cat([p.reshape(-1) for p in policy.parameters()]) for policy in (held[0], held[-1]))
    assert not torch.equal(first, last)
    players = {"learned": f"{algo}:{snapshot}"} | {f"r{seat}": "random" for seat in range(1, game.num_players)}
    result = run_tournament(game, players, TournamentConfig(games=game.num_players))
    assert all(str(record.verdict.reason) == "finished" for record in result.records)
    assert np.isfinite([record.verdict.returns for record in result.records]).all()


def test_the_list_of_games_shows_the_groups(capsys):
    assert main(["games", TAG]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "adversary_0 and adversary_1" in text
