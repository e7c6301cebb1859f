"""AlphaZero: learns in every open game of two, chance or not, and goes on exactly where it was stopped."""

import numpy as np
import pytest
import torch
from torch.nn.modules.module import register_module_forward_pre_hook

from agents.algorithms.alphazero import build
from agents.configs.search import AlphaZeroConfig
from agents.guided.guided import GuidedSearch
from agents.learning.fused_linear import FusedLinear
from agents.learning.precision import HalfActorCritic, half_precision, has_bfloat16
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.env import GameVectorEnv
from arena.policy.registration import Spaces
from arena.policy.registry import make_game
from arena.training.league.config import RunConfig
from arena.training.league.self_play import SelfPlayTraining

pytestmark = pytest.mark.full

SMALLER = {
    "breakthrough": {"rows": 5, "columns": 4},
    "go": {"size": 3},
    "hex": {"size": 4},
    "kalah": {"houses": 3, "seeds": 2},
    "pig": {"target": 20},
    "chess": {},
    "tic_tac_toe": {"m": 4, "players": 3},
}
"""Games by what is special in them, with options that make them short.

A board longer than wide, passes and boards of before, a swap, several moves in a row, chance, the largest record and
thousands of actions, and three seats. Others are trained in the tests below.
"""


def config(**options):
    small = {"simulations": 4, "quick_simulations": 2, "play_simulations": 4, "blocks": 0, "hidden": 16}
    small |= {"batch_size": 16, "update_per_step": 0.125, "buffer_size": 512}
    return AlphaZeroConfig(**(small | options))


def training(game, folder, steps, snapshots, resume=False, openings=0, **options):
    settings = {"boards": 8, "threads": 1, "evaluation": (), "seed": 3, "openings": openings}
    run = RunConfig(out=folder, steps=steps, snapshots=snapshots, resume=resume, **settings)
    return SelfPlayTraining(game, "alphazero", config(**options), run)


class Stopped(Exception):
    """Raised in the middle of a training."""


def stop_in_the_middle(run):
    def stop(progress):
        if progress.step > 350:
            raise Stopped

    with pytest.raises(Stopped):
        run.train(stop)


@pytest.mark.parametrize("name", sorted(SMALLER))
def test_it_trains_in_games_of_every_kind(name, tmp_path):
    game = make_game(name, **SMALLER[name])
    considered = 4 if name in ("pig", "go", "kalah") else 0
    run = training(game, tmp_path / "run", 240, 1, considered=considered, full_share=0.5)
    before = {key: weight.clone() for key, weight in run.policy.state_dict().items()}
    told = []
    run.train(told.append)
    assert any(not torch.equal(weight, before[key]) for key, weight in run.policy.state_dict().items())
    assert all(torch.isfinite(weight).all() for weight in run.policy.state_dict().values())
    assert told[-1].simulations >= 240
    assert told[-1].losses["loss"] == pytest.approx(
        told[-1].losses["loss/policy"] + told[-1].losses["loss/value"], rel=1e-4
    )


def test_it_goes_on_exactly_where_it_was_stopped(tmp_path):
    """Trees of the moves before are no part of what is saved: they are forgotten at every snapshot."""
    game = make_game("tic_tac_toe")
    whole = training(game, tmp_path / "whole", 480, 3, openings=4, full_share=0.5)
    whole.train()

    stop_in_the_middle(training(game, tmp_path / "part", 480, 3, openings=4, full_share=0.5))
    rest = training(game, tmp_path / "part", 480, 3, resume=True, openings=4, full_share=0.5)
    assert rest.progress().step > 0
    rest.train()
    for name, weight in whole.policy.state_dict().items():
        assert torch.equal(weight, rest.policy.state_dict()[name]), name


def test_the_window_holds_the_newest_moves_alone(tmp_path):
    run = training(make_game("tic_tac_toe"), tmp_path / "run", 800, 1, buffer_size=160)
    run.train()
    assert run.learners[0].collector.buffer.maxsize == 160
    assert len(run.learners[0].collector.buffer) <= 160


def test_openings_are_drawn_by_visits_and_the_best_is_played_afterwards():
    game = make_game("tic_tac_toe")
    policy = build(Spaces.of_game(game), config(simulations=40, opening_moves=2), True)
    policy.reset(0)

    env = GameVectorEnv(game, 200)
    env.reset(seed=0)
    seen = Batch(env.observations(), state=env.positions())
    early = policy.forward(Batch(obs=seen))
    later = policy.forward(Batch(obs=seen), Batch(moves=np.full(200, 2), tree=np.zeros(200, np.int64)))
    assert (early.act != early.probs.argmax(axis=1)).mean() > 0.2
    assert (later.act == later.probs.argmax(axis=1)).all()
    assert early.state.moves.tolist() == [1] * 200


def test_values_are_learned_from_games_that_have_ended(tmp_path):
    """Each seat's row has the result of its game; where the game goes on, there is nothing to learn of it yet."""
    run = training(make_game("tic_tac_toe"), tmp_path / "run", 60, 1)
    run.train()
    buffer = run.learners[0].collector.buffer
    batch, indices = buffer.sample(0)
    batch = run.policy.process_fn(batch, buffer, indices)
    results = batch.returns[:, 0].numpy()
    last = indices
    for _ in range(9):
        last = buffer.next(last)
    assert (batch.ended == buffer.terminated[last]).all()
    assert (results[batch.ended] == buffer.rew[last][batch.ended]).all()
    assert not results[~batch.ended].any()
    assert set(results[batch.ended].tolist()) >= {-1.0, 1.0}
    assert 0 < batch.ended.sum() < len(indices)
    losses = run.policy.learn(batch)
    assert losses["loss/value"] > 0
    batch.ended[:] = False
    assert run.policy.learn(batch)["loss/value"] == 0


