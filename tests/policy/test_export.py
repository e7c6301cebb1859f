"""ONNX files of every algorithm's network: what they give is what the policy does."""

import numpy as np
import pytest
import torch

from agents.networks.discrete import Actor
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.data import Batch
from arena.env import GameVectorEnv
from arena.policy.checkpoint import SEATS, build_policy, save_policy
from arena.policy.export import export_onnx
from arena.policy.registration import Spaces
from arena.policy.registry import make_game
from arena.training.tasks import GymTask
from games.engine.trust import VARIABLE
from tests.env.hosted.worlds import MODULE, spec
from tests.training.small import ALGORITHMS, those, tiny

pytestmark = pytest.mark.full

onnxruntime = pytest.importorskip("onnxruntime")
ANY = ("on-policy", "off-policy", "offline")
DRAWING = ("pg", "a2c", "npg", "trpo")
"""Those that draw their actions in testing state too."""
ALIKE = ("a2c", "npg", "trpo")
"""Those whose network is made as that of `pg`."""
CERTAIN = ("ddpg", "td3", "sac", "imitation")
"""Those that draw nothing in testing state."""
WITHOUT = {"psrl": "FrozenLake-v1", "bcq": "Pendulum-v1"}

CONNECT_FOUR, PENDULUM = make_game("connect_four"), GymTask("Pendulum-v1")


def outputs(path, obs):
    return onnxruntime.InferenceSession(str(path)).run(None, {"obs": obs})[0]


def built(name, task):
    """A policy in testing state; with an actor, one as sure of itself as after a training."""
    torch.manual_seed(1)
    policy = ALGORITHMS[name].build(Spaces.of_task(task), tiny(ALGORITHMS[name]), False).eval()
    if isinstance(actor := dict(policy.named_children()).get("actor"), Actor):
        actor.last.model[-1].weight.data *= 100  # logits are not bounded
    return policy


def positions():
    """First positions of 40 games, with random actions legal."""
    obs, _ = GameVectorEnv(CONNECT_FOUR, 40).reset()
    obs.mask[:] = np.random.default_rng(0).random(obs.mask.shape) < 0.7
    obs.mask[:, 3] = True
    return obs


@pytest.mark.parametrize("name", [name for name in those(ANY, "discrete") if name not in (*ALIKE, *WITHOUT, "iqn")])
def test_the_best_legal_score_is_what_the_policy_does(name):
    policy, obs = built(name, CONNECT_FOUR), positions()
    with torch.no_grad():
        scores = policy.scores(torch.as_tensor(obs.obs, dtype=torch.float32)).numpy()
    answer = policy(Batch(obs=obs))
    likeliest = answer.probs.argmax(axis=1) if name in DRAWING else answer.act
    assert (likeliest == np.where(obs.mask, scores, -np.inf).argmax(axis=1)).all()


@pytest.mark.parametrize("name", ["rainbow", "iqn", "ppo"])  # noise and atoms, drawn fractions, an actor
def test_a_file_gives_the_scores(name, tmp_path):
    policy, obs = built(name, CONNECT_FOUR), positions().obs.astype(np.float32)
    save_policy(tmp_path / "saved", policy, name, CONNECT_FOUR, tiny(ALGORITHMS[name]))
    assert main(["export", f"{name}:{tmp_path / 'saved'}", "--out", str(tmp_path / "x.onnx")]) == 0
    scores = outputs(tmp_path / "x.onnx", obs)
    assert scores.shape == (40, 7)
    with torch.no_grad():
        np.testing.assert_allclose(scores, policy.scores(torch.as_tensor(obs)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", [name for name in those(ANY, "continuous") if name not in WITHOUT])
def test_the_decision_is_the_action_of_the_environment(name):
    policy = built(name, PENDULUM)
    obs = np.random.default_rng(0).normal(size=(30, 3)).astype(np.float32)
    with torch.no_grad():
        actions = policy.map_action(policy.scores(torch.as_tensor(obs)).numpy())
    assert actions.shape == (30, 1)
    assert (np.abs(actions) <= 2.0).all()
    if name in CERTAIN:
        assert np.abs(actions - policy.map_action(policy(Batch(obs=obs, info=Batch())).act)).max() <= 1e-5


@pytest.mark.parametrize("name", ["ppo", "sac", "imitation"])
def test_a_file_gives_actions_of_the_environment(name, tmp_path):
    policy = built(name, PENDULUM)
    assert export_onnx(policy, PENDULUM.spaces, tmp_path / "x.onnx") <= 1e-5
    obs = np.random.default_rng(0).normal(size=(30, 3)).astype(np.float32)
    with torch.no_grad():
        expected = policy.map_action(policy.scores(torch.as_tensor(obs)).numpy())
    assert np.abs(outputs(tmp_path / "x.onnx", obs) - expected).max() <= 1e-5


@pytest.mark.parametrize(("name", "env_id"), WITHOUT.items())
def test_what_no_network_decides_is_refused(name, env_id, tmp_path):
    task = GymTask(env_id)
    policy = ALGORITHMS[name].build(task.spaces, tiny(ALGORITHMS[name]), False)
    with pytest.raises(UsageError, match="does not choose actions by a single network"):
        export_onnx(policy, task.spaces, tmp_path / "x.onnx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ppo", "--out", "x.onnx"], "'ppo' is not a trained agent"),
        (["random:x", "--out", "x.onnx"], "'random' plays but does not learn"),
        (["ppo:none", "--out", "x.onnx"], "no checkpoint at none"),
        (["ppo:none", "--out", "nowhere/x.onnx"], "nowhere is not a folder to write x.onnx into"),
    ],
)
def test_bad_words(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["export", *words]) == 2
    assert message in capsys.readouterr().err


def test_one_of_several_networks_is_written_in_shapes_of_its_own(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, MODULE)
    game, name = make_game(spec("unlike")), "ppo"
    policy = build_policy(ALGORITHMS[name], game, tiny(ALGORITHMS[name]), False, "groups").eval()
    save_policy(tmp_path / "saved", policy, name, game, tiny(ALGORITHMS[name]), {SEATS: "groups"})
    command = ["export", f"{name}:{tmp_path / 'saved'}", "--out", str(tmp_path / "x.onnx")]
    for of, said in (([], "--of NAME: pilot, navigator, clerk"), (["--of", "clark"], "did you mean 'clerk'?")):
        assert main([*command, *of]) == 2
        assert said in capsys.readouterr().err
    assert main([*command, "--of", "pilot"]) == 0
    pictures = np.random.default_rng(0).integers(0, 256, (5, 6, 6, 3)).astype(np.float32)
    pilot = policy.policies[0]
    expected = pilot.map_action(pilot(Batch(obs=Batch(obs=pictures))).act)
    np.testing.assert_allclose(outputs(tmp_path / "x.onnx", pictures), expected, rtol=1e-4, atol=1e-4)
    assert main([*command, "--of", "clerk"]) == 0
    assert outputs(tmp_path / "x.onnx", np.eye(7, dtype=np.float32)).shape == (7, 6)
