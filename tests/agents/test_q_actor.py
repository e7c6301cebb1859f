"""DDPG, TD3, SAC, BCQ: targets, losses and target networks in closed form, noise, and what is refused."""

import gymnasium as gym
import numpy as np
import pytest
import torch
from torch import nn

from agents.algorithms.bcq import BCQPolicy
from agents.algorithms.bcq import build as build_bcq
from agents.algorithms.ddpg import DDPGPolicy
from agents.algorithms.ddpg import build as build_ddpg
from agents.algorithms.sac import SACPolicy
from agents.algorithms.sac import build as build_sac
from agents.algorithms.td3 import TD3Policy
from agents.algorithms.td3 import build as build_td3
from agents.configs.actors import BCQConfig, DDPGConfig, SACConfig, TD3Config
from agents.learning.distributions import default_distribution, draw, log_tanh_slope
from agents.learning.exploration import GaussianNoise, OUNoise
from agents.learning.targets import frozen_copy, polyak
from agents.learning.temperature import Temperature
from arena.base.errors import UsageError
from arena.data import Batch, PrioritizedReplayBuffer, ReplayBuffer
from arena.policy.registration import Spaces

SPACES = Spaces(gym.spaces.Box(-1, 1, (3,)), gym.spaces.Box(-2, 2, (2,)))
ROWS, GAMMA = 24, 0.9
BUILDS = {
    "ddpg": lambda **options: build_ddpg(SPACES, DDPGConfig(hidden=8, gamma=GAMMA, **options), True),
    "td3": lambda **options: build_td3(SPACES, TD3Config(hidden=8, gamma=GAMMA, **options), True),
    "sac": lambda **options: build_sac(SPACES, SACConfig(hidden=8, gamma=GAMMA, **options), True),
    "bcq": lambda **options: build_bcq(SPACES, BCQConfig(hidden=8, gamma=GAMMA, **options), True),
}


@pytest.fixture(params=BUILDS)
def made(request):
    torch.manual_seed(0)
    return BUILDS[request.param]()


def of(name: str, **options):
    torch.manual_seed(0)
    policy = BUILDS[name](**options)
    policy.reset(1)
    return policy


def filled(kind: type[ReplayBuffer] = ReplayBuffer, **options) -> ReplayBuffer:
    """Transitions of two episodes, the first terminated, the second cut."""
    rng, buffer = np.random.default_rng(0), kind(ROWS, **options)
    buffer.rng = np.random.default_rng(0)
    for t in range(ROWS):
        seen = rng.normal(size=(2, 3)).astype(np.float32)
        row = Batch(obs=seen[0], act=rng.uniform(-1, 1, 2).astype(np.float32), rew=rng.normal(), obs_next=seen[1])
        row.terminated, row.truncated = t == 9, t == 20
        buffer.add(row)
    return buffer


def processed(policy, buffer: ReplayBuffer) -> Batch:
    indices = buffer.sample_indices(0)
    return policy.process_fn(buffer[indices], buffer, indices)


def bellman(batch: Batch, next_value: torch.Tensor) -> np.ndarray:
    return batch.rew + GAMMA * ~batch.terminated * next_value.detach().numpy()


def tensors(batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.as_tensor(batch.obs), torch.as_tensor(batch.obs_next)


# --- target networks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tau", [0.0, 0.3, 1.0])
def test_a_target_goes_a_part_of_the_way(tau):
    torch.manual_seed(0)
    slow, fast = (nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)) for _ in range(2))
    fast[1].running_mean.fill_(5.0)
    expected = [(1 - tau) * one + tau * other for one, other in zip(slow.parameters(), fast.parameters(), strict=True)]
    polyak(slow, fast, tau)
    for parameter, value in zip(slow.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter, value)
    assert torch.equal(slow[1].running_mean, fast[1].running_mean)


