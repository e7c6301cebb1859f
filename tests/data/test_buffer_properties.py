"""Buffers beside a slow and obvious model: a list of rows for each sub-buffer, over random histories."""

import pickle
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.data import Batch, ReplayBuffer, ReplayBufferManager, VectorReplayBuffer


@dataclass
class Row:
    number: int
    """Counts all rows of the history; it is what the row shows, and what it earns."""
    place: int
    terminated: bool
    truncated: bool

    @property
    def done(self) -> bool:
        return self.terminated or self.truncated


@dataclass
class Ring:
    """One sub-buffer: its newest `size` rows in the order of time."""

    offset: int
    size: int
    rows: list[Row] = field(default_factory=list)
    written: int = 0
    length: int = 0
    earned: float = 0.0
    start: int = 0

    def add(self, number: int, terminated: bool, truncated: bool) -> tuple[int, float, int, int]:
        place = self.offset + self.written % self.size
        if self.length == 0:
            self.start = place
        self.rows = [*self.rows, Row(number, place, terminated, truncated)][-self.size :]
        self.written, self.length, self.earned = self.written + 1, self.length + 1, self.earned + number
        if not (terminated or truncated):
            return place, 0.0, 0, self.start
        ended = place, self.earned, self.length, self.start
        self.length, self.earned = 0, 0.0
        return ended

    def reset(self, keep_statistics: bool) -> None:
        self.rows, self.written, self.start = [], 0, self.offset
        if not keep_statistics:
            self.length, self.earned = 0, 0.0

    def before(self, i: int) -> int:
        """The row before row number `i` of its episode, itself where the episode begins or its past is lost."""
        return i - 1 if i > 0 and not self.rows[i - 1].done else i

    def after(self, i: int) -> int:
        return i + 1 if i + 1 < len(self.rows) and not self.rows[i].done else i

    def stack(self, i: int, depth: int) -> list[int]:
        steps = [i]
        while len(steps) < depth:
            steps.insert(0, self.before(steps[0]))
        return [self.rows[j].number for j in steps]


ENDS = st.sampled_from([(False, False)] * 4 + [(True, False), (False, True), (True, True)])


@st.composite
def histories(draw) -> tuple[int, int, list]:
    """Numbers of sub-buffers and of their places, and what happens: lists of additions, or a reset (keep or not)."""
    rings, size = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    who = st.lists(st.integers(0, rings - 1), unique=True, max_size=rings)
    addition = who.flatmap(lambda ids: st.tuples(st.just(ids), st.lists(ENDS, min_size=len(ids), max_size=len(ids))))
    return rings, size, draw(st.lists(st.one_of(addition, addition, addition, st.booleans()), max_size=25))


def happen(buffer: ReplayBuffer, model: list[Ring], event, number: int) -> int:
    """Let `event` happen to both; what `add` returns must agree. Returns the next row's number."""
    if isinstance(event, bool):
        buffer.reset(keep_statistics=event)
        for ring in model:
            ring.reset(event)
        return number
    ids, ends = event
    numbers = np.arange(number, number + len(ids))
    flags = np.array(ends, bool).reshape(-1, 2)
    rows = Batch(
        obs={"n": numbers}, act=numbers, rew=numbers.astype(float), terminated=flags[:, 0], truncated=flags[:, 1]
    )
    rows.obs_next, rows.info, rows.policy = Batch(n=numbers + 0.5), Batch(), Batch(logp=-numbers)
    told = buffer.add(rows, np.array(ids, int))
    expected = [model[i].add(int(n), *end) for i, n, end in zip(ids, numbers, ends, strict=True)]
    assert [tuple(float(x) for x in row) for row in zip(*told, strict=True)] == expected
    return number + len(ids)


