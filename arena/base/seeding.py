"""Random number generators: every object that draws owns one, and one seed fixes them all."""

import numpy as np


def make_rng(seed: int | np.random.Generator | None = None) -> np.random.Generator:
    """Return a generator: from a seed, the given one, or (None) seeded from NumPy's global state.

    The last means that `np.random.seed(s)` at the top of a script fixes everything made after it.
    """
    if seed is None:
        seed = int(np.random.randint(2**63 - 1, dtype=np.int64))
    return np.random.default_rng(seed)


def spawn_seeds(seed: int, *path: int, count: int) -> list[int]:
    """Return `count` independent seeds derived from a seed; `path` separates different uses of one seed."""
    words = np.random.SeedSequence([seed, *path]).generate_state(count, np.uint64) >> np.uint64(1)
    return [int(word) for word in words.tolist()]
