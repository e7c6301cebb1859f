"""Every game on a GPU, where there is one: random games of it are those of the CPU, byte by byte."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from arena.env.native import GameVectorEnv
from games.engine.registry import GAMES, make_game
from tests.games.playing import random_actions

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")

BOARDS, LONGEST = 200, 1000


def same(host: np.ndarray, device: torch.Tensor) -> bool:
    return host.tobytes() == device.numpy(force=True).tobytes()


@pytest.mark.parametrize("name", GAMES.names())
def test_random_games_are_those_of_the_cpu(name):
    game = make_game(name)
    host, device = (GameVectorEnv(game, BOARDS, autoreset=True, device=where) for where in ("cpu", "cuda"))
    observations = [env.reset(seed=7)[0] for env in (host, device)]
    ended, rng = np.zeros(BOARDS, np.bool_), np.random.default_rng(1)
    for ply in range(LONGEST):
        for key in ("agent_id", "obs", "mask"):
            assert same(observations[0][key], observations[1][key]), f"{key} after {ply} plies"
        if ended.all():
            break
        actions = random_actions(host.mask, rng)
        (seen, *results), (shown, *theirs) = host.step(actions), device.step(torch.from_numpy(actions).cuda())
        for ours, other in zip(results[:3], theirs[:3], strict=True):
            assert same(ours, other), f"after {ply} plies"
        observations, ended = [seen, shown], ended | results[1][:, 0] | results[2][:, 0]
    assert host.state_dict() == device.state_dict()
    rows = np.arange(0, BOARDS, 3)
    for key, value in host.final_obs(rows).items():
        assert same(value, device.final_obs(rows)[key])
    assert same(host.joint_masks(rows), device.joint_masks(rows))
    assert host.positions(rows).tobytes() == device.positions(rows).tobytes()


def test_what_the_simulator_shows_holds_on_the_device():
    """In a process of its own: the simulator may be asked for in this one."""
    file = Path(__file__).with_name("simulated_games.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    done = subprocess.run(command, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "0"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
