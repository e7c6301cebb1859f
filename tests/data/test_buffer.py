"""`ReplayBuffer`: the worked examples of the Tianshou manual (sections 1.2.2 and 1.8.2), and what stands by them."""

import pickle

import numpy as np
import pytest
import torch

from arena.base.errors import UsageError
from arena.data import Batch, ReplayBuffer


def filled(size: int, length: int, period: int, **options) -> ReplayBuffer:
    """Transitions 0, 1, ...: number i shows i, leads to i + 1 and earns i; every `period`-th ends its episode."""
    buffer = ReplayBuffer(size, **options)
    for i in range(length):
        buffer.add(Batch(obs=i, act=i, rew=i, done=i % period == 0, obs_next=i + 1, info={}))
    return buffer


def test_the_manual_adds_and_counts():
    buf = ReplayBuffer(size=20)
    for i in range(3):
        buf.add(Batch(obs=i, act=i, rew=i, done=0, obs_next=i + 1, info={}))
    assert buf.obs.tolist() == [0, 1, 2] + [0] * 17
    assert len(buf) == 3


def test_a_default_stands_for_what_is_not_stored_or_empty():
    buffer = filled(5, 3, 9)
    assert buffer.get(1, "policy", default_value=7) == 7
    assert buffer.get(1, "info", default_value=7) == 7  # `info={}` was given with every transition
    assert buffer.get(1, "rew", default_value=7) == 1
    buffer = ReplayBuffer(3)
    buffer.add(Batch(obs=3, act=3, rew=3, done=False, obs_next=4, info={}, policy=Batch()))
    assert buffer.get([0], "policy", default_value="none") == "none"


def test_the_manual_keeps_the_newest():
    buf2 = filled(10, 15, 4)
    assert len(buf2) == 10
    assert buf2.obs.tolist() == [10, 11, 12, 13, 14, 5, 6, 7, 8, 9]


def test_the_manual_moves_one_buffer_into_another():
    buf = ReplayBuffer(size=20)
    for i in range(3):
        buf.add(Batch(obs=i, act=i, rew=i, done=0, obs_next=i + 1, info={}))
    moved = buf.update(filled(10, 15, 4))
    assert moved.tolist() == list(range(3, 13))
    assert buf.obs.tolist() == [0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 0, 0, 0, 0, 0, 0]
    indices = buf.sample_indices(0)
    assert indices.tolist() == list(range(13))
    assert buf.prev(indices).tolist() == [0, 0, 1, 2, 3, 4, 5, 7, 7, 8, 9, 11, 11]
    assert buf.next(indices).tolist() == [1, 2, 3, 4, 5, 6, 6, 8, 9, 10, 10, 12, 12]
    batch_data, indices = buf.sample(batch_size=4)
    assert (batch_data.obs == buf[indices].obs).tolist() == [True] * 4


def test_of_a_longer_buffer_the_newest_are_moved():
    longer = filled(10, 8, 100)
    buffer = ReplayBuffer(3)
    assert buffer.update(longer).tolist() == [0, 1, 2]
    assert buffer.obs.tolist() == longer.obs[5:8].tolist()


def test_the_return_of_an_episode_that_was_cut_is_not_counted_in_the_next():
    buffer = ReplayBuffer(10)
    row = dict(obs=0, act=0, terminated=False)
    buffer.add(Batch(row, rew=100.0))
    buffer.cut()
    _, returns, length, start = buffer.add(Batch(row | {"terminated": True}, rew=1.0))
    assert (returns[0], length[0], start[0]) == (1.0, 1, 1)


def test_the_manual_saves_and_loads(tmp_path):
    buf = filled(20, 3, 100)
    with open(tmp_path / "buf.pkl", "wb") as file:
        pickle.dump(buf, file)
    buf.save_hdf5(tmp_path / "buf.hdf5")
    with open(tmp_path / "buf.pkl", "rb") as file:
        loaded = pickle.load(file), ReplayBuffer.load_hdf5(tmp_path / "buf.hdf5")
    for other in loaded:
        assert len(other) == 3
        assert other.obs.tolist() == [0, 1, 2] + [0] * 17
        assert other[:] == buf[:]


def stacked() -> tuple[ReplayBuffer, list]:
    """The manual's buffer of stacked observations, and what `add` returned for each of its 16 transitions."""
    buf = ReplayBuffer(size=9, stack_num=4, ignore_obs_next=True)
    returned = [buf.add(Batch(obs={"id": i}, act=i, rew=i, done=i % 5 == 0, obs_next={"id": i + 1})) for i in range(16)]
    return buf, returned


def test_the_manual_reports_episodes_as_they_end():
    _, returned = stacked()
    for i, (place, episode_return, length, _) in enumerate(returned):
        assert place.tolist() == [i % 9]
        expected = {0: (1, 0.0), 5: (5, 15.0), 10: (5, 40.0), 15: (5, 65.0)}.get(i, (0, 0.0))
        assert (length.tolist(), episode_return.tolist()) == ([expected[0]], [expected[1]])
    starts = {i: start.item() for i, (_, _, _, start) in enumerate(returned)}
    assert (starts[0], starts[5], starts[10], starts[15]) == (0, 1, 6, 2)


