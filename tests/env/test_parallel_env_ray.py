"""`ParallelEnv` in Ray's actors, and in processes below them, does what it does in this process."""

import threading

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.env import ParallelEnv, WorkerError
from arena.env.parallel_backend import gpu_share
from tests.env.lives import Life
from tests.env.test_backends_agree import equal
from tests.env.test_processes import gone
from tests.env.troubled import RAISE, Troubled

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("ray_cluster")]
SLOW = pytest.mark.slow("starts actors; in one process and in several the modes are tested elsewhere")


@pytest.mark.parametrize(
    ("para_mode", "asynchronous"),
    [
        ("ray", "restart"),
        ("ray-subproc", "continue"),
        *(pytest.param(*modes, marks=SLOW) for modes in [("ray", None), ("ray-subproc", "idle")]),
    ],
)
def test_every_mode_gives_the_same_as_in_this_process(para_mode, asynchronous):
    ours = ParallelEnv([Life(7, 3), Life(8, 5)], para_mode, asynchronous, num_cpus=1)
    expected = ParallelEnv([Life(7, 3), Life(8, 5)], "dummy", asynchronous)
    rng = np.random.default_rng(5)
    assert ours.seed(3) == expected.seed(3)
    assert equal(ours.reset(), expected.reset())
    for _ in range(8):
        actions = rng.integers(0, 3, 2)
        assert equal(ours.step(actions), expected.step(actions))
    assert (ours.has_done(), ours.all_done()) == (expected.has_done(), expected.all_done())
    assert ours.rollout() == expected.rollout()
    ours.set_env_attr("wish", 7, id=1)
    assert ours.get_env_attr("wish") == [None, 7]
    assert ours.customized_method("add", [{"x": 5}], id=1) == [13]
    pids = ours.customized_method("pid")
    assert len(set(pids)) == (1 if para_mode == "ray" else 2)
    ours.close()
    ours.close()
    assert ours.is_closed
    assert gone(pids)


def test_one_that_raises_loses_nothing_of_the_others():
    env = ParallelEnv([Troubled(number) for number in range(3)], "ray", "idle")
    assert len({info["pid"] for info in env.reset()[1]}) == 2  # an actor for each core of the cluster
    with pytest.raises(WorkerError, match="no such square"):
        env.step([0, RAISE, 0])
    assert env.step(None)[0].tolist() == [[0, 1, 0], [2, 1, 0]]
    env.close()


@pytest.mark.parametrize(
    ("num_gpus", "actors", "share"), [(0, 3, 0), (1, 1, 1), (1, 4, 0.25), (2, 3, 0.5), (3, 2, 1), (8, 2, 4)]
)
def test_gpus_are_shared_evenly(num_gpus, actors, share):
    assert gpu_share(num_gpus, actors) == share


def test_as_many_gpus_as_there_are():
    with pytest.raises(UsageError, match="Ray cluster has 0 GPU"):
        ParallelEnv([Troubled()], "ray", num_gpus=1)


def test_environments_that_cannot_be_sent_are_named():
    held = Life(1, 3)
    held.lock = threading.Lock()
    with pytest.raises(UsageError, match=r"para_mode 'ray' sends environments away, and envs\[1\] cannot be"):
        ParallelEnv([Life(0, 3), held], "ray")
