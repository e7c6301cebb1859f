"""Options of policies: one by one as in the manual, or all at once as a config, by the same names."""

import dataclasses

import pytest
import torch
from gymnasium.spaces import Box, Discrete
from torch import nn

from agents.algorithms.a2c import A2CPolicy
from agents.algorithms.ppo import PPOPolicy
from agents.configs.on_policy import A2CConfig, PPOConfig
from agents.networks.discrete import Actor, Critic
from arena.base.errors import UsageError
from arena.policy.former_names import FORMER_NAMES, read_options
from arena.policy.registration import Spaces
from arena.policy.registry import AGENTS, agent_kind, learning_algorithm

SEEN = Box(-1, 1, (3,))


class Body(nn.Module):
    output_dim = 3

    def forward(self, s, state=None, info=None):
        return torch.as_tensor(s, dtype=torch.float32), state


def ppo(**options) -> PPOPolicy:
    return PPOPolicy(Actor(Body(), 2), Critic(Body()), None, action_space=Discrete(2), **options)


def test_options_one_by_one_are_a_config():
    policy = ppo(eps_clip=0.1, dual_clip=3.0, vf_coef=0.25, discount_factor=0.9)
    assert (policy.config.eps_clip, policy.config.dual_clip) == (0.1, 3.0)
    assert (policy.config.vf_coef, policy.config.discount_factor) == (0.25, 0.9)
    assert policy.config.max_grad_norm is None, "the manual's default, not that of `arena train`"
    assert policy.advantages.discount_factor == 0.9


def test_a_config_gives_all_options_at_once():
    config = PPOConfig(eps_clip=0.1, reward_normalization=True, gae_lambda=0.8, max_batchsize=7)
    policy = ppo(config=config)
    assert policy.config is config
    assert policy.return_scale is not None
    assert policy.max_batchsize == 7
    assert policy.advantages.gae_lambda == 0.8


def test_an_option_beside_a_config_is_refused():
    with pytest.raises(UsageError, match=r"eps_clip=0.3 stands beside a config"):
        ppo(config=PPOConfig(), eps_clip=0.3)
    with pytest.raises(UsageError, match=r"gae_lambda=0.5 stands beside a config"):
        A2CPolicy(Actor(Body(), 2), Critic(Body()), None, gae_lambda=0.5, config=A2CConfig())


ALGORITHMS = "pg a2c ppo npg trpo mmd dqn c51 rainbow qrdqn iqn fqf discrete-bcq discrete-cql discrete-crr discrete-sac"


@pytest.mark.parametrize("name", [*ALGORITHMS.split(), "ddpg", "td3", "sac", "bcq"])
def test_policies_of_arena_train_are_built_around_their_config(name):
    algorithm = learning_algorithm(name)
    config = algorithm.config(hidden=8)
    actions = Discrete(3) if set(algorithm.actions) & {"discrete", "games"} else Box(-1, 1, (2,))
    assert algorithm.build(Spaces(SEEN, actions), config, False).config is config  # type: ignore[attr-defined]


def test_no_option_has_its_former_name():
    former = set(FORMER_NAMES) - {"max_weight", "noise"}  # MMD and AlphaZero have others of these names
    for name in AGENTS.names():
        if (algorithm := agent_kind(name).algorithm) is not None:
            assert not former & {field.name for field in dataclasses.fields(algorithm.config)}, name


def test_options_by_their_former_names_are_read():
    saved = {"learning_rate": 0.01, "clip_ratio": 0.3, "value_weight": 0.7, "entropy_weight": 0.02, "discount": 0.9}
    wanted = PPOConfig(learning_rate=0.01, eps_clip=0.3, vf_coef=0.7, ent_coef=0.02, discount_factor=0.9)
    assert read_options(PPOConfig, saved) == wanted
    for name, key in (("sac", "gamma"), ("dqn", "discount_factor"), ("mmd", "discount_factor")):
        kind = learning_algorithm(name).config
        assert getattr(read_options(kind, {"discount": 0.5}), key) == 0.5
    assert read_options(learning_algorithm("mmd").config, {"max_weight": 3.0}).max_weight == 3.0
    assert read_options(learning_algorithm("discrete-crr").config, {"max_weight": 3.0}).ratio_upper_bound == 3.0


def test_options_that_no_algorithm_ever_had_are_refused():
    with pytest.raises(UsageError, match="depth is no field: known are learning_rate, "):
        read_options(PPOConfig, {"depth": 3})
