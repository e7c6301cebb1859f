"""Games on a CUDA device, in numba's simulator; `test_device_games.py` runs this in a process of its own.

The simulator launches kernels, thread by thread, but the rules in them are compiled for the CPU:
`tests/games/test_device_kernels.py` is about those. Where there is a GPU, `test_cuda.py` runs this on it.
"""

import numpy as np
import pytest
import torch

from agents.algorithms.ppo import build
from agents.configs.on_policy import PPOConfig
from arena.base.errors import GameOverError, IllegalActionError, UsageError
from arena.collector.boards import OwnBoards
from arena.collector.rollout_collector import RolloutCollector
from arena.data import VectorReplayBuffer
from arena.data.batch import Batch
from arena.env.native import GameVectorEnv
from arena.policy import MultiAgentPolicyManager
from arena.policy.device_returns import gae_of_tensors
from arena.policy.registration import Spaces
from arena.policy.returns import Steps
from arena.policy.rollout import Decision, Rollout, gae, update
from games.engine.device import SIMULATED
from games.engine.registry import make_game
from tests.games.playing import random_actions
from tests.tiers import mostly_slow

BOARDS, PLIES = 6, 12
GAMES = ["tic_tac_toe", "rock_paper_scissors", "kuhn_poker:players=3"]
"""Open, simultaneous, and hidden with chance and three seats. What a game costs here is its rules, compiled anew."""


def pair(game: str, **options) -> tuple[GameVectorEnv, GameVectorEnv]:
    """The same games on the CPU and on the device."""
    host, device = (GameVectorEnv(make_game(game), BOARDS, device=device, **options) for device in ("cpu", "cuda"))
    return host, device


def require_equal(host, device) -> None:
    """Every array of the one is, as a tensor, in the other."""
    if isinstance(host, Batch):
        assert set(host.keys()) == set(device.keys())
        for key, value in host.items():
            require_equal(value, device[key])
        return
    assert isinstance(device, torch.Tensor)
    values = device.numpy(force=True)
    assert values.dtype == host.dtype
    assert values.shape == host.shape
    assert values.tobytes() == host.tobytes()


@pytest.mark.parametrize(("autoreset", "openings"), [(False, 0), (True, 0), (True, 2)])
@pytest.mark.parametrize("game", mostly_slow(GAMES, {"tic_tac_toe"}, "compiles rules for the simulator"))
def test_a_seed_gives_the_games_of_the_cpu(game, autoreset, openings):
    host, device = pair(game, autoreset=autoreset, openings=openings)
    for got in zip(host.reset(seed=5), device.reset(seed=5), strict=True):
        require_equal(*got)
    rng = np.random.default_rng(0)
    for _ in range(PLIES):
        rows = np.flatnonzero(~host.over)
        if not len(rows):
            break
        rows = rng.permutation(rows)
        actions = random_actions(host.mask[rows], rng)
        for ours, theirs in zip(host.step(actions, rows), device.step(torch.from_numpy(actions), rows), strict=True):
            require_equal(ours, theirs)
        require_equal(host.observations(), device.observations())
        require_equal(host.final_obs(rows), device.final_obs(torch.from_numpy(rows)))
        assert host.state_dict() == device.state_dict()
        assert host.positions(rows).tobytes() == device.positions(rows).tobytes()
        assert host.render() == device.render()


@pytest.mark.slow("compiles rules for the simulator")
def test_the_state_of_one_is_loaded_by_the_other():
    host, device = pair("kuhn_poker:players=3")
    host.reset(seed=1)
    device.load_state_dict(host.state_dict())
    actions = host.mask.argmax(axis=1)
    require_equal(host.step(actions)[0], device.step(torch.from_numpy(actions))[0])
    host.load_state_dict(device.state_dict())
    actions = host.mask.argmax(axis=1)
    require_equal(host.step(actions)[0], device.step(actions.tolist())[0])
    assert host.state_dict() == device.state_dict()


@pytest.mark.slow("compiles rules for the simulator")
def test_choices_at_once_are_those_of_the_cpu():
    host, device = pair("rock_paper_scissors")
    host.reset(seed=1), device.reset(seed=1)
    actions = np.random.default_rng(0).integers(0, 3, (BOARDS, 2))
    before = device.state_dict()
    require_equal(host.joint_masks(), device.joint_masks())
    assert device.state_dict() == before, "whoever asks changes no position, though each seat is tried in turn"
    for ours, theirs in zip(host.step_joint(actions), device.step_joint(torch.from_numpy(actions)), strict=True):
        require_equal(ours, theirs)
    for env, wrong in ((host, actions + 3), (device, torch.from_numpy(actions + 3))):
        with pytest.raises(IllegalActionError, match="environment 0: action"):
            env.step_joint(wrong)


def test_tensors_are_those_that_kernels_write_into():
    env = GameVectorEnv("tic_tac_toe", 2, device="cuda")
    before = (env.mask, env.seats, env.states)
    observation, _ = env.reset()
    env.step([4, 0])
    assert [a.data_ptr() for a in before] == [a.data_ptr() for a in (env.mask, env.seats, env.states)]
    assert env.mask.tolist() == [[i != 4 for i in range(9)], [i != 0 for i in range(9)]]
    assert observation.mask.all()  # a copy


