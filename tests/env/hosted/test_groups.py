"""Agents with different spaces: a policy for each group of agents that are alike, in leagues and tournaments."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete
from gymnasium.spaces.utils import flatten

from agents.networks import BoardNet
from arena.base.errors import IllegalActionError, UsageError
from arena.cli.main import main
from arena.data.batch import Batch
from arena.env.make import vector_games
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.policy.layout import layout
from arena.policy.registry import make_agent, make_game
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament
from arena.training.league.config import LeagueConfig
from tests.env.hosted import worlds
from tests.env.hosted.test_continuous import STEER, UNLIKE, CutError, training
from tests.env.hosted.worlds import spec
from tests.training.league.small import left_behind

TAG = "pettingzoo:mpe2.simple_tag_v3"
GROUPS = {
    spec("unequal"): ((0,), (1,), (2,)),
    STEER: ((0,), (1,)),
    spec("race"): (),
    UNLIKE: ((0,), (1,), (2,)),
    TAG: ((0, 1, 2), (3,)),
    "pettingzoo:mpe2.simple_adversary_v3": ((0,), (1, 2)),
    "pettingzoo:mpe2.simple_speaker_listener_v4": ((0,), (1,)),
    "pettingzoo:mpe2.simple_world_comm_v3": ((0,), (1, 2, 3), (4, 5)),
    "pettingzoo:mpe2.simple_spread_v3": (),
}
IN_GROUPS = LeagueConfig(self_play=0.5, pool=0.3, opponents=1, references=("random",))


@pytest.mark.parametrize("name", GROUPS)
def test_agents_with_equal_spaces_are_a_group(name):
    assert tuple(group.seats for group in make_game(name).groups) == GROUPS[name]


@pytest.mark.slow("kills it again and again")
@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "algo"),
    [(UNLIKE, "ppo"), (spec("unequal"), "ppo"), (STEER, "ppo"), pytest.param(TAG, "dqn", marks=pytest.mark.full)],
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
        min(game.group_of(seat).seats) for seat in range(game.num_players)
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


def test_every_group_is_learned_from_in_its_own_shapes(tmp_path):
    run = training(UNLIKE, "ppo", tmp_path, league=IN_GROUPS)
    held = run.policy
    assert any(isinstance(module, BoardNet) for module in held.policies[0].modules()), "the pilot sees a picture"
    assert [one.action_space for one in held.policies] == [
        Box(np.float32([-1, 0]), np.float32([1, 2])),
        Discrete(3),
        Discrete(6),
    ]
    env = vector_games(run.game, 2)
    obs, _ = env.reset(seed=1)
    answer = held.forward(Batch(obs=obs, info=Batch()))
    assert answer.act.shape == (2, 2)
    for _ in range(2 * 3):
        acts = held.map_action(held.forward(Batch(obs=obs, info=Batch())).act, Batch(obs=obs))
        obs, *_ = env.step(acts)  # refuses what a seat may not do
    run.close()


def test_rows_of_a_group_are_what_its_agents_saw():
    game = make_game(UNLIKE)
    env = vector_games(game, 1)
    env.reset(seed=4)
    own = worlds.Unlike()
    shown, _ = own.reset(seed=4)
    views = env.final_obs().obs[0]
    pilot, navigator, clerk = (group.own_obs(views[[seat]])[0] for seat, group in enumerate(game.groups))
    assert np.array_equal(pilot, shown["pilot"])
    assert np.array_equal(navigator, flatten(own.observation_space("navigator"), shown["navigator"]))
    assert clerk.tolist() == [1, 0, 0, 0, 0, 0, 0]
    match = Match(game, [(agent, None) for agent in game.agents], seed=4)
    assert game.picture(match.shown_to(2)).text().split("\n") == ["clerk sees", "1 0 0 0 0 0 0"]


def test_actions_of_each_kind_reach_the_environment_as_its_own():
    game = make_game(UNLIKE)
    match = Match(game, [(agent, None) for agent in game.agents], seed=2)
    for text, action, name in (("0.5 2", (0.5, 2.0), "0.5,2"), ("2", (2.0, 0.0), "2"), ("5", (5.0, 0.0), "5")):
        before = match.state
        match.play(game.parse_action(before, text))
        assert match.actions[-1] == action
        assert match.last_move(before) == name
    for _ in range(3):
        match.play((0.0, 0.0) if match.seat == 0 else 1)  # a number is enough
    with pytest.raises(UsageError, match="2 numbers from -1,0 to 1,2"):
        game.parse_action(match.state, "2")
    match.play((0.0, 0.0))
    for illegal in ((3.0, 0.0), (1.5, 0.0), (float("nan"), 0.0), 3):
        with pytest.raises(IllegalActionError):
            match.play(illegal)


def test_random_agents_draw_within_the_bounds_of_each_seat():
    game = make_game(STEER)
    (record,) = play_matches(
        game, [("a", make_agent("random", game)), ("b", make_agent("random", game))], [Pairing((0, 1))]
    )
    blue = np.array(record.actions[1::2])
    assert (blue[:, 1] == 0).all()
    assert ((blue[:, 0] >= -0.3) & (blue[:, 0] <= 0.1)).all()
    assert len(np.unique(blue[:, 0])) == len(blue), "none of them cut to a bound"


@pytest.mark.parametrize(
    ("seats", "held"),
    [
        ("groups", [(0,), (1,), (2,)]),
        ("shared", [(0, 1, 2)]),
        ("first+third,second", [(0, 2), (1,)]),
        ("t*=ppo,first+second=a2c", [(2,), (0, 1)]),
    ],
)
def test_seats_are_held_as_named(seats, held):
    game = make_game(spec("unequal"))
    assert [holding.seats for holding in layout(game, seats)] == (held if seats != "shared" else [])


@pytest.mark.parametrize(
    ("seats", "said"),
    [
        ("group", "unknown way to hold the seats 'group'; did you mean 'groups'?"),
        ("first,secnd,third", "unknown agent of .*'secnd'; did you mean 'second'?"),
        ("first,second", "no policy holds third"),
        ("first+second,second+third", "second of .* has two policies"),
        ("first=pbo,second,third", "unknown agent 'pbo'; did you mean 'ppo'?"),
        ("first=dqn,second,third", "dqn learns off-policy and ppo on-policy"),
        ("first=random,second,third", "plays but does not learn"),
    ],
)
def test_layouts_that_cannot_be_are_refused_in_a_line(seats, said, tmp_path):
    league = LeagueConfig(seats=seats)
    with pytest.raises(UsageError, match=said) as refused:
        training(spec("unequal"), "ppo", tmp_path, league=league)
    assert "\n" not in str(refused.value)


def test_one_policy_for_different_kinds_of_actions_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"cannot hold navigator and pilot .* seats=groups"):
        training(UNLIKE, "ppo", tmp_path, league=LeagueConfig(seats="shared"))
    with pytest.raises(UsageError, match=r"sac is for continuous actions; these are 3 numbered ones: use discrete-sac"):
        training(UNLIKE, "sac", tmp_path, league=LeagueConfig())


@pytest.mark.full
def test_each_policy_learns_by_its_own_algorithm(tmp_path):
    """As the agents were named; a snapshot is loaded as it was trained, and takes any seat."""
    seats = "pilot,navigator=discrete-sac,clerk=discrete-sac"
    snapshot = training(UNLIKE, "sac", tmp_path / "run", league=LeagueConfig(seats=seats)).train()
    game = make_game(UNLIKE)
    kinds = [type(policy).__name__ for policy in make_agent(f"sac:{snapshot}", game).policies]
    assert kinds == ["SACPolicy", "DiscreteSACPolicy", "DiscreteSACPolicy"]
    players = {"learned": f"sac:{snapshot}", "r1": "random", "r2": "random"}
    result = run_tournament(game, players, TournamentConfig(games=3))
    assert all(str(record.verdict.reason) == "finished" for record in result.records)
