"""Buffers in HDF5 files, and buffers made of arrays."""

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

MAKE = {
    "replay": lambda: ReplayBuffer(5, stack_num=2, ignore_obs_next=True),
    "prioritized": lambda: PrioritizedReplayBuffer(5, 0.6, 0.4, weight_norm=False),
    "manager": lambda: ReplayBufferManager([ReplayBuffer(5)]),
    "vector": lambda: VectorReplayBuffer(5, 1),
    "prioritized vector": lambda: PrioritizedVectorReplayBuffer(5, 1, 0.6, 0.4),
    "cached": lambda: CachedReplayBuffer(ReplayBuffer(5), 1, 4),
}


def row(i: int, done: bool = False, **changed) -> Batch:
    """One row with a leading axis, nested, with text and objects."""
    text = np.empty(1, object)
    text[0] = ["e4", {"clock": [i, None, 0.5]}]
    given = {
        "obs": {"board": np.full((1, 2, 2), i, np.int8), "a/b.c": np.array([float(i)], np.float32)},
        "act": np.array([i]),
        "rew": np.array([0.1 * i]),
        "terminated": np.array([done]),
        "truncated": np.array([False]),
        "obs_next": {"board": np.full((1, 2, 2), i + 1, np.int8), "a/b.c": np.array([i + 1.0], np.float32)},
        "info": {"said": np.array([f"move {i}, ü"]), "about": text, "later": Batch()},
    }
    return Batch(given | changed)


@pytest.mark.full
@pytest.mark.parametrize("kind", MAKE)
def test_what_is_loaded_goes_on_alike(kind, tmp_path):
    buffer = MAKE[kind]()
    for i in range(8):
        buffer.add(row(i, done=i % 3 == 2), [0])
    if isinstance(buffer, PrioritizedReplayBuffer):
        buffer.update_weight([0, 1], [3.0, 0.5])
        buffer.set_beta(0.8)
    buffer.save_hdf5(tmp_path / "buffer.hdf5")
    loaded = type(buffer).load_hdf5(str(tmp_path / "buffer.hdf5"), device="cpu")
    assert type(loaded) is type(buffer)
    for i in range(8, 12):
        assert loaded[:] == buffer[:]
        assert loaded[:].obs.board.dtype == np.int8
        assert np.array_equal(loaded.sample_indices(0), buffer.sample_indices(0))
        assert np.array_equal(loaded.unfinished_index(), buffer.unfinished_index())
        told = [one.add(row(i, done=i == 10), [0]) for one in (loaded, buffer)]
        assert [part.tolist() for part in told[0]] == [part.tolist() for part in told[1]]
    assert loaded.info.about[buffer.sample_indices(0)[-1]] == ["e4", {"clock": [11, None, 0.5]}]
    assert "later" in loaded.info


@pytest.mark.parametrize("kind", MAKE)
def test_an_empty_buffer_comes_back(kind, tmp_path):
    buffer = MAKE[kind]()
    buffer.save_hdf5(tmp_path / "buffer.hdf5")
    loaded = type(buffer).load_hdf5(tmp_path / "buffer.hdf5")
    assert (len(loaded), loaded.maxsize, loaded.stack_num) == (0, buffer.maxsize, buffer.stack_num)


@pytest.mark.parametrize("entry", [(1, 2), object(), np.arange(3), [{1: "a"}], [{"deep": {1, 2}}]])
def test_objects_that_are_no_text_are_refused(entry, tmp_path):
    buffer, path = ReplayBuffer(3), tmp_path / "buffer.hdf5"
    buffer.add(row(0), [0])
    buffer.save_hdf5(path)
    before = path.read_bytes()
    objects = np.empty(1, object)
    objects[0] = entry
    buffer.add(row(1, info={"said": objects}), [0])
    with pytest.raises(UsageError, match=r"storage\.info\.said has an object of type .*pickle the buffer instead"):
        buffer.save_hdf5(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["buffer.hdf5"]


def saved(path) -> bytes:
    buffer = VectorReplayBuffer(5, 1)
    for i in range(4):
        buffer.add(row(i), [0])
    buffer.save_hdf5(path)
    return path.read_bytes()


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(part, tmp_path):
    path = tmp_path / "buffer.hdf5"
    content = saved(path)
    path.write_bytes(content[: int(part * len(content))])
    with pytest.raises(UsageError, match=r"buffer\.hdf5 is damaged, or not a buffer written by save_hdf5$"):
        VectorReplayBuffer.load_hdf5(path)


def test_files_of_others_are_refused(tmp_path):
    import h5py

    with pytest.raises(UsageError, match="none is not a file"):
        ReplayBuffer.load_hdf5(tmp_path / "none")
    (tmp_path / "text").write_text("not a buffer")
    with pytest.raises(UsageError, match="is damaged, or not a buffer"):
        ReplayBuffer.load_hdf5(tmp_path / "text")
    with h5py.File(tmp_path / "other", "w") as file:
        file["rew"] = np.arange(3)
    with pytest.raises(UsageError, match="is not a buffer of this version"):
        ReplayBuffer.load_hdf5(tmp_path / "other")
    saved(tmp_path / "ours")
    with pytest.raises(UsageError, match="holds a VectorReplayBuffer, not a ReplayBuffer"):
        ReplayBuffer.load_hdf5(tmp_path / "ours")
    with pytest.raises(UsageError, match="device='cuda'"):
        VectorReplayBuffer.load_hdf5(tmp_path / "ours", device="cuda")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("counters/cursor", [5]),
        ("counters/fill", [6]),
        ("counters/newest", [-1]),
        ("counters/start", [99]),
        ("counters/fill", [0.5]),
        ("storage/rew", np.zeros(3)),
        ("counters/done", np.zeros(4, bool)),
        ("options", '{"stack_num": 0}'),
        ("options", '{"depth": 2}'),
    ],
)
def test_counters_that_lead_astray_are_refused(name, value, tmp_path):
    import h5py

    path = tmp_path / "buffer.hdf5"
    saved(path)
    with h5py.File(path, "r+") as file:
        if name == "options":
            file.attrs["options"] = value
        else:
            del file[name]
            file[name] = np.array(value)
    with pytest.raises(UsageError):
        VectorReplayBuffer.load_hdf5(path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        ReplayBuffer(3).save_hdf5(tmp_path / "none" / "buffer.hdf5")


def test_a_buffer_is_made_of_arrays():
    ends = np.array([False, True, False, True, False])
    no = np.zeros(5, bool)
    n = np.arange(5)
    buffer = ReplayBuffer.from_data({"n": n}, n, n, ends, no, ends, {"n": n + 1})
    assert (len(buffer), buffer.maxsize) == (5, 5)
    assert buffer[:].obs_next.n.tolist() == [1, 2, 3, 4, 5]
    assert buffer.next(n).tolist() == [1, 1, 3, 3, 4]
    assert buffer.unfinished_index().tolist() == [4]
    _, earned, length, _ = buffer.add(Batch(obs={"n": 5}, act=5, rew=5, done=True, obs_next={"n": 6}))
    assert (earned.tolist(), length.tolist()) == ([9.0], [2])  # goes on with the episode under way
    with pytest.raises(UsageError, match="done is not terminated"):
        ReplayBuffer.from_data(n, n, n, ends, no, no, n)
    with pytest.raises(UsageError, match=r"act has shape \(4,\), not \(5,\)"):
        ReplayBuffer.from_data(n, n[1:], n, ends, no, ends, n)
    with pytest.raises(UsageError, match="at least one transition"):
        ReplayBuffer.from_data(n[:0], n[:0], n[:0], no[:0], no[:0], no[:0], n[:0])