def test_the_manual_stores_no_next_observation_when_told_so():
    buf, _ = stacked()
    assert buf.obs.id.tolist() == [9, 10, 11, 12, 13, 14, 15, 7, 8]
    assert buf.rew.tolist() == [9.0, 10, 11, 12, 13, 14, 15, 7, 8]
    assert buf.done.tolist() == [False, True, False, False, False, False, True, False, False]
    assert not hasattr(buf, "obs_next")
    assert str(buf).startswith(
        "ReplayBuffer(\n    obs: Batch(\n             id: array([ 9, 10, 11, 12, 13, 14, 15,  7,  8]"
    )
    assert "obs_next" not in str(buf)


def test_what_others_have_stored_of_it_is_not_loaded():
    other = ReplayBuffer(9)
    for i in range(5):
        other.add(Batch(obs=i, act=i, rew=i, done=i == 4, obs_next=i + 1))
    saved, buf = other.filled_state_dict(), ReplayBuffer(9, ignore_obs_next=True)
    buf.load_state_dict(saved)
    assert "obs_next" in saved.storage
    assert "obs_next" not in buf.state_dict().storage
    buf.add(Batch(obs=5, act=5, rew=5, done=False, obs_next=6))
    assert buf[:].obs_next.tolist() == [1, 2, 3, 4, 4, 5]


def test_the_manual_stacks_frames_of_one_episode():
    buf, _ = stacked()
    index = np.arange(len(buf))
    frames = buf.get(index, "obs").id
    assert frames.tolist() == [
        [7, 7, 8, 9],
        [7, 8, 9, 10],
        [11, 11, 11, 11],
        [11, 11, 11, 12],
        [11, 11, 12, 13],
        [11, 12, 13, 14],
        [12, 13, 14, 15],
        [7, 7, 7, 7],
        [7, 7, 7, 8],
    ]
    assert np.array_equal(frames, buf[index].obs.id)
    assert np.array_equal(buf.get(3, "obs").id, frames[3])
    assert np.array_equal(buf[3].obs.id, frames[3])


def test_the_manual_derives_next_observations():
    buf, _ = stacked()
    assert buf[:].obs_next.id.tolist() == [
        [7, 7, 7, 8],
        [7, 7, 8, 9],
        [7, 8, 9, 10],
        [7, 8, 9, 10],
        [11, 11, 11, 12],
        [11, 11, 12, 13],
        [11, 12, 13, 14],
        [12, 13, 14, 15],
        [12, 13, 14, 15],
    ]
    by_time = np.array([7, 8, 0, 1, 2, 3, 4, 5, 6])
    assert buf[:] == buf[by_time]


def test_what_an_index_may_be():
    buf = filled(6, 6, 10)
    assert buf[2].obs == 2
    assert buf[-1].obs == 5
    assert buf[1:3].obs.tolist() == [1, 2]
    assert buf[[4, 0]].obs.tolist() == [4, 0]
    assert buf[np.arange(6) > 3].obs.tolist() == [4, 5]
    assert buf[[]].obs.tolist() == []


@pytest.mark.parametrize("index", [6, -7, [0, 6], 1.5, [True, False]])
def test_what_an_index_may_not_be(index):
    buf = filled(6, 6, 10)
    for look in (buf.prev, buf.next, lambda index: buf[index], lambda index: buf.get(index, "obs", stack_num=2)):
        with pytest.raises(IndexError):
            look(index)


def test_a_key_that_is_not_there():
    buf = filled(4, 2, 10)
    assert buf.get([0, 1], "advantage", default_value=0.5) == 0.5
    with pytest.raises(AttributeError, match=r"ReplayBuffer holds no 'advantage'; it has \['obs'"):
        _ = buf.advantage


def test_done_is_derived():
    buf = ReplayBuffer(8)
    flags = [(False, False), (True, False), (False, True), (True, True)]
    for terminated, truncated in flags:
        buf.add(Batch(obs=0, act=0, rew=0, terminated=terminated, truncated=truncated))
    buf.add(Batch(obs=0, act=0, rew=0, done=True))
    buf.add(Batch(obs=0, act=0, rew=0, done=True, truncated=True))
    assert buf.terminated[:6].tolist() == [False, True, False, True, True, False]
    assert buf.truncated[:6].tolist() == [False, False, True, True, False, True]
    assert buf.done[:6].tolist() == [False, True, True, True, True, True]
    assert buf.done.dtype == buf.terminated.dtype == buf.truncated.dtype == np.bool_


