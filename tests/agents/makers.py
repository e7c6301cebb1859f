"""Makers of all algorithms for discrete actions, for the tests that all of them must pass.

`Told` stands for a network: an observation of A numbers is what it tells of each action, times a learned weight. So a
test says what a policy thinks of every action, and of illegal ones as well.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn

from agents.algorithms.a2c import A2CPolicy
from agents.algorithms.c51 import C51Policy
from agents.algorithms.discrete_bcq import DiscreteBCQPolicy
from agents.algorithms.discrete_cql import DiscreteCQLPolicy
from agents.algorithms.discrete_crr import DiscreteCRRPolicy
from agents.algorithms.discrete_sac import DiscreteSACPolicy
from agents.algorithms.dqn import DQNPolicy
from agents.algorithms.fqf import FQFPolicy
from agents.algorithms.imitation import ImitationPolicy
from agents.algorithms.iqn import IQNPolicy
from agents.algorithms.npg import NPGPolicy
from agents.algorithms.pg import PGPolicy
from agents.algorithms.ppo import PPOPolicy
from agents.algorithms.qrdqn import QRDQNPolicy
from agents.algorithms.rainbow import RainbowPolicy
from agents.algorithms.trpo import TRPOPolicy
from agents.networks.discrete import FractionProposalNetwork
from arena.data.batch import Batch
from arena.policy.base import BasePolicy
from arena.policy.registration import Spaces

QUANTILES = torch.tensor([-0.2, 0.0, 0.2])
"""Half-width of the distribution around the value of an action."""


class Told(nn.Module):
    """Return values of actions [n, A] in the form of the output of an algorithm's network."""

    def __init__(self, num_actions: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_actions))

    def scores(self, s: Any) -> torch.Tensor:
        return torch.as_tensor(s, dtype=torch.float32) * self.weight

    def forward(self, s, state=None, info=None):
        return self.scores(s), state


class ToldAtoms(Told):
    """Chances of the atoms 0 and 1, so that the expectation is a sigmoid of what is told."""

    def forward(self, s, state=None, info=None):
        high = torch.sigmoid(self.scores(s))
        return torch.stack([1 - high, high], dim=2), state


class ToldQuantiles(Told):
    def forward(self, s, state=None, info=None):
        return self.scores(s)[..., None] + QUANTILES, state


class ToldAtFractions(Told):
    """For implicit quantiles: at any number of fractions."""

    def forward(self, s, sample_size, state=None, generator=None):
        taus = torch.rand(len(s), sample_size, generator=generator)
        return (self.scores(s)[..., None] + taus[:, None] - taus[:, None].mean(dim=2, keepdim=True), taus), state


class ToldAtProposals(Told):
    """For proposed fractions."""

    def forward(self, s, propose_model, fractions=None, state=None):
        if fractions is None:  # proposed from what is no matter of actions, or the proposals would look at illegal ones
            taus, tau_hats, entropies = propose_model(torch.ones(len(s), 1))
            fractions = Batch(taus=taus, tau_hats=tau_hats, entropies=entropies)
        scores = self.scores(s)[..., None]
        return (
            scores + fractions.tau_hats[:, None].detach(),
            fractions,
            scores + fractions.taus[:, None, 1:-1].detach(),
        ), state


class ToldValue(Told):
    """The value of a state: what is no matter of actions."""

    def forward(self, s, state=None, info=None):
        return self.weight[:1].expand(len(s), 1)


class ToldActions(Told):
    """Values of all actions, alone."""

    def forward(self, s, state=None, info=None):
        return self.scores(s)