def agree(buffer: ReplayBuffer, model: list[Ring]) -> None:
    """Everything that can be read from the buffer is what the model says."""
    every = [(ring, i, row) for ring in model for i, row in enumerate(ring.rows)]
    places = np.array([row.place for _, _, row in every], int)
    assert len(buffer) == len(every)
    assert np.array_equal(buffer.sample_indices(0), places)
    assert buffer.prev(places).tolist() == [ring.rows[ring.before(i)].place for ring, i, _ in every]
    assert buffer.next(places).tolist() == [ring.rows[ring.after(i)].place for ring, i, _ in every]
    open_ends = [ring.rows[-1].place for ring in model if ring.rows and not ring.rows[-1].done]
    assert buffer.unfinished_index().tolist() == open_ends
    if not every:
        return
    batch = buffer[places]
    assert batch.obs.n.tolist() == batch.rew.tolist() == batch.act.tolist() == [row.number for _, _, row in every]
    assert batch.obs_next.n.tolist() == [row.number + 0.5 for _, _, row in every]
    assert batch.policy.logp.tolist() == [-row.number for _, _, row in every]
    assert batch.terminated.tolist() == [row.terminated for _, _, row in every]
    assert batch.truncated.tolist() == [row.truncated for _, _, row in every]
    assert batch.done.tolist() == [row.done for _, _, row in every]
    for depth in (2, 3, 6):
        stacks = buffer.get(places, "obs", stack_num=depth).n
        assert stacks.tolist() == [ring.stack(i, depth) for ring, i, _ in every]
    number_at = {row.place: row.number for _, _, row in every}
    drawn, where = buffer.sample(16)
    assert drawn.obs.n.tolist() == [number_at[place] for place in where.tolist()]


@given(histories())
def test_a_vector_buffer_is_a_list_of_rings(history):
    rings, size, events = history
    buffer = VectorReplayBuffer(rings * size, rings)
    model = [Ring(k * size, size) for k in range(rings)]
    number = 1
    for event in events:
        number = happen(buffer, model, event, number)
        agree(buffer, model)


@given(histories())
@settings(max_examples=30)
def test_pickled_and_saved_buffers_go_on_alike(history):
    rings, size, events = history
    buffer = VectorReplayBuffer(rings * size, rings)
    model = [Ring(k * size, size) for k in range(rings)]
    number = 1
    for event in events:
        number = happen(buffer, model, event, number)
        buffer = pickle.loads(pickle.dumps(buffer))
        restored = VectorReplayBuffer(rings * size, rings)
        saved = buffer.filled_state_dict() if number % 2 else buffer.state_dict()
        if number % 2 and len(saved.storage.keys()):
            few = 2 * len(buffer) < buffer.maxsize
            assert len(saved.storage.rew) == (len(buffer) if few else buffer.maxsize)
            assert np.count_nonzero(saved.storage.rew) <= len(buffer)  # nothing of what was there before
        restored.load_state_dict(saved)
        buffer = restored
        agree(buffer, model)


@given(histories(), st.lists(st.integers(1, 5), min_size=4, max_size=4))
@settings(max_examples=30)
def test_rings_of_any_sizes_go_on_alike_from_a_file(tmp_path_factory, history, sizes):
    rings, _, events = history
    buffer: ReplayBuffer = ReplayBufferManager([ReplayBuffer(size) for size in sizes[:rings]])
    model = [Ring(sum(sizes[:k]), sizes[k]) for k in range(rings)]
    path = tmp_path_factory.getbasetemp() / "rings.hdf5"
    number = 1
    for i, event in enumerate(events):
        number = happen(buffer, model, event, number)
        if i % 8 == 0:
            buffer.save_hdf5(path)
            buffer = ReplayBufferManager.load_hdf5(path)
        agree(buffer, model)


