"""`njit` that keeps what it compiles in the cache folder of this project, and `Unchecked`; see `games.engine.jit`."""

from games.engine.jit import Unchecked, njit

__all__ = ["Unchecked", "njit"]
