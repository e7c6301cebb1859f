"""`Reservoir`: an even sample of all that ever came in (Vitter 1985, "Random sampling with a reservoir")."""

import numpy as np

from arena.data.batch import Batch
from arena.data.rows import write_rows


class Reservoir:
    """Holds `capacity` rows at most, each that came in with the same chance.

    Storage is allocated when the first rows come in.
    """

    def __init__(self, capacity: int):
        self.capacity = capacity
        self.seen = 0
        """Rows that came in."""
        self._rows = Batch()

    def __len__(self) -> int:
        return min(self.seen, self.capacity)

    def add(self, rows: Batch, rng: np.random.Generator) -> None:
        """Take in rows: number i, counted from 1, stays with chance `capacity` / i, in a place drawn at random."""
        numbers = self.seen + np.arange(len(rows))
        places = np.where(numbers < self.capacity, numbers, rng.integers(numbers + 1))
        # of several rows that draw one place the last stays, as if they had come one by one
        staying, last = np.unique(places[::-1], return_index=True)
        inside = staying < self.capacity
        write_rows(self._rows, rows[len(rows) - 1 - last[inside]], staying[inside], self.capacity)
        self.seen += len(rows)

    def sample(self, size: int, rng: np.random.Generator) -> Batch:
        """Rows drawn with the same chance each, one perhaps several times."""
        return self._rows[rng.integers(len(self), size=size)]

    def arrays(self) -> Batch:
        """All that it holds, to be saved."""
        return Batch(rows=self._rows[: len(self)] if self.seen else Batch(), seen=np.array(self.seen))

    def restore(self, arrays: Batch) -> None:
        """Take over what `arrays` gave."""
        self.seen, self._rows = int(arrays.seen), Batch()
        if self.seen:
            write_rows(self._rows, arrays.rows, np.arange(len(self)), self.capacity)