@given(histories(), st.integers(1, 4))
@settings(max_examples=50)
def test_whole_stacks_are_those_of_one_episode(history, depth):
    rings, size, events = history
    buffer = VectorReplayBuffer(rings * size, rings, stack_num=depth, sample_avail=True)
    model = [Ring(k * size, size) for k in range(rings)]
    number = 1
    for event in events:
        number = happen(buffer, model, event, number)
    whole = [
        row.place
        for ring in model
        for i, row in enumerate(ring.rows)
        if len(set(ring.stack(i, depth))) == depth  # a stack that is too short repeats its first entry
    ]
    assert buffer.sample_indices(0).tolist() == whole
    assert set(buffer.sample_indices(64).tolist()) <= set(whole)
    if whole:
        seen, where = buffer.sample(16)
        stacks = [ring.stack(i, depth) for ring in model for i, row in enumerate(ring.rows) if row.place in where]
        frames = seen.obs.n.reshape(16, depth).tolist()
        assert sorted(map(tuple, set(map(tuple, frames)))) == sorted(map(tuple, stacks))


@given(histories(), histories())
@settings(max_examples=50)
def test_update_appends_in_the_order_of_time(ours, theirs):
    """Rows of a part that is left unfinished count as cut: the next part is no continuation."""
    (_, size, events), (rings, part, others) = ours, theirs
    buffer, model = ReplayBuffer(size), [Ring(0, size)]
    source, parts = VectorReplayBuffer(rings * part, rings), [Ring(k * part, part) for k in range(rings)]
    number = 1
    for event in events:
        kept = event if isinstance(event, bool) else ([0] * bool(event[0]), event[1][:1])
        number = happen(buffer, model, kept, number)
    for event in others:
        number = happen(source, parts, event, number)
    moved = [
        (row, row is ring.rows[-1] and any(later.rows for later in parts[k + 1 :]))
        for k, ring in enumerate(parts)
        for row in ring.rows
    ]
    places = buffer.update(source)
    expected = []
    for row, cut in moved[-size:]:
        place, *_ = model[0].add(row.number, row.terminated, row.truncated or (cut and not row.done))
        expected.append(place)
    assert places.tolist() == expected
    agree(buffer, model)
    number = happen(buffer, model, ([0], [(True, False)]), number)  # returns and lengths went on as well
    agree(buffer, model)
    agree(source, parts)


@given(histories())
@settings(max_examples=30)
def test_next_observations_are_derived_where_they_are_not_stored(history):
    rings, size, events = history
    buffer = VectorReplayBuffer(rings * size, rings, ignore_obs_next=True)
    model = [Ring(k * size, size) for k in range(rings)]
    number = 1
    for event in events:
        number = happen(buffer, model, event, number)
    every = [(ring, i) for ring in model for i in range(len(ring.rows))]
    if every:
        assert buffer[:].obs_next.n.tolist() == [ring.rows[ring.after(i)].number for ring, i in every]


def blocks(batch: Batch) -> dict[str, int]:
    """Where in memory each array of a nested batch stands."""
    found = {}
    for key, value in batch.items():
        found |= blocks(value) if isinstance(value, Batch) else {key: value.__array_interface__["data"][0]}
    return found


def test_storage_is_allocated_once():
    buffer = VectorReplayBuffer(12, 3)
    model = [Ring(k * 4, 4) for k in range(3)]
    number = happen(buffer, model, ([0, 1, 2], [(False, False)] * 3), 1)
    before = blocks(buffer.state_dict().storage)
    for event in [*[([2, 0], [(False, False), (True, False)])] * 10, True, ([1], [(False, False)])]:
        number = happen(buffer, model, event, number)
    assert blocks(buffer.state_dict().storage) == before


@pytest.mark.parametrize("total", [7, 8, 9])
def test_the_parts_are_equal(total):
    buffer = VectorReplayBuffer(total, 3)
    assert (buffer.maxsize, buffer.buffer_num) == (9, 3)
    with pytest.raises(NotImplementedError):
        buffer.update(ReplayBuffer(3))


def test_by_default_every_part_gets_a_row():
    buffer = VectorReplayBuffer(9, 3)
    no = np.zeros(3, bool)
    place, *_ = buffer.add(Batch(obs=np.arange(3), act=no, rew=no, done=no))
    assert place.tolist() == [0, 3, 6]