def test_of_three_seats_the_results_of_all_are_learned(tmp_path):
    """Each row has the results of its own game, from its own seat on; they are those of the games' last moves."""
    run = training(make_game("tic_tac_toe", m=4, players=3), tmp_path / "run", 400, 1)
    run.train()
    buffer = run.learners[0].collector.buffer
    batch, indices = buffer.sample(0)
    batch = run.policy.process_fn(batch, buffer, indices)
    assert batch.returns.shape == (len(indices), 3)
    results, seats = batch.returns.numpy()[batch.ended], batch.obs.agent_id[batch.ended]
    assert np.abs(results.sum(axis=1)).max() < 1e-6
    assert {tuple(row) for row in results.tolist()} >= {(1.0, -0.5, -0.5), (-0.5, 1.0, -0.5), (-0.5, -0.5, 1.0)}
    last = indices[batch.ended]
    for _ in range(4):
        last = buffer.next(last)
    assert (results[:, 0] == buffer.rew[last]).all()
    assert (results == buffer.info.rewards[last]).all()
    shown = batch.obs.obs[batch.ended].sum(axis=(1, 2))  # marks by seat, its own first
    assert (shown[:, 0] == shown.min(axis=1)).all()
    assert set(seats.tolist()) == {0, 1, 2}
    assert run.policy.learn(batch)["loss/value"] > 0


def test_three_seats_go_on_exactly_where_they_were_stopped(tmp_path):
    game = make_game("tic_tac_toe", m=4, players=3)
    whole = training(game, tmp_path / "whole", 480, 3)
    whole.train()
    stop_in_the_middle(training(game, tmp_path / "part", 480, 3))
    rest = training(game, tmp_path / "part", 480, 3, resume=True)
    rest.train()
    for name, weight in whole.policy.state_dict().items():
        assert torch.equal(weight, rest.policy.state_dict()[name]), name


def test_what_it_cannot_play_is_refused():
    for name in ("kuhn_poker", "rock_paper_scissors", "tron"):
        with pytest.raises(UsageError, match="guided search plays games of perfect information"):
            GuidedSearch(make_game(name), 10)
    with pytest.raises(UsageError, match="full_share"):
        config(full_share=0.0)
    with pytest.raises(UsageError, match="simulations=0"):
        config(simulations=0)


def test_half_precision_is_for_training_alone():
    """Play is the same on every processor."""
    game = make_game("connect_four")
    policies = []
    for half in (True, False):
        torch.manual_seed(0)
        policies.append(build(Spaces.of_game(game), config(blocks=1, half=half), True))
    env = GameVectorEnv(game, 4)
    env.reset(seed=0)
    seen = Batch(env.observations(), state=env.positions())
    answers = {}
    for training in (True, False):
        for half, policy in zip((True, False), policies, strict=True):
            policy.train(training)
            policy.reset(1)
            answers[training, half] = policy.forward(Batch(obs=seen))
    assert (answers[False, True].value == answers[False, False].value).all()
    np.testing.assert_allclose(answers[True, True].value, answers[True, False].value, atol=0.05)
    same = (answers[True, True].value == answers[True, False].value).all()
    assert same != has_bfloat16(torch.device("cpu"))


@pytest.mark.skipif(not has_bfloat16(torch.device("cpu")), reason="this processor has no bfloat16")
@pytest.mark.parametrize("blocks", [0, 1])
def test_a_copy_in_half_precision_evaluates_as_the_networks_do_after_every_step(blocks):
    game = make_game("connect_four")
    policy = build(Spaces.of_game(game), config(blocks=blocks), True)
    half = HalfActorCritic(policy.actor, policy.critic)
    obs = torch.as_tensor(np.random.default_rng(0).integers(0, 2, (5, 6, 7, 2)), dtype=torch.int8)
    for _ in range(2):
        half.refresh()
        with half_precision(policy.device):
            wanted = policy.logits_and_values(obs)
        for one, other in zip(half.logits_and_values(obs), wanted, strict=True):
            assert torch.equal(one, other)
        logits, values = policy.logits_and_values(obs)
        (logits.sum() + values.sum()).backward()
        policy.optim.step()


@pytest.mark.skipif(not has_bfloat16(torch.device("cpu")), reason="this processor has no bfloat16")
def test_layers_in_half_precision_are_compiled_for_few_numbers_of_rows():
    policy = build(Spaces.of_game(make_game("connect_four")), config(), True)
    half, met = HalfActorCritic(policy.actor, policy.critic), set()

    def meet(module, inputs):
        if isinstance(module, FusedLinear):
            met.add(len(inputs[0]))

    with register_module_forward_pre_hook(meet):
        for rows in range(1, 97):
            logits, values = half.logits_and_values(torch.zeros(rows, 6, 7, 2, dtype=torch.int8))
            assert (logits.shape, values.shape) == ((rows, 7), (rows,))
    assert met == {32, 64, 96}
