"""DQN: masks in behaviour and targets, targets and losses in closed form, and what is refused."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete

from agents.algorithms.dqn import DQNPolicy, build
from agents.configs.value_based import DQNConfig
from arena.base.errors import UsageError
from arena.collector import Collector
from arena.data import Batch, PrioritizedVectorReplayBuffer, ReplayBuffer
from arena.env import GameVectorEnv
from arena.policy.registration import Spaces
from games.engine.registry import make_game
from tests.agents.given import Given, positions, random_masks

ACTIONS = 4


def policy_of(model=None, lr: float = 0.1, **options) -> DQNPolicy:
    model = model or Given(ACTIONS)
    return DQNPolicy(model, torch.optim.SGD(model.parameters(), lr), **options)


def buffer_of(rows: list[tuple], mask=None) -> ReplayBuffer:
    """Transitions (own scores, action, reward, next scores, terminated), with one mask of next actions for all."""
    buffer = ReplayBuffer(len(rows))
    for scores, act, rew, after, terminated in rows:
        obs, obs_next = positions([scores])[0], positions([after], None if mask is None else [mask])[0]
        buffer.add(Batch(obs=obs, act=act, rew=rew, terminated=terminated, truncated=False, obs_next=obs_next))
    return buffer


def targets(policy: DQNPolicy, buffer: ReplayBuffer) -> list[float]:
    indices = buffer.sample_indices(0)
    return policy.process_fn(buffer[indices], buffer, indices).returns[:, 0].tolist()


@pytest.mark.parametrize("scale", [1.0, 1e6, -1e6])
def test_what_it_plays_is_legal(scale):
    rng = np.random.default_rng(0)
    mask = random_masks(rng, 5000, 9)
    obs = positions(rng.normal(size=mask.shape) * scale, mask)
    policy = DQNPolicy(Given(9), None)
    result = policy.forward(Batch(obs=obs))
    rows = np.arange(len(mask))
    assert mask[rows, result.act].all()
    best = np.where(mask, obs.obs, -np.inf)
    assert np.array_equal(result.act, best.argmax(axis=1))
    np.testing.assert_allclose(result.value, best.max(axis=1))
    assert not result.probs[~mask].any()
    for eps in (0.3, 1.0):
        policy.set_eps(eps)
        assert mask[rows, policy.exploration_noise(result.act, Batch(obs=obs))].all()


def test_exploration_is_uniform_over_legal_actions_and_as_frequent_as_said():
    mask = np.tile([True, False, True, True], (40_000, 1))
    policy = policy_of()
    policy.reset(3)
    policy.set_eps(0.6)
    act = np.zeros(len(mask), int)
    explored = policy.exploration_noise(act, Batch(obs=positions(mask * 1.0, mask)))
    np.testing.assert_allclose(np.bincount(explored, minlength=4) / len(mask), [0.6, 0.0, 0.2, 0.2], atol=0.01)
    assert not act.any(), "the actions given are left as they are"
    policy.reset(3)
    assert np.array_equal(policy.exploration_noise(act, Batch(obs=positions(mask * 1.0, mask))), explored)


def test_exploration_without_masks_needs_to_know_the_actions():
    policy = policy_of()
    policy.set_eps(1.0)
    batch = Batch(obs=np.zeros((500, ACTIONS)))
    with pytest.raises(UsageError, match="needs action_space=Discrete"):
        policy.exploration_noise(np.zeros(500, int), batch)
    policy.action_space = Discrete(ACTIONS)
    assert set(policy.exploration_noise(np.zeros(500, int), batch).tolist()) == {0, 1, 2, 3}


def test_exploration_learns_the_number_of_actions_from_the_model():
    policy = policy_of()
    policy.set_eps(1.0)
    batch = Batch(obs=np.zeros((500, ACTIONS)))
    act = policy.forward(batch).act
    assert set(policy.exploration_noise(act, batch).tolist()) == {0, 1, 2, 3}


def test_targets_look_at_legal_next_actions_only():
    rows = [([0] * 4, 0, 1.0, [1, 2, 3, 100], False), ([0] * 4, 0, 1.0, [1, -5, 0.5, 100], False)]
    mask = [True, True, False, False]
    assert targets(policy_of(discount_factor=0.5), buffer_of(rows, mask)) == [2.0, 1.5]
    assert targets(policy_of(discount_factor=0.5, target_update_freq=1), buffer_of(rows, mask)) == [2.0, 1.5]
    changed = [(*row[:3], [*row[3][:2], -1e9, 1e9], row[4]) for row in rows]
    assert targets(policy_of(discount_factor=0.5), buffer_of(changed, mask)) == [2.0, 1.5]


def test_a_terminal_target_is_its_reward():
    assert targets(policy_of(), buffer_of([([0] * 4, 0, -1.0, [9, 9, 9, 9], True)], [True] * 4)) == [-1.0]


def test_double_learning_chooses_by_the_model_and_values_by_the_target():
    rows, mask = [([0] * 4, 0, 0.0, [1, 2, 3, 4], False)], [True, True, True, False]
    for is_double, expected in ((True, 30.0), (False, 70.0)):
        policy = policy_of(target_update_freq=5, is_double=is_double, discount_factor=1.0)
        with torch.no_grad():
            policy.model_old.weight.copy_(torch.tensor([70.0, 1.0, 10.0, 999.0]))
        assert targets(policy, buffer_of(rows, mask)) == [expected]


def test_rewards_of_several_steps():
    rows = [([0] * 4, 0, r, [8, 0, 0, 0], False) for r in (1.0, 2.0, 4.0)]
    assert targets(policy_of(discount_factor=0.5, estimation_step=2), buffer_of(rows)) == [4.0, 6.0, 8.0]


@pytest.mark.parametrize(("clip", "expected"), [(False, (0.25 + 16.0) / 2), (True, (0.125 + 3.5) / 2)])
def test_the_loss_is_that_of_the_actions_taken(clip, expected):
    policy = policy_of(clip_loss_grad=clip)
    batch = Batch(obs=positions([[1.0, 5, 5, 5], [5, 5, 2.0, 5]]), act=np.array([0, 2]))
    batch.returns = torch.tensor([[1.5], [6.0]])
    assert policy.learn(batch)["loss"] == pytest.approx(expected)
    np.testing.assert_allclose(batch.weight, [0.5, 4.0])
    moved = (policy.model.weight.detach() != 1.0).tolist()
    assert moved == [True, False, True, False], "other actions are not learned about"


def test_weights_scale_the_loss():
    policy = policy_of()
    batch = Batch(
        obs=positions([[1.0, 0, 0, 0]]), act=np.array([0]), returns=torch.tensor([[3.0]]), weight=np.array([0.5])
    )
    assert policy.learn(batch)["loss"] == pytest.approx(2.0)


def test_the_target_network_follows_every_so_many_steps():
    policy = policy_of(target_update_freq=3)
    buffer = buffer_of([([1.0, 0, 0, 0], 0, 5.0, [0] * 4, True)])
    old, copied = [], []
    for _ in range(7):
        before = policy.model.weight[0].item()
        policy.update(0, buffer)
        old.append(policy.model_old.weight[0].item())
        copied.append(old[-1] == before)
    assert copied == [True, False, False, True, False, False, True]
    assert old[0] == old[2] != old[3] == old[5] != old[6]


def test_the_count_of_steps_is_saved_with_the_weights():
    policy, other = policy_of(target_update_freq=3), policy_of(target_update_freq=3)
    buffer = buffer_of([([1.0, 0, 0, 0], 0, 5.0, [0] * 4, True)])
    for _ in range(2):
        policy.update(0, buffer)
    other.load_state_dict(policy.state_dict())
    for _ in range(4):
        policy.update(0, buffer)
        other.update(0, buffer)
    assert other.model_old.weight.tolist() == policy.model_old.weight.tolist()


def test_the_target_network_is_always_in_testing_state():
    policy = policy_of(target_update_freq=3)
    for mode in (True, False, True):
        policy.train(mode)
        assert policy.model.training == mode
        assert not policy.model_old.training


def test_either_network_looks_at_either_observation():
    policy = policy_of(target_update_freq=3)
    with torch.no_grad():
        policy.model_old.weight.mul_(-1)
    batch = Batch(obs=positions([[1, 2, 3, 4]]), obs_next=positions([[4, 3, 2, 1]]))
    acts = [policy(batch, model=m, input=i).act.item() for m in ("model", "model_old") for i in ("obs", "obs_next")]
    assert acts == [3, 0, 0, 3]
    for policy, model in ((policy_of(target_update_freq=3), "optim"), (policy_of(target_update_freq=0), "model_old")):
        with pytest.raises(UsageError, match=f"model='{model}' is neither"):
            policy(batch, model=model)


def test_it_plays_without_an_optimizer():
    game = make_game("tic_tac_toe")
    policy = build(Spaces.of_game(game), DQNConfig(hidden=8), training=False)
    assert policy.optim is None
    assert policy.eps == 0.0
    assert policy.forward(Batch(obs=positions(np.zeros((1, 18)).reshape(1, 3, 3, 2), np.ones((1, 9))))).act.shape == (
        1,
    )
    assert build(Spaces.of_game(game), DQNConfig(hidden=8, eps=0.2), training=True).eps == 0.2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"discount_factor": 1.5}, "discount_factor=1.5 is not between 0 and 1"),
        ({"estimation_step": 0}, "estimation_step=0 is not at least 1"),
        ({"target_update_freq": -1}, "target_update_freq=-1 is not at least 0"),
        ({"reward_normalization": True}, "leave it at False"),
    ],
)
def test_options_that_mean_nothing(options, message):
    with pytest.raises(UsageError, match=message):
        policy_of(**options)


@pytest.mark.parametrize("space", [Box(-1, 1, (2,)), Discrete(3, start=1)])
def test_actions_of_other_kinds_are_refused(space):
    with pytest.raises(UsageError, match="DQNPolicy needs discrete actions"):
        policy_of(action_space=space)


def test_a_network_that_does_not_fit_the_actions_is_refused():
    policy = policy_of(action_space=Discrete(5))
    with pytest.raises(UsageError, match=r"Q-values of shape \(1, 4\) for 5 actions"):
        policy(Batch(obs=np.zeros((1, ACTIONS))))


def test_a_reward_that_is_no_number_is_refused():
    with pytest.raises(UsageError, match="the reward of transition 0 is not a number"):
        policy_of().update(0, buffer_of([([0] * 4, 0, float("nan"), [0] * 4, False)]))


def test_without_an_optimizer_it_does_not_learn():
    policy = DQNPolicy(Given(ACTIONS), None)
    with pytest.raises(UsageError, match="this policy has no optimizer"):
        policy.update(0, buffer_of([([0] * 4, 0, 1.0, [0] * 4, False)]))


@pytest.mark.parametrize("options", [{"dueling": True}, {"is_double": False}, {"blocks": 1}, {"target_update_freq": 0}])
def test_variants_learn_from_prioritized_replay(options):
    torch.manual_seed(0)
    np.random.seed(0)
    game = make_game("tic_tac_toe")
    policy = build(Spaces.of_game(game), DQNConfig(hidden=8, **options), training=True)
    buffer = PrioritizedVectorReplayBuffer(200, 8, alpha=0.6, beta=0.4)
    Collector(policy, GameVectorEnv(game, 4), buffer, exploration_noise=True).collect(n_step=80)
    before = [parameter.detach().clone() for parameter in policy.model.parameters()]
    assert policy.update(64, buffer)["loss"] > 0
    assert not all(torch.equal(a, b) for a, b in zip(before, policy.model.parameters(), strict=True))
    assert np.ptp(buffer.get_weight(np.arange(10))) > 0, "priorities differ now"


@pytest.mark.parametrize("eps", [-0.1, 1.1, float("nan")])
def test_a_chance_lies_between_0_and_1(eps):
    with pytest.raises(UsageError, match="is not between 0 and 1"):
        policy_of().set_eps(eps)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning_rate": 0.0}, "learning_rate=0.0 is not above 0"),
        ({"update_per_step": -1}, "update_per_step=-1 is not above 0"),
        ({"discount_factor": 2.0}, "discount_factor=2.0 is not between 0 and 1"),
        ({"eps": -0.5}, "eps=-0.5 is not between 0 and 1"),
        ({"estimation_step": 0}, "estimation_step=0 is not at least 1"),
        ({"target_update_freq": -1}, "target_update_freq=-1 is not at least 0"),
        ({"batch_size": 0}, "batch_size=0 is not at least 1"),
        ({"buffer_size": 0}, "buffer_size=0 is not at least 1"),
        ({"hidden": 1.5}, "hidden=1.5 is not a whole number"),
        ({"hidden": "many"}, "hidden='many' is not a number"),
        ({"eps": float("nan")}, "eps=nan is not between 0 and 1"),
    ],
)
def test_settings_that_mean_nothing(options, message):
    with pytest.raises(UsageError, match=message):
        DQNConfig(**options)
