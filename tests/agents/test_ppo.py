"""PPO: masks in behaviour and losses, the losses in closed form, advantages, and what is refused."""

import numpy as np
import pytest
import torch
from torch.distributions import Categorical

from agents.algorithms.ppo import PPOPolicy, build
from agents.configs.on_policy import PPOConfig
from agents.learning.precision import half_precision, has_bfloat16
from arena.base.errors import UsageError
from arena.data import Batch, VectorReplayBuffer
from arena.policy.registration import Spaces
from games.engine.registry import make_game
from tests.agents.given import Given, Sum, positions, random_masks

ACTIONS = 3


def policy_of(lr: float = 0.0, **options) -> PPOPolicy:
    actor, critic = Given(ACTIONS), Sum()
    optim = torch.optim.SGD([*actor.parameters(), *critic.parameters()], lr)
    return PPOPolicy(actor, critic, optim, **{"advantage_normalization": False, "ent_coef": 0.0} | options)


def batch_of(scores, act, adv, ratio=1.0, mask=None, returns=0.0, v_s=0.0) -> Batch:
    """A processed batch; `ratio` [n] is that of the present probabilities to those when it acted."""
    obs, n = positions(scores, mask), len(scores)
    logits = torch.as_tensor(np.where(obs.mask, obs.obs, -np.inf))
    logp = torch.log_softmax(logits, dim=1)[torch.arange(n), torch.as_tensor(act)].numpy()
    batch = Batch(obs=obs, act=np.asarray(act), adv=np.broadcast_to(adv, n) * 1.0, logp_old=logp - np.log(ratio))
    batch.returns, batch.v_s = np.broadcast_to(returns, n) * 1.0, np.broadcast_to(v_s, n) * 1.0
    return batch


def losses(policy: PPOPolicy, batch: Batch) -> dict[str, float]:
    """The figures of one step on everything."""
    return {key: value[0] for key, value in policy.learn(batch, batch_size=len(batch), repeat=1).items()}


@pytest.mark.parametrize("scale", [1.0, 1e4, 1e30])
def test_an_illegal_action_has_no_probability(scale):
    rng = np.random.default_rng(0)
    mask = random_masks(rng, 5000, 9)
    policy = PPOPolicy(Given(9), Sum(), None)
    policy.reset(1)
    result = policy.forward(Batch(obs=positions(rng.normal(size=mask.shape) * scale, mask)))
    assert mask[np.arange(len(mask)), result.act].all()
    assert not result.probs[~mask].any()
    np.testing.assert_allclose(result.probs.sum(axis=1), 1.0, rtol=1e-5)
    assert torch.isfinite(result.policy.logp).all()


def test_actions_are_drawn_as_often_as_they_are_likely():
    policy = policy_of()
    policy.reset(5)
    obs = positions(np.log(np.tile([0.5, 0.1, 0.4], (40_000, 1))), np.tile([True, False, True], (40_000, 1)))
    result = policy.forward(Batch(obs=obs))
    np.testing.assert_allclose(np.bincount(result.act, minlength=3) / 40_000, [5 / 9, 0.0, 4 / 9], atol=0.01)
    np.testing.assert_allclose(
        result.policy.logp.exp().detach(), result.probs[np.arange(40_000), result.act], rtol=1e-5
    )
    policy.reset(5)
    assert np.array_equal(policy.forward(Batch(obs=obs)).act, result.act)


def test_tests_may_take_the_likeliest_action():
    obs = positions(np.tile([0.0, 3.0, 1.0], (200, 1)), np.tile([True, False, True], (200, 1)))
    policy = policy_of(deterministic_eval=True)
    assert set(policy.train()(Batch(obs=obs)).act.tolist()) == {0, 2}
    assert set(policy.eval()(Batch(obs=obs)).act.tolist()) == {2}
    assert set(policy_of().eval()(Batch(obs=obs)).act.tolist()) == {0, 2}