def adam(*modules: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam([parameter for module in modules for parameter in module.parameters()], 1e-2)


def make_dqn(spaces: Spaces) -> BasePolicy:
    net = Told(spaces.num_actions)
    return DQNPolicy(net, adam(net), target_update_freq=2, estimation_step=2)


def make_c51(spaces: Spaces, kind: type[C51Policy] = C51Policy) -> BasePolicy:
    net = ToldAtoms(spaces.num_actions)
    return kind(net, adam(net), num_atoms=2, v_min=0.0, v_max=1.0, target_update_freq=2, estimation_step=2)


def make_rainbow(spaces: Spaces) -> BasePolicy:
    return make_c51(spaces, RainbowPolicy)


def make_qrdqn(spaces: Spaces, kind: type[QRDQNPolicy] = QRDQNPolicy) -> BasePolicy:
    net = ToldQuantiles(spaces.num_actions)
    return kind(net, adam(net), num_quantiles=3, target_update_freq=2, estimation_step=2)


def make_cql(spaces: Spaces) -> BasePolicy:
    return make_qrdqn(spaces, DiscreteCQLPolicy)


def make_iqn(spaces: Spaces) -> BasePolicy:
    net = ToldAtFractions(spaces.num_actions)
    return IQNPolicy(net, adam(net), target_update_freq=2, estimation_step=2)


def make_fqf(spaces: Spaces) -> BasePolicy:
    net, fractions = ToldAtProposals(spaces.num_actions), FractionProposalNetwork(4, 1)
    options = {"num_fractions": 4, "target_update_freq": 2, "estimation_step": 2}
    return FQFPolicy(net, adam(net), fractions, adam(fractions), **options)


def make_bcq(spaces: Spaces) -> BasePolicy:
    net, imitator = Told(spaces.num_actions), Told(spaces.num_actions)
    return DiscreteBCQPolicy(net, imitator, adam(net, imitator), target_update_freq=2, estimation_step=2)


def make_imitation(spaces: Spaces) -> BasePolicy:
    net = Told(spaces.num_actions)
    return ImitationPolicy(net, adam(net), spaces.action)


def make_pg(spaces: Spaces) -> BasePolicy:
    net = Told(spaces.num_actions)
    return PGPolicy(net, adam(net))


def make_actor_critic(spaces: Spaces, kind: Callable[..., BasePolicy]) -> BasePolicy:
    actor, critic = Told(spaces.num_actions), ToldValue(spaces.num_actions)
    optim = adam(critic) if kind in (NPGPolicy, TRPOPolicy) else adam(actor, critic)
    return kind(actor, critic, optim)


def make_discrete_sac(spaces: Spaces) -> BasePolicy:
    actor, one, other = Told(spaces.num_actions), ToldActions(spaces.num_actions), ToldActions(spaces.num_actions)
    log_alpha = torch.zeros(1, requires_grad=True)
    alpha = 0.5, log_alpha, torch.optim.Adam([log_alpha])
    return DiscreteSACPolicy(actor, adam(actor), one, adam(one), other, adam(other), alpha=alpha, estimation_step=2)


def make_crr(spaces: Spaces) -> BasePolicy:
    actor, critic = Told(spaces.num_actions), ToldActions(spaces.num_actions)
    return DiscreteCRRPolicy(actor, critic, adam(actor, critic), target_update_freq=2)


@dataclass(frozen=True)
class Maker:
    """Maker of an algorithm with given scores of actions, and its update."""

    make: Callable[[Spaces], BasePolicy]
    learn: dict[str, int]
    """Arguments of its `learn`."""


OFF_POLICY: dict[str, int] = {}
ON_POLICY = {"batch_size": 16, "repeat": 2}
MAKERS = {
    "dqn": Maker(make_dqn, OFF_POLICY),
    "c51": Maker(make_c51, OFF_POLICY),
    "rainbow": Maker(make_rainbow, OFF_POLICY),
    "qrdqn": Maker(make_qrdqn, OFF_POLICY),
    "iqn": Maker(make_iqn, OFF_POLICY),
    "fqf": Maker(make_fqf, OFF_POLICY),
    "discrete-bcq": Maker(make_bcq, OFF_POLICY),
    "discrete-cql": Maker(make_cql, OFF_POLICY),
    "imitation": Maker(make_imitation, OFF_POLICY),
    "pg": Maker(make_pg, ON_POLICY),
    "a2c": Maker(partial(make_actor_critic, kind=A2CPolicy), ON_POLICY),
    "ppo": Maker(partial(make_actor_critic, kind=PPOPolicy), ON_POLICY),
    "npg": Maker(partial(make_actor_critic, kind=NPGPolicy), ON_POLICY),
    "trpo": Maker(partial(make_actor_critic, kind=TRPOPolicy), ON_POLICY),
    "discrete-sac": Maker(make_discrete_sac, OFF_POLICY),
    "discrete-crr": Maker(make_crr, OFF_POLICY),
}
