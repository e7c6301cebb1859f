"""REINFORCE and A2C: returns, losses in closed form, the scale of returns, and continuous actions."""

import gymnasium as gym
import numpy as np
import pytest
import torch
from torch import nn
from torch.distributions import Independent, Normal

from agents.algorithms.a2c import A2CPolicy
from agents.algorithms.pg import PGPolicy
from agents.algorithms.ppo import PPOPolicy
from agents.learning.stochastic import ReturnScale
from agents.networks.common import Net
from agents.networks.continuous import ActorProb
from agents.networks.discrete import Critic
from arena.base.errors import UsageError
from arena.data import Batch, ReplayBuffer
from arena.env import GameVectorEnv
from arena.policy.registration import Spaces
from arena.policy.registry import learning_algorithm, make_game
from tests.agents.given import Given, Sum, positions

ACTIONS, GAMMA = 3, 0.9


def pg_of(**options) -> PGPolicy:
    actor = Given(ACTIONS)
    return PGPolicy(actor, torch.optim.SGD(actor.parameters(), 0.1), discount_factor=GAMMA, **options)


def a2c_of(lr: float = 0.1, **options) -> A2CPolicy:
    actor, critic = Given(ACTIONS), Sum()
    optim = torch.optim.SGD([*actor.parameters(), *critic.parameters()], lr)
    return A2CPolicy(actor, critic, optim, **{"discount_factor": GAMMA} | options)


def collected(rewards: list[float], ends: list[int], cut: bool = False) -> ReplayBuffer:
    """One transition a reward; episodes end at these places, by truncation if they are `cut`."""
    buffer = ReplayBuffer(len(rewards))
    for t, rew in enumerate(rewards):
        last = t in ends
        obs = positions([[0.5, 0.0, -0.5 * t]])[0]
        row = Batch(obs=obs, act=t % ACTIONS, rew=rew, terminated=last and not cut, truncated=last and cut)
        row.obs_next = obs
        row.policy = Batch(logp=-1.0, value=0.5)
        buffer.add(row)
    return buffer


def processed(policy, buffer: ReplayBuffer) -> Batch:
    indices = buffer.sample_indices(0)
    return policy.process_fn(buffer[indices], buffer, indices)


def returns_of(rewards: list[float], ends: list[int]) -> np.ndarray:
    """Discounted sums of what follows, up to the end of the episode."""
    result = []
    for t in range(len(rewards)):
        end = min([end for end in ends if end >= t], default=len(rewards) - 1)
        result.append(sum(GAMMA ** (k - t) * rewards[k] for k in range(t, end + 1)))
    return np.array(result)


@pytest.mark.parametrize("cut", [False, True])
def test_the_return_is_what_followed_in_the_episode(cut):
    rewards, ends = [1.0, -2.0, 3.0, 0.5, 4.0, -1.0], [1, 4]
    batch = processed(pg_of(), collected(rewards, ends, cut))
    np.testing.assert_allclose(batch.returns, returns_of(rewards, ends))


def test_the_loss_of_reinforce_and_its_gradient():
    policy, buffer = pg_of(), collected([1.0, 2.0, 3.0], [2])
    batch = processed(policy, buffer)
    scores = torch.as_tensor(batch.obs.obs, dtype=torch.float32)
    weight = torch.ones(ACTIONS, requires_grad=True)
    chances = torch.softmax(scores * weight, dim=1)[torch.arange(3), torch.as_tensor(batch.act)]
    expected = -(chances.log() * torch.as_tensor(batch.returns)).mean()
    expected.backward()
    figures = policy.learn(batch, batch_size=3, repeat=1)
    assert figures["loss"] == pytest.approx([expected.item()])
    torch.testing.assert_close(policy.actor.weight, 1 - 0.1 * weight.grad)


def test_returns_are_learned_in_units_of_those_so_far():
    """Centred for REINFORCE, which has no critic; of the first update, as they are."""
    policy, first, second = pg_of(reward_normalization=True), [4.0, 8.0, 1.0], [3.0, 3.0]
    np.testing.assert_allclose(processed(policy, collected(first, [2])).returns, returns_of(first, [2]))
    past = returns_of(first, [2])
    batch = processed(policy, collected(second, [1]))
    np.testing.assert_allclose(batch.returns, (returns_of(second, [1]) - past.mean()) / past.std(), rtol=1e-6)
    both = np.concatenate([past, returns_of(second, [1])])
    assert float(policy.return_scale.mean) == pytest.approx(both.mean())
    assert policy.return_scale.std == pytest.approx(both.std())


