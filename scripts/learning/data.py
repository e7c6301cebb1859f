"""Data for offline algorithms, written once into `runs/learning` by this project's agents from fixed seeds."""

from collections.abc import Callable
from pathlib import Path

from arena.data import ReplayBuffer

FOLDER = Path("runs/learning")


def written(name: str, kind: type[ReplayBuffer], make: Callable[[], ReplayBuffer]) -> ReplayBuffer:
    """Return the named buffer, read from its file or, the first time, made and written there."""
    path = FOLDER / f"{name}.hdf5"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        make().save_hdf5(str(path))
    return kind.load_hdf5(str(path))
