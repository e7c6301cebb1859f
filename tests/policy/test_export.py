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
from arena.runs.tasks import GymTask
from games.engine.trust import VARIABLE
from tests.env.hosted.worlds import MODULE, spec
from tests.runs.small import ALGORITHMS, those, tiny

pytestmark = pytest.mark.full

onnxruntime = pytest.importorskip("onnxruntime")
ANY = ("on-policy", "off-policy", "offline")
DRAWING = ("pg", "a2c", "npg", "trpo")
"""Those that draw their actions in testing state too."""
ALIKE = ("a2c", "npg", "trpo")
"""Those whose network is made as that of `pg`."""
WITHOUT = {"psrl": "FrozenLake-v1", "bcq": "Pendulum-v1"}


def outputs(path, obs):
    return onnxruntime.InferenceSession(str(path)).run(None, {"obs": obs})[0]


@pytest.mark.parametrize("name", [name for name in those(ANY, "discrete") if name not in (*ALIKE, *WITHOUT)])
def test_games(name, tmp_path):
    game, config = make_game("connect_four"), tiny(ALGORITHMS[name])
    torch.manual_seed(1)
    policy = ALGORITHMS[name].build(Spaces.of_game(game), config, False).eval()
    if isinstance(actor := dict(policy.named_children()).get("actor"), Actor):
        actor.last.model[-1].weight.data *= 100  # as sure of itself as after a training: logits are not bounded
    save_policy(tmp_path / "saved", policy, name, game, config)
    assert main(["export", f"{name}:{tmp_path / 'saved'}", "--out", str(tmp_path / "x.onnx")]) == 0
    obs, _ = GameVectorEnv(game, 40).reset()
    obs.mask[:] = np.random.default_rng(0).random(obs.mask.shape) < 0.7
    obs.mask[:, 3] = True
    scores = outputs(tmp_path / "x.onnx", obs.obs.astype(np.float32))
    chosen = np.where(obs.mask, scores, -np.inf).argmax(axis=1)
    if name == "iqn":  # which draws its fractions
        return
    answer = policy(Batch(obs=obs))
    likeliest = answer.probs.argmax(axis=1) if name in DRAWING else answer.act
    assert (likeliest == chosen).all()


@pytest.mark.parametrize("name", [name for name in those(ANY, "continuous") if name not in WITHOUT])
def test_continuous_actions_are_the_environments(name, tmp_path):
    task = GymTask("Pendulum-v1")
    policy = ALGORITHMS[name].build(task.spaces, tiny(ALGORITHMS[name]), False).eval()
    assert export_onnx(policy, task.spaces, tmp_path / "x.onnx") <= 1e-5
    obs = np.random.default_rng(0).normal(size=(30, 3)).astype(np.float32)
    actions = outputs(tmp_path / "x.onnx", obs)
    assert actions.shape == (30, 1)
    assert (np.abs(actions) <= 2.0).all()
    if name in ("ddpg", "td3", "sac", "imitation"):
        expected = policy.map_action(policy(Batch(obs=obs, info=Batch())).act)
        assert np.abs(actions - expected).max() <= 1e-5


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