def test_values_are_learned_in_units_of_the_returns_so_far():
    policy = a2c_of(reward_normalization=True, gae_lambda=1.0)
    policy.return_scale.var.fill_(4.0)
    policy.return_scale.count.fill_(100)
    rewards, ends = [1.0, 2.0, 3.0], [2]
    batch = processed(policy, collected(rewards, ends))
    np.testing.assert_allclose(batch.returns, returns_of(rewards, ends) / 2)
    np.testing.assert_allclose(batch.adv, returns_of(rewards, ends) - 0.5 * 2)


def test_values_are_no_part_of_their_own_scale():
    policy, rewards = a2c_of(reward_normalization=True, gae_lambda=0.5), [4.0, 8.0, 1.0]
    buffer = collected(rewards, [2], cut=True)
    buffer.policy.value[:] = 1e6
    processed(policy, buffer)
    assert policy.return_scale.std == pytest.approx(returns_of(rewards, [2]).std())


def test_the_scale_is_saved_with_the_weights_and_only_where_it_is_used():
    policy = a2c_of(reward_normalization=True)
    policy.return_scale.update(np.array([1.0, 5.0]))
    other = a2c_of(reward_normalization=True)
    other.load_state_dict(policy.state_dict())
    assert other.return_scale.std == policy.return_scale.std == pytest.approx(2.0)
    assert not [name for name in a2c_of().state_dict() if "scale" in name]
    assert ReturnScale().std == pytest.approx(1.0)


def test_the_losses_of_a2c_and_their_gradient():
    policy = a2c_of(vf_coef=0.3, ent_coef=0.2)
    batch = processed(policy, collected([1.0, 2.0, 3.0], [2]))
    scores = torch.as_tensor(batch.obs.obs, dtype=torch.float32)
    actor, critic = torch.ones(ACTIONS, requires_grad=True), torch.ones((), requires_grad=True)
    chances = torch.softmax(scores * actor, dim=1)
    taken = chances[torch.arange(3), torch.as_tensor(batch.act)]
    actor_loss = -(taken.log() * torch.as_tensor(batch.adv)).mean()
    value_loss = (torch.as_tensor(batch.returns) - critic * scores.sum(dim=1)).square().mean()
    entropy = -(chances * chances.log()).sum(dim=1).mean()
    loss = actor_loss + 0.3 * value_loss - 0.2 * entropy
    loss.backward()
    figures = policy.learn(batch, batch_size=3, repeat=1)
    told = [figures[key][0] for key in ("loss", "loss/actor", "loss/vf", "loss/ent")]
    np.testing.assert_allclose(told, [one.item() for one in (loss, actor_loss, value_loss, entropy)], rtol=1e-5)
    torch.testing.assert_close(policy.actor.weight, 1 - 0.1 * actor.grad)
    torch.testing.assert_close(policy.critic.weight, 1 - 0.1 * critic.grad)


# --- continuous actions ---------------------------------------------------------------------------------------------

BOX = gym.spaces.Box(np.array([-2.0, 0.0], np.float32), np.array([2.0, 10.0], np.float32))


def gaussian(kind, **options):
    torch.manual_seed(0)
    actor, critic = ActorProb(Net(3, hidden_sizes=(8,)), 2, unbounded=True), Critic(Net(3, hidden_sizes=(8,)))
    parameters = [*actor.parameters(), *critic.parameters()]
    return kind(actor, critic, torch.optim.Adam(parameters), action_space=BOX, **options)


@pytest.mark.parametrize("kind", [A2CPolicy, PPOPolicy])
def test_continuous_actions_are_drawn_and_mapped_to_their_bounds(kind):
    policy, seen = gaussian(kind), np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32)
    policy.reset(3)
    result = policy.forward(Batch(obs=seen))
    (mu, sigma), _ = policy.actor(seen)
    logp = Independent(Normal(mu, sigma), 1).log_prob(torch.as_tensor(result.act))
    torch.testing.assert_close(result.policy.logp, logp)
    mapped = policy.map_action(result.act)
    assert (mapped >= BOX.low).all()
    assert (mapped <= BOX.high).all()
    assert np.abs(result.act).max() > 1.5, "what is learned is what was drawn"
    policy.reset(3)
    assert np.array_equal(policy.forward(Batch(obs=seen)).act, result.act)


def test_tests_may_take_the_mean():
    policy, seen = gaussian(A2CPolicy, deterministic_eval=True).eval(), np.ones((4, 3), np.float32)
    assert np.array_equal(policy.forward(Batch(obs=seen)).act, policy.actor(seen)[0][0].detach())


