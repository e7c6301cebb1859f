"""What a buffer refuses: one clear line, and nothing stored."""

import pickle

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.data import Batch, ReplayBuffer, VectorReplayBuffer

NO = np.zeros(2, bool)


def rows(**changed) -> Batch:
    """Two rows that fit, but for what is changed (None: left out)."""
    given = {
        "obs": {"board": np.zeros((2, 3), np.int8), "seat": np.zeros(2, int)},
        "act": np.zeros(2, int),
        "rew": np.zeros(2),
        "terminated": NO,
        "truncated": NO,
        "obs_next": {"board": np.ones((2, 3), np.int8), "seat": np.ones(2, int)},
        "policy": {"logp": np.zeros(2)},
    }
    return Batch({key: value for key, value in (given | changed).items() if value is not None})


def started() -> VectorReplayBuffer:
    buffer = VectorReplayBuffer(8, 4)
    buffer.add(rows(), [0, 1])
    return buffer


REFUSED = {
    "obs": (rows(obs=None), [0, 1], "a transition needs the keys 'obs', 'act' and 'rew'; 'obs' is missing"),
    "rew": (rows(rew=None), [0, 1], "'rew' is missing"),
    "unknown": (
        rows(reward=NO, next_obs=NO),
        [0, 1],
        r"a transition has no keys \['next_obs', 'reward'\]: its keys are obs, act, rew, .*, policy$",
    ),
    "no end": (rows(terminated=None), [0, 1], "needs the key 'terminated' .* or 'done'"),
    "no next": (rows(obs_next=None), [0, 1], "either every transition of a buffer has obs_next, or none"),
    "too few": (rows(), [0, 1, 2], r"has shape \(2, 3\), not \(3, 3\)"),
    "too many": (rows(), [3], r"has shape \(2, 3\), not \(1, 3\)"),
    "short act": (rows(act=np.zeros(1, int)), [0, 1], r"act has shape \(1,\), not \(2,\)"),
    "scalar rew": (rows(rew=0.5), [0, 1], r"rew has shape \(\), not \(2,\)"),
    "flags": (rows(terminated=np.zeros(3, bool)), [0, 1], r"terminated has shape \(3,\), not \(2,\)"),
    "wide obs": (
        rows(obs={"board": np.zeros((2, 4)), "seat": NO}),
        [0, 1],
        r"obs.board has shape \(2, 4\), not \(2, 3\)",
    ),
    "vector rew": (rows(rew=np.zeros((2, 2))), [0, 1], r"rew has shape \(2, 2\), not \(2,\)"),
    "flat obs": (rows(obs=np.zeros((2, 3))), [0, 1], "obs is an array here and a Batch in what is stored"),
    "deep act": (rows(act={"a": NO}), [0, 1], "act is a Batch here and an array in what is stored"),
    "fractions": (rows(act=np.full(2, 0.5)), [0, 1], "act is of type float64, which does not fit the int64 stored"),
    "text": (rows(policy={"logp": ["a", "b"]}), [0, 1], "policy.logp is of type object"),
    "unknown id": (rows(), [1, 4], r"buffer_ids \[1, 4\] are not among the sub-buffers 0 to 3"),
    "negative id": (rows(), [-1, 0], r"buffer_ids \[-1, 0\] are not among"),
    "same id": (rows(), [2, 2], r"buffer_ids \[2, 2\] name a sub-buffer twice"),
    "half id": (rows(), [0.5, 1.0], r"buffer_ids \[0.5, 1.0\] are not whole numbers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_nothing_is_stored_of_what_is_refused(case):
    batch, ids, message = REFUSED[case]
    buffer = started()
    before = pickle.dumps(buffer)
    with pytest.raises(UsageError, match=message) as error:
        buffer.add(batch, ids)
    assert "\n" not in str(error.value)
    assert pickle.dumps(buffer) == before


def test_the_first_addition_has_to_fit_itself():
    buffer = VectorReplayBuffer(8, 4)
    with pytest.raises(UsageError, match=r"act has shape \(1,\), not \(2,\)"):
        buffer.add(rows(act=np.zeros(1)), [0, 1])
    assert len(buffer) == 0
    buffer.add(rows(), [0, 1])
    assert len(buffer) == 2


def test_new_keys_may_come_later():
    buffer = started()
    buffer.add(rows(info={"opponent": np.array([7, 8])}), [1, 2])
    assert buffer[[0, 2, 3, 4]].info.opponent.tolist() == [0, 0, 7, 8]


def test_update_refuses_other_shapes():
    buffer, other = ReplayBuffer(4), ReplayBuffer(4)
    buffer.add(Batch(obs=np.zeros(3), act=0, rew=0.0, done=False))
    other.add(Batch(obs=np.zeros(4), act=0, rew=0.0, done=False))
    before = pickle.dumps(buffer)
    with pytest.raises(UsageError, match=r"obs has shape \(1, 4\), not \(1, 3\)"):
        buffer.update(other)
    assert pickle.dumps(buffer) == before
    assert buffer.update(ReplayBuffer(4)).tolist() == []


@pytest.mark.parametrize("numbers", [(0, 1), (4, 0)])
def test_a_vector_buffer_has_room_and_parts(numbers):
    with pytest.raises(UsageError, match="at least 1"):
        VectorReplayBuffer(*numbers)


@pytest.mark.parametrize("index", [slice(None), [0], 0])
def test_an_empty_buffer_shows_nothing(index):
    with pytest.raises(UsageError, match="the buffer is empty: there is nothing to read"):
        ReplayBuffer(3)[index]