def test_scores_of_illegal_actions_do_not_matter_to_the_losses():
    rng = np.random.default_rng(1)
    mask = random_masks(rng, 200, ACTIONS)
    act = (rng.random(mask.shape) * mask).argmax(axis=1)
    scores, adv = rng.normal(size=mask.shape), rng.normal(size=200)
    told = []
    for noise in (0.0, 1.0, 1e6):
        policy = policy_of(lr=0.1, ent_coef=0.5, vf_coef=0.0)
        changed = scores + noise * rng.normal(size=mask.shape) * ~mask
        figures = losses(policy, batch_of(changed, act, adv, ratio=1.1, mask=mask))
        assert np.isfinite(list(figures.values())).all()
        told.append((figures["loss/clip"], figures["loss/ent"], *policy.actor.weight.tolist()))
    np.testing.assert_allclose(told[1:], [told[0]] * 2, rtol=1e-4)


@pytest.mark.parametrize(
    ("ratio", "adv", "dual", "surrogate"),
    [
        (1.1, 2.0, None, 2.2),  # inside the bounds: as it is
        (1.5, 2.0, None, 2.4),  # above, and good: clipped
        (0.5, 2.0, None, 1.0),  # below, and good: as it is
        (1.5, -2.0, None, -3.0),  # above, and bad: as it is
        (0.5, -2.0, None, -1.6),  # below, and bad: clipped
        (5.0, -2.0, None, -10.0),
        (5.0, -2.0, 3.0, -6.0),  # dual clip: no worse than c times the advantage
        (5.0, 2.0, 3.0, 2.4),  # which says nothing of what is good
        (2.0, -2.0, 3.0, -4.0),
    ],
)
def test_the_clipped_surrogate(ratio, adv, dual, surrogate):
    figures = losses(policy_of(dual_clip=dual), batch_of([[1.0, 2.0, 0.5]], [1], adv, ratio))
    assert figures["loss/clip"] == pytest.approx(-surrogate, rel=1e-4)


@pytest.mark.parametrize(("value_clip", "expected"), [(False, 4.0), (True, 24.01)])
def test_the_value_loss(value_clip, expected):
    """The critic says 3, it said 0 before, and 5 came of it: a change by 0.1 at most leaves 4.9 to go."""
    policy = policy_of(value_clip=value_clip, eps_clip=0.1)
    assert losses(policy, batch_of([[1.0, 1.0, 1.0]], [0], 0.0, returns=5.0))["loss/vf"] == pytest.approx(expected)


def test_entropy_counts_legal_actions_only_and_the_sum_is_weighted():
    batch = batch_of([[2.0, 2.0, 9.0]], [0], 1.0, mask=[[True, True, False]], returns=14.0)
    figures = losses(policy_of(vf_coef=0.5, ent_coef=0.1), batch)
    assert figures["loss/ent"] == pytest.approx(np.log(2))
    assert figures["loss"] == pytest.approx(-1.0 + 0.5 * 1.0 - 0.1 * np.log(2))


def test_advantages_are_normalised_in_each_minibatch():
    batch = batch_of([[0.0] * 3] * 4, [0] * 4, np.array([1.0, 2.0, 3.0, 4.0]), ratio=[1.0, 1.0, 1.0, 1.1])
    normal = np.array([-1.5, -0.5, 0.5, 1.5]) / np.std([1, 2, 3, 4], ddof=1)
    figures = losses(policy_of(advantage_normalization=True), batch)
    assert figures["loss/clip"] == pytest.approx(-(normal * [1, 1, 1, 1.1]).mean(), rel=1e-4)
    assert np.isfinite(losses(policy_of(advantage_normalization=True), batch[:1])["loss"]), "a minibatch of one"