def test_targets_rest_and_follow(made):
    assert not any(p.requires_grad for p in made.critics_old.parameters())
    assert not made.train().critics_old.training
    assert made.critics.training
    with torch.no_grad():
        for parameter in made.critics.parameters():
            parameter += 1.0
    before = [p.clone() for p in made.critics_old.parameters()]
    made.sync_weight()
    for old, was, new in zip(made.critics_old.parameters(), before, made.critics.parameters(), strict=True):
        torch.testing.assert_close(old, 0.995 * was + 0.005 * new)
    assert not frozen_copy(nn.Linear(1, 1)).training


def test_td3_moves_actor_and_targets_less_often():
    policy, batch = of("td3"), processed(of("td3"), filled())
    moved = []
    for _ in range(4):
        before = [p.clone() for p in (*policy.actor.parameters(), *policy.critics_old.parameters())]
        policy.learn(batch)
        after = [*policy.actor.parameters(), *policy.critics_old.parameters()]
        moved.append(not all(torch.equal(one, other) for one, other in zip(before, after, strict=True)))
    assert moved == [True, False, True, False]


# --- targets and losses ---------------------------------------------------------------------------------------------


def test_the_target_of_ddpg():
    policy = of("ddpg")
    batch = processed(policy, filled())
    _, after = tensors(batch)
    value = policy.critics_old[0](after, policy.actor_old(after)[0])[:, 0]
    np.testing.assert_allclose(batch.returns[:, 0], bellman(batch, value), rtol=1e-5)


def test_the_target_of_td3():
    policy = of("td3", policy_noise=0.5, noise_clip=0.3)
    batch = processed(policy, filled())
    _, after = tensors(batch)
    noise = 0.5 * torch.randn((ROWS, 2), generator=of("td3").generator)
    act = (policy.actor_old(after)[0] + noise.clamp(-0.3, 0.3)).clamp(-1, 1)
    values = [critic(after, act)[:, 0] for critic in policy.critics_old]
    np.testing.assert_allclose(batch.returns[:, 0], bellman(batch, torch.min(*values)), rtol=1e-4, atol=1e-6)