def test_actions_that_may_not_be_played_are_refused_before_any_is_played():
    env = GameVectorEnv("tic_tac_toe", 2, device="cuda")
    with pytest.raises(GameOverError, match="environment 0"):
        env.step(torch.tensor([0, 0]))
    env.reset()
    env.step(torch.tensor([4, 0]))
    before = env.state_dict()
    for actions, error, text in (
        (torch.tensor([5, 0]), IllegalActionError, "environment 1: action 0 is illegal; legal are .1, 2"),
        (torch.tensor([9, 1]), IllegalActionError, "environment 0: action 9"),
        (torch.tensor([-1, 1]), IllegalActionError, "environment 0: action -1"),
        (torch.tensor([1.0, 2.0]), UsageError, "2 whole numbers, one per game, not torch.float32"),
        (torch.tensor([1]), UsageError, r"of shape \(1,\)"),
    ):
        with pytest.raises(error, match=text):
            env.step(actions)
    assert env.state_dict() == before


def test_rows_that_are_none_are_refused():
    env = GameVectorEnv("tic_tac_toe", 2, device="cuda")
    with pytest.raises(UsageError, match="not among the environments 0 to 1"):
        env.reset(torch.tensor([2]))


def test_more_games_than_memory_are_refused_with_how_many_would_fit():
    with pytest.raises(
        UsageError, match=r"need [\d,]+ MB of memory on the device, which has [\d,]+ MB free; [\d,]+ games"
    ):
        GameVectorEnv("go", 10**9, device="cuda")


def test_no_games_at_all_may_be_asked_for():
    env = GameVectorEnv("tic_tac_toe", 2, device="cuda")
    env.reset()
    observation, rewards, *_ = env.step(torch.zeros(0, dtype=torch.int64), [])
    assert observation.obs.shape == (0, 3, 3, 2)
    assert rewards.shape == (0, 2)


def test_auto_takes_the_device():
    assert GameVectorEnv("tic_tac_toe", 1, device="auto").device == "cuda"


@pytest.mark.skipif(not SIMULATED, reason="a GPU draws actions by a random stream of its own")
@pytest.mark.parametrize("game", mostly_slow(GAMES[:2], {"tic_tac_toe"}, "compiles rules for the simulator"))
def test_rollouts_on_the_device_are_those_of_the_cpu(game):
    """Collector, buffer, returns and learner take the device's tensors; only the kernels that play differ."""
    ours, theirs = (
        RolloutCollector(manager, OwnBoards(env), VectorReplayBuffer(99, 99)) for manager, env in tables(game)
    )
    for _ in range(3):
        for collector in (ours, theirs):
            collector.collect(n_step=BOARDS * 5)
        ((_, policy, rollout),), ((_, other, expected),) = ours.rollouts(), theirs.rollouts()
        for own, wanted in zip(flat(rollout), flat(expected), strict=True):
            assert torch.equal(own, wanted)
        update(policy, rollout, 16, 2), update(other, expected, 16, 2)
        ours.reset_buffer(), theirs.reset_buffer()
    for own, wanted in zip(policy.parameters(), other.parameters(), strict=True):
        assert torch.equal(own, wanted)
    assert ours.state_dict() == theirs.state_dict()


def tables(game: str):
    """A learner that plays itself on boards of the device, and on boards of the CPU."""
    for device in ("cuda", "cpu"):
        torch.manual_seed(0)
        policy = build(Spaces.of_task(make_game(game)), PPOConfig(hidden=16, channels=8), True)
        policy.reset(1)
        env = GameVectorEnv(game, BOARDS, device=device)
        policy.to(torch.as_tensor(env.seats).device)
        env.seed(2)
        yield MultiAgentPolicyManager([policy, policy]), env


def flat(rollout) -> list[torch.Tensor]:
    return [t for field in rollout for t in (field if isinstance(field, tuple) else (field,))]


def test_advantages_on_the_device_are_those_of_the_cpu():
    manager, env = next(tables("tic_tac_toe"))
    collector = RolloutCollector(manager, OwnBoards(env), VectorReplayBuffer(99, 99))
    collector.collect(n_step=BOARDS * 12)
    ((_, _, rollout),) = collector.rollouts()
    value, size = rollout.decision.value.double(), len(rollout.rew)
    under_way = torch.zeros(size, dtype=torch.bool, device=value.device).index_fill(0, rollout.cut, True)
    following = torch.cat([value[1:], value[:1]]).index_fill(0, rollout.cut, 0.5)
    places = torch.arange(size, device=value.device)
    steps = Steps(rollout.rew, value, following, rollout.terminated, places, rollout.terminated, under_way)
    got = gae_of_tensors(steps, rollout.bounds, (0.9, 0.8))
    here = on_cpu(rollout)
    expected = gae(here, value.cpu(), (0.9, 0.8), torch.full((len(here.cut),), 0.5, dtype=torch.float64))
    for ours, theirs in zip(got, expected, strict=True):
        torch.testing.assert_close(ours.cpu(), theirs, rtol=1e-12, atol=1e-12)


def on_cpu(rollout: Rollout) -> Rollout:
    return Rollout(*(f.cpu() if isinstance(f, torch.Tensor) else Decision(*(t.cpu() for t in f)) for f in rollout))


def test_too_many_moves_for_the_memory_of_the_device_are_refused_with_what_there_is():
    manager, env = next(tables("tic_tac_toe"))
    collector = RolloutCollector(manager, OwnBoards(env), VectorReplayBuffer(99, 99))
    with pytest.raises(UsageError, match=r"10+ moves on 6 boards of tic_tac_toe need [\d,]+ MB .* --boards or --moves"):
        collector.collect(n_step=BOARDS * 10**9)
