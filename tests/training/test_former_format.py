"""Runs and snapshots that were written when options had other names."""

import json
from pathlib import Path

import pytest

from arena.policy.checkpoint import load_policy, weights_to_bytes
from arena.policy.former_names import FORMER_NAMES
from games.engine.registry import make_game
from tests.training.small import ALGORITHMS, CutError, self_play

FORMER = {new: old for old, names in FORMER_NAMES.items() for new in names}
LATER = "dual_clip", "value_clip", "recompute_advantage", "max_batchsize", "advantage_normalization"
"""Options that PPO did not have in files of format 1."""


def made_older(folder: Path) -> None:
    """Rewrite all descriptions of a run of PPO as format 1 had them."""
    for file in [folder / "run.json", *folder.glob("snapshot-*/config.json")]:
        written = json.loads(file.read_text())
        written["config"] = {FORMER.get(k, k): v for k, v in written["config"].items() if k not in LATER}
        written |= {"format": 1} if "format" in written else {}
        file.write_text(json.dumps(written))
        assert {"clip_ratio", "discount", "value_weight", "entropy_weight"} < written["config"].keys()


@pytest.fixture
def stopped(tmp_path):
    """A run of format 1 that was stopped after its second snapshot, and one that was not stopped."""
    self_play("ppo", tmp_path / "whole").train()

    def cut(progress):
        if progress.snapshots == 2:
            raise CutError

    with pytest.raises(CutError):
        self_play("ppo", tmp_path / "old").train(cut)
    made_older(tmp_path / "old")
    return tmp_path


def test_a_run_of_format_1_is_resumed_to_the_bit_and_its_snapshots_play(stopped):
    self_play("ppo", stopped / "old", resume=True).train()
    files = [stopped / run / "snapshot-0003" / "weights.safetensors" for run in ("whole", "old")]
    assert files[0].read_bytes() == files[1].read_bytes()
    game, algorithm = make_game("tic_tac_toe"), ALGORITHMS["ppo"]
    second = [load_policy("ppo", algorithm, game, str(stopped / run / "snapshot-0002")) for run in ("whole", "old")]
    assert weights_to_bytes(second[0]) == weights_to_bytes(second[1])
    assert json.loads((stopped / "old" / "run.json").read_text())["config"]["eps_clip"] == 0.2
