"""Workers: each runs one environment, in this process or another."""

from typing import TYPE_CHECKING

from arena.base.doors import door

if TYPE_CHECKING:
    from arena.env.workers.base import EnvWorker
    from arena.env.workers.dummy import DummyEnvWorker
    from arena.env.workers.ray import RayEnvWorker
    from arena.env.workers.subproc import SubprocEnvWorker
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "arena.env.workers.base": "EnvWorker",
            "arena.env.workers.dummy": "DummyEnvWorker",
            "arena.env.workers.ray": "RayEnvWorker",
            "arena.env.workers.subproc": "SubprocEnvWorker",
        },
    )

__all__ = ["DummyEnvWorker", "EnvWorker", "RayEnvWorker", "SubprocEnvWorker"]
