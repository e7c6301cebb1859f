"""Gradient steps that can be CUDA graphs: they read nothing back, and with a GPU graphs learn what steps learn."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from agents.algorithms import a2c, ppo
from agents.configs.on_policy import A2CConfig, PPOConfig
from agents.learning import captured
from arena.data import Batch
from arena.policy.registration import Spaces
from games.engine.registry import make_game

GAME = make_game("connect_four")
PPO = PPOConfig(hidden=16, max_grad_norm=0.5)
WAITING = "_local_scalar_dense", "is_nonzero", "nonzero", "masked_select", "unique"
"""Operators for whose results Python has to wait."""
on_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")


class WithoutWaiting(TorchDispatchMode):
    """Fails at operators for whose results Python has to wait."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert not any(name in func.name() for name in WAITING), func
        return func(*args, **(kwargs or {}))


def collected(rows: int) -> Batch:
    rng = np.random.default_rng(0)
    obs = rng.integers(0, 2, (rows, *GAME.observation_shape)).astype(GAME.observation_dtype)
    batch = Batch(obs=Batch(obs=obs, mask=np.ones((rows, 7), bool)), act=rng.integers(0, 7, rows))
    batch.logp_old, batch.adv = rng.normal(-2.0, 0.1, rows), rng.normal(size=rows)
    batch.returns, batch.v_s = rng.normal(size=rows), rng.normal(size=rows)
    return batch


def policy_of(config, device: str):
    torch.manual_seed(0)
    build = ppo.build if isinstance(config, PPOConfig) else a2c.build
    policy = build(Spaces.of_game(GAME), config, True).to(device)
    policy.reset(0)
    return policy


@pytest.mark.parametrize(
    "config", [PPO, replace(PPO, dual_clip=3.0, value_clip=True), replace(PPO, half=True), A2CConfig(hidden=16)]
)
def test_a_step_waits_for_nothing(config):
    policy = policy_of(config, "cpu")
    batch = collected(8)
    policy.learn(batch, 8, 1)  # the optimizer makes its state
    part = {
        "obs": torch.as_tensor(batch.obs.obs),
        "mask": torch.as_tensor(batch.obs.mask),
        "act": torch.as_tensor(batch.act),
        **{key: torch.as_tensor(batch[key]).float() for key in ppo.KEYS},
    }
    before = [parameter.detach().clone() for parameter in policy.parameters()]
    with WithoutWaiting():
        figures = policy._step(part)
    assert all(figure.dtype == torch.float32 and not figure.requires_grad for figure in figures.values())
    assert not all(map(torch.equal, before, policy.parameters()))


def test_operators_that_wait_are_found():
    with WithoutWaiting(), pytest.raises(AssertionError):
        torch.ones(1).item()


@on_gpu
@pytest.mark.parametrize("config", [PPO, replace(PPO, half=True), A2CConfig(hidden=16)])
def test_graphs_learn_what_steps_learn(config, monkeypatch):
    learned = []
    for fewest in (captured.FEWEST, 10**9):
        monkeypatch.setattr(captured, "FEWEST", fewest)
        policy = policy_of(config, "cuda")
        # parts of 64 rows and one of 63, twice with different sizes and rates
        figures = [policy.learn(collected(rows), 64, 2) for rows in (20 * 64 - 1, 16 * 64 - 1)]
        learned.append(([tensor.cpu() for tensor in policy.parameters()], figures))
    (graphs, of_graphs), (steps, of_steps) = learned
    for one, other in zip(graphs, steps, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)
    for one, other in zip(of_graphs, of_steps, strict=True):
        assert one.keys() == other.keys()
        for name, values in one.items():
            np.testing.assert_allclose(values, other[name], rtol=2e-2, atol=2e-2, err_msg=name)


@on_gpu
def test_a_network_that_reads_numbers_back_learns_without_a_graph():
    policy, read = policy_of(PPO, "cuda"), []
    policy.actor.last.register_forward_hook(lambda layer, given, scores: read.append(scores.sum().item()))
    before = [parameter.detach().clone() for parameter in policy.parameters()]
    figures = policy.learn(collected(20 * 64), 64, 2)
    assert len(figures["loss"]) == len(read) == 40
    assert not all(map(torch.equal, before, policy.parameters()))