def collected() -> VectorReplayBuffer:
    """Three streams: one that ended, one that was cut, one under way; values and rewards to be told apart."""
    buffer = VectorReplayBuffer(12, 3)
    yes = np.array([True, False, False])
    for t in range(3):
        last = t == 2
        row = Batch(
            obs=positions(np.full((3, 3), t)), obs_next=positions(np.full((3, 3), t + 10.0)), act=np.zeros(3, int)
        )
        row.rew, row.terminated, row.truncated = np.full(3, 1.0 + t), yes & last, np.roll(yes, 1) & last
        row.policy = Batch(logp=np.full(3, np.log(1 / 3)), value=np.full(3, t * 3.0 + 0.5))
        buffer.add(row)
    return buffer


def test_advantages_take_values_of_when_it_acted_and_bootstrap_where_nothing_follows():
    gamma, lam = 0.9, 0.8
    buffer = collected()
    indices = buffer.sample_indices(0)
    policy = policy_of(discount_factor=gamma, gae_lambda=lam)
    batch = policy.process_fn(buffer[indices], buffer, indices)
    own = np.array([0.5, 3.5, 6.5])
    for stream, last in enumerate((0.0, 36.0, 36.0)):  # terminated, truncated, under way: the critic's sum of 12 is 36
        after = np.array([3.5, 6.5, last])
        errors = np.array([1.0, 2.0, 3.0]) + gamma * after - own
        advantage = [sum((gamma * lam) ** k * e for k, e in enumerate(errors[t:])) for t in range(3)]
        rows = slice(3 * stream, 3 * stream + 3)
        np.testing.assert_allclose(batch.adv[rows], advantage)
        np.testing.assert_allclose(batch.returns[rows], np.array(advantage) + own)


def test_advantages_may_be_computed_anew_before_each_repetition():
    figures = {}
    for anew in (False, True):
        policy = policy_of(recompute_advantage=anew, gae_lambda=1.0, discount_factor=1.0)
        figures[anew] = policy.update(0, collected(), batch_size=9, repeat=2)["loss/clip"]
    stored, present = np.array([0.5, 3.5, 6.5]), np.array([0.0, 3.0, 6.0])
    returns = np.array([6.0, 5.0, 3.0])[None] + np.array([0.0, 36.0, 36.0])[:, None]
    assert figures[False] == pytest.approx([-(returns - stored).mean()] * 2, rel=1e-5)
    assert figures[True] == pytest.approx([-(returns - stored).mean(), -(returns - present).mean()], rel=1e-5)


def test_an_update_goes_through_everything_in_minibatches():
    figures = policy_of().update(0, collected(), batch_size=3, repeat=4)
    of_steps = ("loss", "loss/clip", "loss/vf", "loss/ent", "entropy", "kl", "clip_fraction", "grad_norm", "lr")
    lengths = {key: len(value) for key, value in figures.items()}
    assert lengths == {**dict.fromkeys(of_steps, 12), "explained_variance": 1}


def test_the_gradient_is_bounded_over_all_parameters():
    actor, critic = Given(ACTIONS), Sum()
    optim = torch.optim.SGD([{"params": critic.parameters()}, {"params": actor.parameters()}], 1.0)
    policy = PPOPolicy(actor, critic, optim, advantage_normalization=False, max_grad_norm=0.5)
    losses(policy, batch_of([[1.0, 5.0, 2.0]], [1], 50.0, returns=100.0))
    moved = torch.cat([actor.weight.detach() - 1, critic.weight.detach()[None] - 1])
    assert moved.norm().item() == pytest.approx(0.5, rel=1e-3)


def test_it_acts_by_the_distribution_that_it_learns():
    """A tempered distribution: probabilities, draws, and a ratio of 1 at the first step."""
    policy = policy_of(dist_fn=lambda logits: Categorical(logits=logits / 10))
    obs = positions(np.tile([0.0, 10.0, 20.0], (8, 1)))
    result = policy.forward(Batch(obs=obs))
    np.testing.assert_allclose(result.probs[0], np.exp([0, 1, 2]) / np.exp([0, 1, 2]).sum(), rtol=1e-5)
    batch = batch_of(obs.obs, result.act, 7.0)
    batch.logp_old = result.policy.logp.detach().numpy()
    assert losses(policy, batch)["loss/clip"] == pytest.approx(-7.0, rel=1e-5)


