"""Members as opponents: loaded when needed, let go of, and never other than they were."""

import gc
import weakref
from dataclasses import replace

import pytest
import torch

from arena.base.errors import CheckpointError
from arena.policy.base import BasePolicy
from arena.policy.checkpoint import build_policy, save_policy
from arena.policy.registry import learning_algorithm, make_game
from arena.training.league.config import LeagueConfig
from arena.training.league.pool import Pool
from arena.training.league.records import Member
from tests.training.league.small import CONFIGS, training

GAME = make_game("tic_tac_toe")


@pytest.fixture
def members(tmp_path) -> list[Member]:
    found = []
    for number in range(1, 6):
        torch.manual_seed(number)
        policy = build_policy(learning_algorithm("ppo"), GAME, CONFIGS["ppo"], False)
        sha = save_policy(tmp_path / f"snapshot-{number}", policy, "ppo", GAME, CONFIGS["ppo"])
        found.append(Member(f"main-{number}", "main", "main", number, 0, None, f"snapshot-{number}", sha))
    return found


def pool(folder, cache_size: int = 2) -> Pool:
    return Pool(GAME, "ppo", folder, torch.device("cpu"), cache_size)


def test_those_needed_last_are_kept(members, tmp_path):
    made = pool(tmp_path)
    first, second = made.load(members[0]), made.load(members[1])
    assert made.load(members[0]) is first
    made.load(members[2])
    assert made.load(members[0]) is first
    assert made.load(members[1]) is not second, "it was the one that had not been needed for longest"
    assert first.training, "they move as they did in training"
    assert first.optim is None


def test_members_share_no_memory(members, tmp_path):
    made = pool(tmp_path)
    first, second = made.load(members[0]), made.load(members[1])
    assert not {p.data_ptr() for p in first.parameters()} & {p.data_ptr() for p in second.parameters()}


def test_a_member_that_was_changed_is_refused(members, tmp_path):
    weights = tmp_path / "snapshot-1" / "weights.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    with pytest.raises(CheckpointError, match="its hash differs"):
        pool(tmp_path).load(members[0])


def test_a_member_that_is_another_one_is_refused(members, tmp_path):
    with pytest.raises(CheckpointError, match="snapshot-2 has changed since it joined the league"):
        pool(tmp_path).load(replace(members[0], folder="snapshot-2"))
    with pytest.raises(CheckpointError, match="no checkpoint at"):
        pool(tmp_path).load(replace(members[0], folder="snapshot-9"))


@pytest.mark.full
def test_living_policies_stay_few_however_many_snapshots_there_are(tmp_path, monkeypatch):
    living: weakref.WeakSet[BasePolicy] = weakref.WeakSet()
    read = Pool._read

    def noted(self, member):
        living.add(policy := read(self, member))
        return policy

    monkeypatch.setattr(Pool, "_read", noted)
    monkeypatch.setattr(Pool.__init__, "__defaults__", (3,))
    league = LeagueConfig(self_play=0.3, pool=0.7, matchmaker="pfsp", pfsp_weighting="linear", opponents=2)
    most = []
    run = training("ppo", tmp_path / "run", league, steps=24 * 512, snapshots=24, evaluation=())
    run.train(lambda progress: most.append(len(living)))
    gc.collect()
    assert len(run.league.members) == 24
    assert len(run.league.training.table["main"]) > 10, "many have been met"
    assert max(most) <= 3 + 2 * 2 + 2, "those kept, those at the tables, and those that were just let go of"