def test_the_ratio_of_what_was_just_done_is_one():
    policy, seen = gaussian(PPOPolicy, advantage_normalization=False, ent_coef=0.0), np.ones((6, 3), np.float32)
    result = policy.forward(Batch(obs=seen))
    batch = Batch(obs=seen, act=result.act, adv=np.arange(6.0), returns=np.zeros(6), v_s=np.zeros(6))
    batch.logp_old = result.policy.logp.detach().numpy()
    assert policy.learn(batch, batch_size=6, repeat=1)["loss/clip"] == pytest.approx([-2.5], rel=1e-5)


# --- what is refused ------------------------------------------------------------------------------------------------


def test_spaces_and_networks_that_do_not_fit():
    net = ActorProb(Net(3, hidden_sizes=(8,)), 2)
    for space, message in (
        (gym.spaces.Box(-1, 1, (3,)), "means and deviations of 2 numbers, which do not fit"),
        (gym.spaces.Discrete(2), "means and deviations of 2 numbers, which do not fit"),
    ):
        with pytest.raises(UsageError, match=message):
            PGPolicy(net, None, action_space=space).forward(Batch(obs=np.ones((1, 3), np.float32)))
    with pytest.raises(UsageError, match="3 logits, which do not fit"):
        PGPolicy(Given(3), None, action_space=gym.spaces.Discrete(4)).forward(Batch(obs=np.ones((1, 3))))
    with pytest.raises(UsageError, match="PGPolicy needs discrete actions"):
        PGPolicy(Given(3), None, action_space=gym.spaces.MultiBinary(3))
    with pytest.raises(UsageError, match="Box of shape"):
        PGPolicy(net, None, action_space=gym.spaces.Box(-1, 1, (2, 1)))


def test_a_reward_that_is_no_number():
    with pytest.raises(UsageError, match="not a number"):
        processed(a2c_of(), collected([1.0, float("nan"), 2.0], [2]))


def test_transitions_of_somebody_else():
    buffer = ReplayBuffer(2)
    row = Batch(obs=positions([[0.0] * 3])[0], act=0, rew=0.0, terminated=True, truncated=False)
    buffer.add(Batch(row, obs_next=row.obs))
    with pytest.raises(UsageError, match=r"lack policy\.logp"):
        processed(a2c_of(), buffer)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gae_lambda": -0.1}, "gae_lambda=-0.1 is not between 0 and 1"),
        ({"discount_factor": 2.0}, "discount_factor=2.0 is not between 0 and 1"),
        ({"max_grad_norm": 0.0}, "max_grad_norm=0.0 is not above 0"),
        ({"ent_coef": -1.0}, "ent_coef=-1.0 is not at least 0"),
        ({"max_batchsize": 0}, "max_batchsize=0 is not at least 1"),
    ],
)
def test_options_that_mean_nothing(options, message):
    with pytest.raises(UsageError, match=message):
        a2c_of(**options)


def test_a_policy_without_an_optimizer_only_plays():
    policy = A2CPolicy(Given(ACTIONS), Sum(), None)
    with pytest.raises(UsageError, match="it plays, and cannot learn"):
        policy.learn(processed(policy, collected([1.0], [0])), 1, 1)


def test_a_distribution_of_ones_own():
    policy = PGPolicy(
        ActorProb(Net(3, hidden_sizes=(8,)), 2), None, dist_fn=lambda mu, sigma: Independent(Normal(mu, 0.1 * sigma), 1)
    )
    assert isinstance(policy.actor, nn.Module)
    dist = policy.forward(Batch(obs=np.ones((2, 3), np.float32))).dist
    assert dist.stddev.unique().tolist() == pytest.approx([0.1])


@pytest.mark.parametrize("name", ["ppo", "discrete-sac", "discrete-crr"])
def test_tests_draw_actions_where_something_is_hidden(name):
    """Deterministic bluffing is exploited, so actions are sampled; on an open board the most likely move is played."""
    algorithm = learning_algorithm(name)
    for game, drawn in (("kuhn_poker", True), ("tic_tac_toe", False)):
        policy = algorithm.build(Spaces.of_game(make_game(game)), algorithm.config(), False).eval()
        envs = GameVectorEnv(game, 200)
        obs, _ = envs.reset(seed=[7] * 200)
        assert (len(np.unique(policy.forward(Batch(obs=obs)).act)) > 1) == drawn