def soft_actions(policy, seen: torch.Tensor, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Squashed actions of SAC and their log-probabilities."""
    dist = default_distribution(*policy.actor(seen)[0])
    u = draw(dist, generator)
    return torch.tanh(u), dist.log_prob(u) - log_tanh_slope(u).sum(dim=1)


def test_the_target_of_sac():
    policy = of("sac", alpha=0.3)
    batch = processed(policy, filled())
    _, after = tensors(batch)
    act, logp = soft_actions(policy, after, of("sac").generator)
    value = torch.min(*[critic(after, act)[:, 0] for critic in policy.critics_old]) - 0.3 * logp
    np.testing.assert_allclose(batch.returns[:, 0], bellman(batch, value), rtol=1e-4, atol=1e-6)


def test_the_losses_of_sac_and_its_temperature():
    policy = of("sac", alpha=0.3)
    batch = processed(policy, filled())
    obs, _ = tensors(batch)
    state = policy.generator.get_state()
    critic_losses = [
        (torch.as_tensor(batch.returns) - critic(obs, batch.act)).square().mean().item() for critic in policy.critics
    ]
    figures = policy.learn(batch)
    assert [figures["loss/critic1"], figures["loss/critic2"]] == pytest.approx(critic_losses, rel=1e-5)
    again = of("sac", alpha=0.3)
    again.generator.set_state(state)
    again.critics.load_state_dict(policy.critics.state_dict())  # the actor climbs what the critics have just learned
    act, logp = soft_actions(again, obs, again.generator)
    q = torch.min(*[critic(obs, act)[:, 0] for critic in again.critics])
    assert figures["loss/actor"] == pytest.approx((0.3 * logp - q).mean().item(), rel=1e-4)
    assert figures["loss/alpha"] == pytest.approx(np.log(0.3) * (-logp.mean().item() + 2.0), rel=1e-4)
    assert figures["alpha"] == pytest.approx(0.3 * np.exp(-1e-3 * np.sign(2.0 - logp.mean().item())), rel=1e-5)


@pytest.mark.parametrize(("entropy", "rises"), [(-5.0, True), (5.0, False)])
def test_alpha_rises_where_there_is_too_little_entropy(entropy, rises):
    log_alpha = torch.zeros(1, requires_grad=True)
    temperature = Temperature((1.0, log_alpha, torch.optim.SGD([log_alpha], 0.1)))
    temperature.adapt(torch.full((4,), entropy))
    assert temperature.value == pytest.approx(np.exp(-0.1 * (entropy - 1.0)))
    assert (temperature.value > 1) == rises
    assert Temperature(0.2).adapt(torch.zeros(4)) == {}


def test_alpha_is_saved_with_the_weights():
    for log_alpha in (torch.ones(1, requires_grad=True), nn.Parameter(torch.ones(1))):
        state = Temperature((0.0, log_alpha, None)).state_dict()
        assert state["log_alpha"].item() == 1.0
    assert not Temperature(0.2).state_dict()


def test_the_target_of_bcq_is_the_best_of_several_by_a_mean_of_both_critics():
    policy = of("bcq", num_sampled_action=4, lmbda=0.6)
    batch = processed(policy, filled())
    _, after = tensors(batch)
    many = after.repeat_interleave(4, dim=0)
    act = policy.actor_old(many, policy.vae.decode(many, generator=of("bcq").generator))
    values = np.stack([critic(many, act).detach().numpy().reshape(ROWS, 4) for critic in policy.critics_old])
    best = (0.6 * values.min(axis=0) + 0.4 * values.max(axis=0)).max(axis=1)
    np.testing.assert_allclose(batch.returns[:, 0], bellman(batch, torch.as_tensor(best)), rtol=1e-4, atol=1e-6)


def test_bcq_takes_the_proposal_that_its_first_critic_values_most():
    policy = of("bcq", forward_sampled_times=50)
    seen = filled()[:].obs[:3]
    act = policy.forward(Batch(obs=seen)).act
    many = torch.as_tensor(seen).repeat_interleave(50, dim=0)
    proposed = policy.actor(many, policy.vae.decode(many, generator=of("bcq").generator)).view(3, 50, 2)
    for row in range(3):
        values = policy.critics[0](torch.as_tensor(seen[row]).expand(50, 3), proposed[row])
        torch.testing.assert_close(torch.as_tensor(act[row]), proposed[row, values.argmax()])


def test_the_loss_of_the_generator():
    policy, batch = of("bcq"), filled()[:]
    seen, act = torch.as_tensor(batch.obs), torch.as_tensor(batch.act)
    rebuilt, mean, std = policy.vae(seen, act, of("bcq").generator)
    prior = torch.distributions.Normal(0.0, 1.0)
    divergence = torch.distributions.kl_divergence(torch.distributions.Normal(mean, std), prior).mean()
    expected = (rebuilt - act).square().mean() + 0.5 * divergence
    torch.testing.assert_close(policy._vae_loss(seen, act), expected)


@pytest.mark.full
def test_every_update_gives_its_figures_and_new_priorities(made):
    buffer = filled(PrioritizedReplayBuffer, alpha=0.6, beta=0.4)
    before = buffer.get_weight(np.arange(ROWS)).copy()
    figures = made.update(16, buffer)
    critics = ["loss/critic"] if len(made.critics) == 1 else ["loss/critic1", "loss/critic2"]
    assert {"loss/actor", *critics} <= set(figures)
    assert np.isfinite(list(figures.values())).all()
    assert not np.array_equal(buffer.get_weight(np.arange(ROWS)), before)


# --- acting ---------------------------------------------------------------------------------------------------------


def test_actions_are_bounded_and_mapped(made):
    seen = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32) * 10
    with torch.no_grad():
        act = made.forward(Batch(obs=seen)).act
    assert act.shape == (100, 2)
    assert np.abs(act).max() <= 1.0
    np.testing.assert_allclose(made.map_action(act), 2 * act, atol=1e-6)


def test_sac_takes_its_mean_in_tests():
    policy, seen = of("sac").eval(), np.ones((3, 3), np.float32)
    np.testing.assert_allclose(policy.forward(Batch(obs=seen)).act, policy.actor(seen)[0][0].tanh().detach())
    assert len({*policy.train().forward(Batch(obs=seen)).act[:, 0].tolist()}) == 3


def test_noise_is_added_from_a_seed():
    policy, act = of("ddpg", exploration_noise=0.3), np.zeros((2000, 2), np.float32)
    explored = policy.exploration_noise(act, Batch())
    assert explored.dtype == np.float32
    assert explored.std() == pytest.approx(0.3, rel=0.05)
    policy.reset(1)
    assert np.array_equal(policy.exploration_noise(act, Batch()), explored)
    policy.set_exp_noise(None)
    assert policy.exploration_noise(act, Batch()) is act
    policy.set_exp_noise(OUNoise(sigma=1.0))
    first = policy.exploration_noise(act, Batch())
    policy.reset()
    assert not policy.noise._x.any(), "a process begins anew"
    assert first.any()
    assert isinstance(DDPGPolicy(nn.Linear(1, 1), None, nn.Linear(1, 1), None).noise, GaussianNoise)


def test_targets_may_look_at_other_observations():
    policy = of("ddpg")
    batch = Batch(obs=np.ones((2, 3), np.float32), obs_next=np.zeros((2, 3), np.float32))
    np.testing.assert_allclose(
        policy.forward(batch, model="actor_old", input="obs_next").act, policy.actor_old(batch.obs_next)[0]
    )


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tau": 1.5}, "tau=1.5 is not between 0 and 1"),
        ({"gamma": -0.5}, "gamma=-0.5 is not between 0 and 1"),
        ({"estimation_step": 0}, "estimation_step=0 is not at least 1"),
        ({"reward_normalization": True}, "reward normalisation is not defined for n-step targets"),
        ({"action_space": gym.spaces.Discrete(3)}, "DDPGPolicy needs continuous actions"),
        ({"exploration_noise": -0.1}, "sigma=-0.1 is not at least 0"),
    ],
)
def test_options_that_mean_nothing(options, message):
    with pytest.raises(UsageError, match=message):
        DDPGPolicy(nn.Linear(3, 2), None, nn.Linear(5, 1), None, **options)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (TD3Policy, {"update_actor_freq": 0}, "update_actor_freq=0 is not at least 1"),
        (TD3Policy, {"noise_clip": -1.0}, "noise_clip=-1.0 is not at least 0"),
        (SACPolicy, {"alpha": -0.1}, "alpha=-0.1 is not at least 0"),
        (SACPolicy, {"alpha": (1.0, torch.zeros(1), None)}, "log_alpha must have one entry and a gradient"),
    ],
)
def test_twins_that_mean_nothing(kind, options, message):
    net = nn.Linear(3, 2)
    with pytest.raises(UsageError, match=message):
        kind(net, None, net, None, net, None, **options)


def test_bcq_that_means_nothing():
    for options, message in (
        ({"lmbda": 1.5}, "lmbda=1.5 is not between 0 and 1"),
        ({"forward_sampled_times": 0}, "forward_sampled_times=0 is not at least 1"),
    ):
        with pytest.raises(UsageError, match=message):
            of("bcq", **options)
    net = nn.Linear(3, 2)
    with pytest.raises(UsageError, match=r"lmbda=1\.5 is not between 0 and 1"):
        BCQPolicy(net, None, net, None, net, None, of("bcq").vae, None, lmbda=1.5)


def test_an_actor_that_does_not_fit_the_actions(made):
    made.action_space = gym.spaces.Box(-1, 1, (5,))
    with pytest.raises(UsageError, match="gives 2 numbers, which do not fit"):
        made.forward(Batch(obs=np.ones((1, 3), np.float32)))


def test_a_reward_that_is_no_number(made):
    buffer = filled()
    buffer.rew[3] = np.nan
    with pytest.raises(UsageError, match="not a number"):
        made.update(0, buffer)


def test_without_optimizers_it_only_plays():
    policy = build_ddpg(SPACES, DDPGConfig(hidden=8), training=False)
    assert policy.forward(Batch(obs=np.ones((1, 3), np.float32))).act.shape == (1, 2)
    with pytest.raises(UsageError, match="it plays, and cannot learn"):
        policy.update(0, filled())
