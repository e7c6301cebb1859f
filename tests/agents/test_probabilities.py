"""Actors that end in a softmax, as those of the manual do: what they give is what is played, and learned."""

from copy import deepcopy

import numpy as np
import pytest
import torch
from gymnasium.spaces import Discrete
from torch import nn
from torch.distributions import Categorical

from agents.algorithms.a2c import A2CPolicy
from agents.algorithms.alphazero import AlphaZeroPolicy
from agents.algorithms.discrete_bcq import DiscreteBCQPolicy
from agents.algorithms.discrete_crr import DiscreteCRRPolicy
from agents.algorithms.discrete_sac import DiscreteSACPolicy
from agents.algorithms.dqn import DQNPolicy
from agents.algorithms.imitation import ImitationPolicy
from agents.algorithms.mmd import MMDPolicy
from agents.algorithms.nfsp import NFSPPolicy
from agents.algorithms.npg import NPGPolicy
from agents.algorithms.pg import PGPolicy
from agents.algorithms.ppo import PPOPolicy
from agents.algorithms.trpo import TRPOPolicy
from agents.configs.on_policy import MMDConfig
from agents.configs.search import AlphaZeroConfig
from agents.configs.value_based import NFSPConfig
from agents.guided.puct import network_of
from agents.networks.common import DataParallelNet, Net
from agents.networks.discrete import Actor, Critic
from arena.base.errors import UsageError
from arena.data import Batch, ReplayBuffer
from arena.policy import BasePolicy
from games.engine.registry import make_game
from tests.agents.given import Given, Sum, positions, random_masks

ACTIONS, FEATURES, ROWS = 3, 5, 24


class Shown(nn.Module):
    """A user's own network, which says nothing of what it gives: the observations themselves, to be learned."""

    def __init__(self, num_actions: int = 2):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_actions))

    def forward(self, s, state=None, info=None):
        return torch.as_tensor(s, dtype=torch.float32) * self.weight, state


class ShownBySoftmax(Shown):
    """One that says so."""

    softmax_output = True