def test_it_plays_without_an_optimizer():
    policy = build(Spaces.of_game(make_game("connect_four")), PPOConfig(channels=4, hidden=8), training=False)
    assert policy.optim is None
    obs = Batch(agent_id=np.zeros(2, int), obs=np.zeros((2, 6, 7, 2), np.int8), mask=np.ones((2, 7), bool))
    result = policy.eval()(Batch(obs=obs))
    assert (result.act.shape, result.probs.shape, result.value.shape) == ((2,), (2, 7), (2,))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dual_clip": 1.0}, "dual_clip=1.0 is not above 1"),
        ({"eps_clip": 0.0}, "eps_clip=0.0 is not above 0"),
        ({"discount_factor": -0.1}, "is not between 0 and 1"),
        ({"gae_lambda": 1.1}, "is not between 0 and 1"),
    ],
)
def test_options_that_mean_nothing(options, message):
    with pytest.raises(UsageError, match=message):
        policy_of(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning_rate": -1.0}, "learning_rate=-1.0 is not above 0"),
        ({"eps_clip": 0.0}, "eps_clip=0.0 is not above 0"),
        ({"max_grad_norm": 0.0}, "max_grad_norm=0.0 is not above 0"),
        ({"ent_coef": -0.1}, "ent_coef=-0.1 is not at least 0"),
        ({"channels": -1}, "channels=-1 is not at least 0"),
        ({"batch_size": 0}, "batch_size=0 is not at least 1"),
        ({"repeat": 0}, "repeat=0 is not at least 1"),
        ({"discount_factor": 1.5}, "discount_factor=1.5 is not between 0 and 1"),
        ({"hidden": True}, "hidden=True is not a number"),
    ],
)
def test_settings_that_mean_nothing(options, message):
    with pytest.raises(UsageError, match=message):
        PPOConfig(**options)


@pytest.mark.skipif(not has_bfloat16(torch.device("cpu")), reason="this processor has no bfloat16")
def test_half_precision_acts_by_the_weights_of_the_moment():
    """After steps of the optimizer and after weights were loaded; in tests it computes in full."""
    policy, other = (build(Spaces.of_game(make_game("connect_four")), PPOConfig(half=True), True) for _ in range(2))
    obs = torch.as_tensor(np.random.default_rng(0).integers(0, 2, (64, 6, 7, 2)), dtype=torch.int8)
    mask = torch.ones(64, 7, dtype=torch.bool)
    rng, seen = np.random.default_rng(1), []

    def agrees() -> bool:
        with torch.no_grad(), half_precision(policy.device):
            wanted = policy.logits_and_values(obs)
        acted = policy.train().scores_and_values(obs, None)
        seen.append(acted[0])
        full = policy.eval().scores_and_values(obs, None)
        assert not torch.equal(full[0], acted[0])
        torch.testing.assert_close(full[0], acted[0], rtol=0.05, atol=0.02)
        return all(torch.equal(one, two) for one, two in zip(acted, wanted, strict=False))

    assert agrees()
    policy.train()
    with torch.no_grad():
        act, logp, value = policy.decide(obs, mask)
    learned = Batch(obs=Batch(obs=obs, mask=mask), act=act, logp_old=logp, v_s=value.double())
    learned.adv, learned.returns = (torch.from_numpy(rng.normal(size=64)) for _ in range(2))
    policy.learn(learned, batch_size=64, repeat=2)
    assert agrees()
    policy.load_state_dict(other.state_dict())
    assert agrees()
    assert not torch.equal(seen[0], seen[1])
    assert not torch.equal(seen[1], seen[2])