def test_rewards_may_be_vectors():
    buf = ReplayBuffer(4)
    for i in range(3):
        _, episode_return, length, _ = buf.add(Batch(obs=i, act=i, rew=[i, -i], done=i == 2))
    assert episode_return.tolist() == [[3.0, -3.0]]
    assert length.tolist() == [3]
    assert buf.rew[:3].tolist() == [[0.0, 0.0], [1.0, -1.0], [2.0, -2.0]]


def test_tensors_come_to_rest_as_arrays():
    buf = ReplayBuffer(2)
    for i in range(2):
        logp = torch.tensor(float(i), requires_grad=True)
        buf.add(Batch(obs=i, act=i, rew=i, done=False, policy=Batch(logp=logp)))
    assert isinstance(buf.policy.logp, np.ndarray)
    assert buf[:].policy.logp.tolist() == [0.0, 1.0]


def test_only_the_last_frame_is_stored():
    buf = ReplayBuffer(6, stack_num=3, save_only_last_obs=True)
    for i in range(5):
        frames = np.arange(i - 2, i + 1).clip(0)
        buf.add(Batch(obs=frames, act=i, rew=i, done=False, obs_next=frames + 1))
    assert buf.obs[:5].tolist() == [0, 1, 2, 3, 4]
    assert buf[4].obs.tolist() == [2, 3, 4]
    assert buf[4].obs_next.tolist() == [3, 4, 5]
    other = ReplayBuffer(6, stack_num=3, save_only_last_obs=True)
    other.update(buf)
    assert other[:] == buf[:]


def test_a_sample_of_whole_stacks_only():
    buf = filled(20, 12, 5, stack_num=3, sample_avail=True)  # episodes 0 | 1 .. 5 | 6 .. 10 | 11
    assert buf.sample_indices(0).tolist() == [3, 4, 5, 8, 9, 10]
    assert set(buf.sample_indices(200).tolist()) == {3, 4, 5, 8, 9, 10}
    short = filled(20, 2, 5, stack_num=3, sample_avail=True)
    assert short.sample_indices(1).tolist() == short.sample_indices(0).tolist() == []
    with pytest.raises(UsageError, match="holds no whole stack"):
        short.sample(1)


def test_samples():
    buf = filled(5, 8, 100)
    assert buf.sample_indices(-1).tolist() == []
    assert buf.sample_indices(0).tolist() == [3, 4, 0, 1, 2]
    assert set(buf.sample_indices(500).tolist()) == set(range(5))
    buf.rng = np.random.default_rng(1)
    first = buf.sample_indices(10)
    buf.rng = np.random.default_rng(1)
    assert np.array_equal(buf.sample_indices(10), first)
    assert ReplayBuffer(5).sample_indices(1).tolist() == []
    with pytest.raises(UsageError, match="the buffer is empty"):
        ReplayBuffer(5).sample(1)


def test_reset_may_keep_the_return_of_the_episode_under_way():
    for keep, expected in ((True, (6.0, 4)), (False, (3.0, 1))):
        buf = ReplayBuffer(10)
        for i in range(3):
            buf.add(Batch(obs=i, act=i, rew=i, done=False))
        buf.reset(keep_statistics=keep)
        assert len(buf) == 0
        assert buf.unfinished_index().tolist() == []
        place, episode_return, length, start = buf.add(Batch(obs=3, act=3, rew=3, done=True))
        assert (episode_return.item(), length.item()) == expected
        assert (place.item(), start.item()) == (0, 0)


def test_what_a_transition_lacks_is_not_taken_from_an_older_one():
    buf = ReplayBuffer(2)
    for i in range(2):
        buf.add(Batch(obs=i, act=i, rew=i, done=False, info={"ply": 5, "deep": {"x": 1.0}}, policy={"logp": -1.0}))
    buf.add(Batch(obs=2, act=2, rew=2, done=False, info={"deep": {"x": 3.0}}))
    assert buf.info.ply.tolist() == [0, 5]
    assert buf.info.deep.x.tolist() == [3.0, 1.0]
    assert buf.policy.logp.tolist() == [0.0, -1.0]


def test_a_batch_may_become_the_storage():
    buf = ReplayBuffer(3)
    for i in range(3):
        buf.add(Batch(obs=i, act=i, rew=i, done=False))
    no = np.zeros(3, bool)
    mine = Batch(
        obs=np.arange(3) + 10, act=no, rew=no, terminated=[False, True, False], truncated=no, done=no | [0, 1, 0]
    )
    buf.set_batch(mine)
    assert buf[:].obs.tolist() == [10, 11, 12]
    assert buf.next([0, 1, 2]).tolist() == [1, 1, 2]
    with pytest.raises(UsageError, match="length 3"):
        buf.set_batch(mine[:2])
    with pytest.raises(UsageError, match="keys among"):
        buf.set_batch(Batch(mine, extra=no))


@pytest.mark.parametrize("options", [{"size": 0}, {"size": 3, "stack_num": 0}])
def test_a_buffer_has_room(options):
    with pytest.raises(UsageError, match="at least 1"):
        ReplayBuffer(**options)