def descent(*modules: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.SGD([p for module in modules for p in module.parameters()], 0.05)


def on_policy(kind):
    def make(actor: nn.Module, dist_fn=None) -> BasePolicy:
        torch.manual_seed(3)
        critic = Critic(Net(FEATURES, hidden_sizes=(8,)))
        trained = (critic,) if kind in (NPGPolicy, TRPOPolicy) else (actor, critic)
        return kind(actor, critic, descent(*trained), dist_fn)

    return make


def pg(actor: nn.Module, dist_fn=None) -> BasePolicy:
    return PGPolicy(actor, descent(actor), dist_fn)


def crr(actor: nn.Module) -> BasePolicy:
    critic = Critic(Net(FEATURES, hidden_sizes=(8,)), last_size=ACTIONS)
    return DiscreteCRRPolicy(actor, critic, descent(actor, critic), target_update_freq=2)


def sac(actor: nn.Module) -> BasePolicy:
    one, other = (Critic(Net(FEATURES, hidden_sizes=(8,)), last_size=ACTIONS) for _ in range(2))
    return DiscreteSACPolicy(actor, descent(actor), one, descent(one), other, descent(other), deterministic_eval=False)


def mmd(actor: nn.Module) -> BasePolicy:
    critic = Critic(Net(FEATURES, hidden_sizes=(8,)), last_size=ACTIONS)
    return MMDPolicy(actor, critic, descent(actor, critic), MMDConfig())


def imitation(actor: nn.Module) -> BasePolicy:
    return ImitationPolicy(actor, descent(actor), Discrete(ACTIONS))


def bcq(actor: nn.Module) -> BasePolicy:
    model = Net(FEATURES, ACTIONS, hidden_sizes=(8,))
    return DiscreteBCQPolicy(model, actor, descent(model, actor), imitation_logits_penalty=0.0)


GRADIENTS = {"pg": pg, **{k.__name__: on_policy(k) for k in (A2CPolicy, PPOPolicy, NPGPolicy, TRPOPolicy)}}
MAKERS = GRADIENTS | {"crr": crr, "sac": sac, "mmd": mmd, "imitation": imitation, "bcq": bcq}


def actors() -> tuple[Actor, Actor]:
    """One network twice: as the manual makes it, and without a softmax."""
    torch.manual_seed(1)
    probable = Actor(Net(FEATURES, hidden_sizes=(16,)), ACTIONS)
    scoring = deepcopy(probable)
    scoring.softmax_output = False
    return probable, scoring


def played(policy: BasePolicy, obs: Batch) -> np.ndarray:
    policy.reset(0)
    return policy(Batch(obs=obs)).probs


def collected(policy: BasePolicy) -> ReplayBuffer:
    """Some episodes by the policy itself, whose actions are among the legal ones."""
    rng, buffer = np.random.default_rng(5), ReplayBuffer(ROWS)
    seen, masks = rng.normal(size=(ROWS + 1, FEATURES)), random_masks(rng, ROWS + 1, ACTIONS)
    policy.reset(9)
    for t in range(ROWS):
        obs, after = (Batch(agent_id=np.zeros(1, int), obs=seen[[i]], mask=masks[[i]]) for i in (t, t + 1))
        with torch.no_grad():
            result = policy(Batch(obs=obs))
        row = Batch(obs=obs[0], act=result.act[0], rew=rng.normal(), terminated=t % 6 == 5, truncated=False)
        row.obs_next = after[0]
        if "policy" in result:
            row.policy = result.policy[0]
        buffer.add(row)
    return buffer


@pytest.mark.parametrize("kind", GRADIENTS)
def test_the_class_categorical_takes_what_a_network_gives_for_probabilities(kind):
    """As in torch, whose first argument is `probs`, and in scripts that end their network in a softmax themselves."""
    policy = GRADIENTS[kind](Shown(), Categorical)
    if hasattr(policy, "critic"):
        policy.critic = Sum()
    result = policy(Batch(obs=np.tile([0.9, 0.1], (4, 1)).astype(np.float32)))
    np.testing.assert_allclose(result.probs, np.tile([0.9, 0.1], (4, 1)), rtol=1e-5)


@pytest.mark.parametrize("dist_fn", [None, Categorical, lambda probs: Categorical(probs)])
def test_an_actor_that_says_that_it_ends_in_a_softmax_needs_no_further_word(dist_fn):
    policy = PPOPolicy(ShownBySoftmax(3), Sum(), None, dist_fn)
    chances = [0.75, 0.05, 0.2]
    np.testing.assert_allclose(played(policy, positions([chances]))[0], chances, rtol=1e-5)
    masked = played(policy, positions([chances], [[True, True, False]]))[0]
    np.testing.assert_allclose(masked, [0.9375, 0.0625, 0.0], rtol=1e-5)
    assert masked[2] == 0.0


@pytest.mark.parametrize("dist_fn", [None, Categorical, lambda logits: Categorical(logits=logits)])
def test_an_actor_that_says_that_it_gives_logits_plays_their_softmax(dist_fn):
    policy = PPOPolicy(Given(3), Sum(), None, dist_fn)
    mask = [[True, True, False]]
    np.testing.assert_allclose(played(policy, positions([[1.0, -1.0, 5.0]], mask))[0], [0.880797, 0.119203, 0], 1e-5)


@pytest.mark.parametrize("dist_fn", [None, Categorical])
def test_legal_actions_without_any_chance_are_all_alike(dist_fn):
    """A softmax that has rounded to 0 for every legal action says nothing of them."""
    policy = PPOPolicy(ShownBySoftmax(3), Sum(), None, dist_fn)
    np.testing.assert_allclose(played(policy, positions([[0.0, 1.0, 0.0]], [[True, False, True]]))[0], [0.5, 0, 0.5])


def test_a_function_of_distributions_is_called_with_what_the_actor_gives():
    """Masks are applied to what it makes of that: an illegal action has no chance, though all had some there."""
    calls = []

    def mixed(probs):
        calls.append(probs)
        return Categorical(0.8 * probs + 0.2 / 3)

    policy = PPOPolicy(Shown(3), Sum(), None, mixed)
    chances = played(policy, positions([[0.5, 0.3, 0.2]], [[True, False, True]]))[0]
    torch.testing.assert_close(calls[0], torch.tensor([[0.5, 0.3, 0.2]]))
    first, last = 0.4 + 0.2 / 3, 0.16 + 0.2 / 3
    np.testing.assert_allclose(chances, [first / (first + last), 0.0, last / (first + last)], rtol=1e-5)


def test_scores_below_zero_are_not_taken_for_probabilities():
    policy = PPOPolicy(Shown(), Sum(), None, Categorical)
    with pytest.raises(UsageError, match=r"below 0.*dist_fn=lambda logits: Categorical\(logits=logits\)"):
        policy(Batch(obs=np.array([[0.4, -0.6]], np.float32)))


def test_a_mask_asks_for_a_categorical_distribution():
    policy = PPOPolicy(Shown(), Sum(), None, torch.distributions.Bernoulli)
    with pytest.raises(UsageError, match="Bernoulli; masks need a Categorical"):
        policy(Batch(obs=positions([[0.4, 0.6]])))


@pytest.mark.parametrize("kind", MAKERS)
def test_a_softmax_at_the_end_changes_neither_what_is_played_nor_what_is_learned(kind):
    """The same network with and without it: the same chances, figures and weights, under masks."""
    chances, figures, weights = [], [], []
    for actor in actors():
        torch.manual_seed(7)
        policy = MAKERS[kind](actor)
        buffer = collected(policy)
        chances.append(played(policy, buffer[:].obs))
        extra = {"batch_size": 8, "repeat": 2} if kind in GRADIENTS or kind == "mmd" else {}
        figures.append([policy.update(0, buffer, **extra) for _ in range(2)][-1])
        weights.append(torch.cat([p.flatten() for p in actor.parameters()]))
    np.testing.assert_allclose(*chances, atol=1e-6)
    assert not chances[0][~buffer[:].obs.mask].any()
    assert figures[0].keys() == figures[1].keys()
    for key, value in figures[0].items():
        if key == "loss/reg":  # the size of logits, which are told up to a constant
            continue
        np.testing.assert_allclose(value, figures[1][key], rtol=1e-3, atol=1e-5, err_msg=key)
    torch.testing.assert_close(*weights, rtol=1e-3, atol=1e-4)
    assert not torch.allclose(weights[0], torch.cat([p.flatten() for p in actors()[0].parameters()]), atol=1e-4)


def test_what_is_spread_over_gpus_gives_what_the_network_within_gives():
    policy = PPOPolicy(DataParallelNet(ShownBySoftmax(2)), Sum(), None)
    np.testing.assert_allclose(played(policy, positions([[0.9, 0.1]]))[0], [0.9, 0.1], rtol=1e-5)


def test_net_with_a_softmax_gives_probabilities_too():
    net = Net(FEATURES, ACTIONS, hidden_sizes=(8,), softmax=True)
    seen = np.random.default_rng(0).normal(size=(6, FEATURES))
    obs = Batch(agent_id=np.zeros(6, int), obs=seen, mask=np.ones((6, 3), bool))
    expected = net(obs.obs)[0].detach().numpy()
    np.testing.assert_allclose(played(PPOPolicy(net, Sum(), None), obs), expected, rtol=1e-4)


def test_fictitious_play_takes_such_an_actor_for_its_average():
    rng = np.random.default_rng(0)
    obs = Batch(agent_id=np.zeros(8, int), obs=rng.normal(size=(8, FEATURES)), mask=random_masks(rng, 8, ACTIONS))
    best = DQNPolicy(Net(FEATURES, ACTIONS, hidden_sizes=(8,)), None, action_space=Discrete(ACTIONS))
    chances = [played(NFSPPolicy(best, actor, None, NFSPConfig()).eval(), obs) for actor in actors()]
    np.testing.assert_allclose(*chances, atol=1e-6)


def test_alphazero_takes_such_an_actor_in_its_search_and_its_loss():
    game, rng = make_game("tic_tac_toe"), np.random.default_rng(0)
    mask, seen = random_masks(rng, 6, 9), rng.random((6, 3, 3, 2), np.float32)
    target = np.where(mask, 1.0, 0.0) / mask.sum(axis=1, keepdims=True)
    obs = Batch(agent_id=np.zeros(6, int), obs=seen, mask=mask)
    batch = Batch(obs=obs, policy=Batch(target=target), returns=torch.ones(6, 1), ended=np.ones(6, bool))
    guides, losses = [], []
    for softmax_output in (True, False):
        torch.manual_seed(4)
        net = Net((3, 3, 2), hidden_sizes=(16,))
        actor, critic = Actor(net, 9, softmax_output=softmax_output), Critic(net)
        policy = AlphaZeroPolicy(game, actor, critic, descent(actor), AlphaZeroConfig(half=False))
        logits, _ = network_of(policy, seen, mask)
        guides.append(torch.softmax(torch.as_tensor(logits), dim=1).numpy())
        losses.append(policy.learn(batch)["loss/policy"])
    np.testing.assert_allclose(*guides, atol=1e-6)
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
