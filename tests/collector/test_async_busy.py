"""`AsyncCollector` and slow environments: who is asked when; nothing is stored twice, and nothing is lost."""

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.env import ShmemVectorEnv, SubprocVectorEnv, WorkerError
from tests.collector.slow import WAIT, Sleeper, rings, slow
from tests.env.troubled import RAISE

pytestmark = [pytest.mark.full, pytest.mark.parametrize("kind", [SubprocVectorEnv, ShmemVectorEnv])]


def test_who_is_busy_is_not_asked_and_the_others_do_not_wait(opened, kind, tmp_path):
    policy = Sleeper(0, WAIT, 0)
    collector = slow(opened, kind, policy, wait_num=2, gates=tmp_path)
    assert collector.collect(n_step=6).n_collected_steps == 6
    assert policy.asked == [[0, 1, 2], [0, 2], [0, 2]]
    (tmp_path / "1").touch()
    collector.collect(n_step=6)
    assert sorted(policy.asked[3]) == [0, 2], "its result comes with the next step"


@pytest.mark.parametrize("parts", [{"wait_num": 2}, {"timeout": 0.01}, {"wait_num": 4, "timeout": 0.01}])
def test_nothing_is_stored_twice_or_lost(opened, kind, parts):
    """Environments number their steps, and show the action that brought them where they are."""
    policy = Sleeper(0, 40, 0, 15)
    collector = slow(opened, kind, policy, **parts)
    stats = [collector.collect(n_step=7) for _ in range(5)]
    assert all(7 <= one.n_collected_steps <= 10 for one in stats)
    stored = rings(collector)
    assert sum(map(len, stored)) == sum(one.n_collected_steps for one in stats) == collector.collect_step
    for number, ring in enumerate(stored):
        steps = np.arange(len(ring))
        assert ring.obs[:, :2].tolist() == [[number, step] for step in steps]
        assert ring.obs_next.tolist() == [[number, step + 1, policy.pace[number]] for step in steps]
        assert ring.rew.tolist() == (steps + 1.0).tolist()
        assert ring.act.tolist() == [policy.pace[number]] * len(ring)
        asked = [call for call, ids in enumerate(policy.asked, start=1) if number in ids]
        assert ring.policy.asked.tolist() == asked[: len(ring)], "what was chosen when it was asked"
        assert len(asked) - len(ring) in (0, 1), "one step at most is under way"


def test_a_step_under_way_belongs_to_the_next_collection(opened, kind, tmp_path):
    policy = Sleeper(0, WAIT)
    collector = slow(opened, kind, policy, wait_num=1, length=2, gates=tmp_path)
    assert collector.collect(n_step=1).n_collected_steps == 1
    assert [len(ring) for ring in rings(collector)] == [1, 0]
    (tmp_path / "1").touch()
    stats = collector.collect(n_episode=2)
    assert stats.lens.tolist() == [2, 2]
    assert rings(collector)[1].obs_next.tolist() == [[1, 1, WAIT], [1, 2, WAIT]]
    assert sum(1 in asked for asked in policy.asked) == 2, "it was asked once in each collection"


def test_a_reset_drops_what_is_under_way_and_says_so(opened, kind, tmp_path):
    collector = slow(opened, kind, Sleeper(0, WAIT), wait_num=1, length=2, gates=tmp_path)
    assert collector.collect(n_step=1).n_dropped_steps == 0
    (tmp_path / "1").touch()  # a reset waits for the step
    collector.policy.pace[:] = 0
    stats = collector.collect(n_episode=2, reset_before_collect=True)
    assert (stats.n_dropped_steps, stats.lens.tolist()) == (1, [2, 2])
    assert rings(collector)[1].obs_next.tolist() == [[1, 1, 0], [1, 2, 0]], "the dropped step is nowhere"
    assert collector.collect(n_episode=2).n_dropped_steps == 0


def test_an_episode_that_ends_beside_those_asked_for_is_told_too(opened, kind, tmp_path):
    """Environment 1 ends its episode while environment 0 plays the one that is wanted."""

    def after(**given):
        if 1 in given["env_id"]:
            (tmp_path / "0").touch()

    policy = Sleeper(0, WAIT)
    collector = slow(opened, kind, policy, wait_num=1, length=1, gates=tmp_path)
    collector.collect(n_step=1)
    (tmp_path / "1").touch()
    collector.preprocess_fn = after
    policy.pace[0] = WAIT
    stats = collector.collect(n_episode=1)
    assert stats.lens.tolist() == [1, 1]
    assert policy.asked == [[0, 1], [0]]


def test_rendering_waits_for_who_is_busy_and_loses_nothing(opened, kind, capsys):
    collector = slow(opened, kind, Sleeper(0, 20), wait_num=1)
    steps = collector.collect(n_step=2, render=0.0).n_collected_steps
    assert capsys.readouterr().out.splitlines()[:2] == ["0 at 1", "1 at 1"]
    while not len(rings(collector)[1]):
        steps += collector.collect(n_step=1).n_collected_steps
    assert rings(collector)[1].obs_next.tolist()[0] == [1, 1, 20]
    assert sum(map(len, rings(collector))) == steps


def test_after_a_failure_it_goes_on_from_a_reset(opened, kind):
    policy = Sleeper(0, RAISE, 0)
    collector = slow(opened, kind, policy, wait_num=2)
    with pytest.raises(WorkerError, match="no such square"):
        collector.collect(n_step=1000)
    policy.pace[:] = 0
    with pytest.raises(UsageError, match=r"an environment has failed: reset_env\(\)"):
        collector.collect(n_step=3)
    collector.reset()
    collector.collect(n_step=12)
    assert [ring.obs[:, 1].tolist() for ring in rings(collector)] == [[*range(len(r))] for r in rings(collector)]
