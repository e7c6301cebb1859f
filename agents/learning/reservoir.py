"""Reservoir sampling: a uniform sample of a stream of rows (Vitter 1985, "Random sampling with a reservoir")."""

import numpy as np

from arena.data.batch import Batch
from arena.data.rows import write_rows


class Reservoir:
    """Holds at most `capacity` rows, a uniform sample of all rows added.

    Storage is allocated when the first rows are added.
    """

    def __init__(self, capacity: int):
        self.capacity = capacity
        self.num_added = 0
        """Number of rows added so far."""
        self._rows = Batch()

    def __len__(self) -> int:
        return min(self.num_added, self.capacity)

    def add(self, rows: Batch, rng: np.random.Generator) -> None:
        """Add rows: row i, counted from 1, is kept with probability `capacity` / i, in a random place."""
        numbers = self.num_added + np.arange(len(rows))
        places = np.where(numbers < self.capacity, numbers, rng.integers(numbers + 1))
        # of several rows that draw one place the last stays, as if they had come one by one
        staying, last = np.unique(places[::-1], return_index=True)
        inside = staying < self.capacity
        write_rows(self._rows, rows[len(rows) - 1 - last[inside]], staying[inside], self.capacity)
        self.num_added += len(rows)

    def sample(self, size: int, rng: np.random.Generator) -> Batch:
        """Draw rows uniformly, with replacement."""
        return self._rows[rng.integers(len(self), size=size)]

    def state_dict(self) -> Batch:
        """Return the contents for saving."""
        return Batch(rows=self._rows[: len(self)] if self.num_added else Batch(), seen=np.array(self.num_added))

    def load_state_dict(self, arrays: Batch) -> None:
        """Restore the contents from a `state_dict`."""
        self.num_added, self._rows = int(arrays.seen), Batch()
        if self.num_added:
            write_rows(self._rows, arrays.rows, np.arange(len(self)), self.capacity)
