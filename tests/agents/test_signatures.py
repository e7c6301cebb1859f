"""Constructors as in the manual of Tianshou 0.4.5: each published parameter, in its order, with its default."""

import inspect

import pytest

import agents

NETWORKS = {
    "value": "model optim",
    "actor-critic": "actor critic optim dist_fn",
    "twin": "actor actor_optim critic1 critic1_optim critic2 critic2_optim",
}
TARGETS = {"estimation_step": 1, "target_update_freq": 0, "reward_normalization": False}
ACTING = {"action_scaling": True, "action_bound_method": "clip"}
RETURNS = {"discount_factor": 0.99, "reward_normalization": False}
A2C = {"vf_coef": 0.5, "ent_coef": 0.01, "max_grad_norm": None, "gae_lambda": 0.95, "max_batchsize": 256}
NATURAL = {"advantage_normalization": True, "optim_critic_iters": 5}
SOFT = {"tau": 0.005, "gamma": 0.99}
RAW = {"reward_normalization": False, "estimation_step": 1}
CRR = {"policy_improvement_mode": "exp", "ratio_upper_bound": 20.0, "beta": 1.0, "min_q_weight": 10.0}

PUBLISHED: dict[str, tuple[str, dict[str, object]]] = {
    "DQNPolicy": (NETWORKS["value"], {"discount_factor": 0.99, **TARGETS, "is_double": True}),
    "C51Policy": (
        NETWORKS["value"],
        {"discount_factor": 0.99, "num_atoms": 51, "v_min": -10.0, "v_max": 10.0, **TARGETS},
    ),
    "RainbowPolicy": (
        NETWORKS["value"],
        {"discount_factor": 0.99, "num_atoms": 51, "v_min": -10.0, "v_max": 10.0, **TARGETS},
    ),
    "QRDQNPolicy": (NETWORKS["value"], {"discount_factor": 0.99, "num_quantiles": 200, **TARGETS}),
    "IQNPolicy": (
        NETWORKS["value"],
        {"discount_factor": 0.99, "sample_size": 32, "online_sample_size": 8, "target_sample_size": 8, **TARGETS},
    ),
    "FQFPolicy": (
        f"{NETWORKS['value']} fraction_model fraction_optim",
        {"discount_factor": 0.99, "num_fractions": 32, "ent_coef": 0.0, **TARGETS},
    ),
    "PGPolicy": ("model optim dist_fn", {**RETURNS, **ACTING, "lr_scheduler": None, "deterministic_eval": False}),
    "NPGPolicy": (NETWORKS["actor-critic"], {**NATURAL, "actor_step_size": 0.5}),
    "A2CPolicy": (NETWORKS["actor-critic"], A2C),
    "TRPOPolicy": (NETWORKS["actor-critic"], {"max_kl": 0.01, "backtrack_coeff": 0.8, "max_backtracks": 10}),
    "PPOPolicy": (
        NETWORKS["actor-critic"],
        {
            "eps_clip": 0.2,
            "dual_clip": None,
            "value_clip": False,
            "advantage_normalization": True,
            "recompute_advantage": False,
        },
    ),
    "DDPGPolicy": (
        "actor actor_optim critic critic_optim",
        {**SOFT, "exploration_noise": 0.1, **RAW, **ACTING},
    ),
    "TD3Policy": (
        NETWORKS["twin"],
        {**SOFT, "exploration_noise": 0.1, "policy_noise": 0.2, "update_actor_freq": 2, "noise_clip": 0.5, **RAW},
    ),
    "SACPolicy": (
        NETWORKS["twin"],
        {**SOFT, "alpha": 0.2, **RAW, "exploration_noise": None, "deterministic_eval": True},
    ),
    "DiscreteSACPolicy": (NETWORKS["twin"], {**SOFT, "alpha": 0.2, **RAW}),
    "ImitationPolicy": ("model optim", {}),
    "BCQPolicy": (
        f"{NETWORKS['twin']} vae vae_optim",
        {
            "device": "cpu",
            "gamma": 0.99,
            "tau": 0.005,
            "lmbda": 0.75,
            "forward_sampled_times": 100,
            "num_sampled_action": 10,
        },
    ),
    "DiscreteBCQPolicy": (
        "model imitator optim",
        {
            "discount_factor": 0.99,
            "estimation_step": 1,
            "target_update_freq": 8000,
            "eval_eps": 0.001,
            "unlikely_action_threshold": 0.3,
            "imitation_logits_penalty": 0.01,
            "reward_normalization": False,
        },
    ),
    "DiscreteCQLPolicy": (
        NETWORKS["value"],
        {"discount_factor": 0.99, "num_quantiles": 200, **TARGETS, "min_q_weight": 10.0},
    ),
    "DiscreteCRRPolicy": (
        "actor critic optim",
        {"discount_factor": 0.99, **CRR, "target_update_freq": 0, "reward_normalization": False},
    ),
    "PSRLPolicy": (
        "trans_count_prior rew_mean_prior rew_std_prior",
        {"discount_factor": 0.99, "epsilon": 0.01, "add_done_loop": False},
    ),
}
"""Parameters without a default (`dist_fn` and optimizers may be None here), and those with one."""

PASSED_ON: dict[str, dict[str, object]] = {
    "NPGPolicy": A2C | RETURNS | ACTING | {"lr_scheduler": None, "deterministic_eval": False},
    "A2CPolicy": RETURNS | ACTING | {"lr_scheduler": None, "deterministic_eval": False},
    "TRPOPolicy": NATURAL | A2C | RETURNS | ACTING | {"lr_scheduler": None, "deterministic_eval": False},
    "PPOPolicy": A2C | RETURNS | ACTING | {"lr_scheduler": None, "deterministic_eval": False},
    "TD3Policy": ACTING,
    "SACPolicy": ACTING,
    "DiscreteSACPolicy": ACTING | {"deterministic_eval": True},
    "BCQPolicy": RAW,
}
"""What the manual's classes take by keyword and pass on to their base classes."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_parameters_stand_in_their_order_with_their_defaults(name):
    parameters = inspect.signature(getattr(agents, name)).parameters
    needed, defaults = PUBLISHED[name]
    assert list(parameters)[: len(needed.split()) + len(defaults)] == [*needed.split(), *defaults]
    spaces = {"action_space": None, "observation_space": None}
    for parameter, default in (defaults | PASSED_ON.get(name, {}) | spaces).items():
        assert parameters[parameter].default == default, parameter


@pytest.mark.parametrize("name", [name for name in agents.__all__ if name.endswith("Policy")])
def test_no_parameter_is_hidden(name):
    parameters = inspect.signature(getattr(agents, name)).parameters.values()
    assert all(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)
    assert all(parameter.annotation is not parameter.empty for parameter in parameters)
