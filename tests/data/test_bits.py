"""Booleans of observations stored as bits: what is read, saved and loaded is what a buffer of bytes gives."""

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.data import (
    Batch,
    CachedReplayBuffer,
    PrioritizedReplayBuffer,
    PrioritizedVectorReplayBuffer,
    ReplayBuffer,
    ReplayBufferManager,
    VectorReplayBuffer,
)
from arena.data.buffer.loading import load_buffer


def rows_of(count: int, seed: int, bare: bool = False, planes=(3, 3, 5)) -> Batch:
    """Transitions of a game whose planes are booleans, or with such planes alone."""
    rng = np.random.default_rng(seed)

    def seen():
        obs = rng.random((count, *planes)) < 0.5
        return obs if bare else Batch(obs=obs, mask=rng.random((count, 11)) < 0.5, agent_id=rng.integers(2, size=count))

    terminated = rng.random(count) < 0.3
    act, rew = rng.integers(11, size=count), rng.random(count)
    return Batch(obs=seen(), act=act, rew=rew, terminated=terminated, truncated=terminated & False, obs_next=seen())


def require_same(ours, theirs) -> None:
    assert len(ours) == len(theirs) > 0
    everything = (buffer[:] for buffer in (ours, theirs))
    for one, other in zip(leaves(next(everything)), leaves(next(everything)), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, strict=True)


def leaves(batch: Batch) -> list[np.ndarray]:
    return [
        leaf for _, value in sorted(batch.items()) for leaf in (leaves(value) if isinstance(value, Batch) else [value])
    ]


def filled(pack: bool, kind=VectorReplayBuffer, bare: bool = False, **options):
    buffer = kind(20, 2, **options, pack_bits=pack)
    for turn in range(17):
        buffer.add(rows_of(2, turn, bare), [0, 1])
    return buffer


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"ignore_obs_next": True}, {"stack_num": 3}, {"stack_num": 2, "sample_avail": True}]
)
def test_what_is_read_is_what_a_buffer_of_bytes_gives(options, bare):
    ours, theirs = (filled(pack, bare=bare, **options) for pack in (True, False))
    require_same(ours, theirs)
    places = theirs.sample_indices(0)
    for key in ("obs", "obs_next"):
        if key in ours.state_dict().storage:
            one, other = (buffer.get(places, key, stack_num=2) for buffer in (ours, theirs))
            np.testing.assert_array_equal(one if bare else one.mask, other if bare else other.mask, strict=True)
    stored = ours.obs if bare else ours.obs.obs
    assert (stored.dtype, stored.shape[1:]) == (np.uint8, (6,))  # of 45 booleans


@pytest.mark.parametrize("pack", [False, True])
def test_a_state_is_loaded_whether_it_is_of_bits_or_of_bytes(pack):
    saved, other = filled(True), filled(False)
    for state in (saved.state_dict(), other.filled_state_dict()):
        loaded = VectorReplayBuffer(20, 2, pack_bits=pack)
        loaded.load_state_dict(state)
        loaded.add(rows_of(2, 99), [0, 1])
        assert (loaded.obs.mask.dtype == np.uint8) == pack
        expected = filled(False)
        expected.add(rows_of(2, 99), [0, 1])
        require_same(loaded, expected)


@pytest.mark.parametrize("kind", [VectorReplayBuffer, PrioritizedVectorReplayBuffer])
def test_a_file_keeps_bits(tmp_path, kind):
    options = {"alpha": 0.5, "beta": 0.5} if kind is PrioritizedVectorReplayBuffer else {}
    buffer = filled(True, kind, **options)
    buffer.save_hdf5(tmp_path / "buffer.hdf5")
    loaded = load_buffer(tmp_path / "buffer.hdf5")
    require_same(loaded, buffer)
    assert loaded.obs.mask.dtype == np.uint8


def test_buffers_take_in_others():
    parts = [ReplayBuffer(10, pack_bits=True) for _ in range(2)]
    for number, part in enumerate(parts):
        for turn in range(4):
            part.add(rows_of(1, 10 * number + turn)[0])
    plain = ReplayBuffer(30)
    plain.update(parts[0]), plain.update(parts[1])
    manager = ReplayBufferManager(parts)
    packing = ReplayBuffer(30, pack_bits=True)
    packing.update(plain)
    require_same(packing, plain)
    require_same(manager.buffers[1], filled_alone_with(manager[np.arange(10, 14)]))
    cached = CachedReplayBuffer(packing, 2, 5)
    cached.add(rows_of(2, 7), [0, 1])
    assert cached[:].obs.obs.dtype == np.bool_


def filled_alone_with(rows: Batch) -> ReplayBuffer:
    buffer = ReplayBuffer(len(rows.rew))
    buffer._extend(Batch({key: rows[key] for key in ("obs", "act", "rew", "terminated", "truncated", "obs_next")}))
    return buffer


def test_other_shapes_are_refused_also_where_they_take_as_many_bytes():
    buffer = ReplayBuffer(5, pack_bits=True)
    buffer.add(rows_of(1, 0)[0])
    with pytest.raises(UsageError, match=r"obs\.obs has shape \(1, 3, 3, 4\), not \(1, 3, 3, 5\)"):
        buffer.add(rows_of(1, 0, planes=(3, 3, 4))[0])
    require_same(buffer, filled_alone_with(rows_of(1, 0)))


def test_bits_that_do_not_fit_their_shapes_are_refused():
    state = filled(True).state_dict()
    state.bits.obs.mask = np.array([17])
    with pytest.raises(UsageError, match="mask holds no bits of the shape it names"):
        VectorReplayBuffer(20, 2, pack_bits=True).load_state_dict(state)


def test_priorities_are_kept_beside_bits():
    buffer = PrioritizedReplayBuffer(10, 0.6, 0.4, pack_bits=True)
    for turn in range(3):
        buffer.add(rows_of(1, turn)[0])
    batch, _ = buffer.sample(4)
    assert batch.obs.mask.shape == (4, 11)
