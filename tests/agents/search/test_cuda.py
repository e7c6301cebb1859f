"""Searches of several threads with a network on a GPU, where there is one: its graphs answer as the network does."""

import numpy as np
import pytest
import torch

from agents.algorithms.alphazero import build
from agents.configs.search import AlphaZeroConfig
from agents.guided.device_network import FEWEST_POSITIONS, DeviceNetwork
from agents.guided.puct import network_of
from arena.data import Batch
from arena.env.native import GameVectorEnv
from arena.policy.registration import Spaces
from games.engine.registry import make_game

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
GAME = make_game("connect_four")


def test_graphs_answer_as_the_network_does_also_after_it_has_learned():
    policy = build(Spaces.of_game(GAME), AlphaZeroConfig(blocks=1, channels=8, hidden=16), True).to("cuda")
    graphs, rng = DeviceNetwork(), np.random.default_rng(0)
    for _ in range(2):
        addresses = [parameter.data_ptr() for parameter in policy.parameters()]
        network = graphs.prepare(policy, addresses, GAME, 2 * FEWEST_POSITIONS, 2)
        for count in (1, FEWEST_POSITIONS):
            obs = rng.integers(0, 2, (count, 6, 7, 2)).astype(np.int8)
            for ours, theirs in zip(network(obs, None), network_of(policy, obs, None), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3)
        with torch.no_grad():
            for parameter in policy.parameters():
                parameter.add_(torch.randn_like(parameter), alpha=0.1)


def test_self_play_of_many_boards_searches_them_all():
    boards = 4 * FEWEST_POSITIONS
    config = AlphaZeroConfig(blocks=1, channels=8, hidden=16, simulations=8, quick_simulations=8)
    policy = build(Spaces.of_game(GAME), config, True).to("cuda").train()
    env = GameVectorEnv(GAME, boards)
    observation, state = env.reset(seed=0)[0], None
    for _ in range(3):
        answer = policy(Batch(obs=Batch(observation, state=env.positions()), info=Batch()), state)
        np.testing.assert_allclose(answer.probs.sum(axis=1), 1)
        observation, state = env.step(answer.act)[0], answer.state
    assert policy.searched >= 3 * 8 * boards * 0.9
