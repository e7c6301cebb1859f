"""Vector environments whose environments run in processes of their own."""

from collections.abc import Callable, Sequence
from typing import Any

from arena.data.statistics import RunningMeanStd
from arena.env.base import BaseVectorEnv
from arena.env.workers.subproc import SubprocEnvWorker
from arena.errors import UsageError


class SubprocVectorEnv(BaseVectorEnv):
    """Each environment in a process of its own.

    Args:
        env_fns: make the environments, each in its process.
        wait_num: see `BaseVectorEnv`.
        timeout: see `BaseVectorEnv`.
        norm_obs: see `BaseVectorEnv`.
        obs_rms: see `BaseVectorEnv`.
        update_obs_rms: see `BaseVectorEnv`.
        context: how processes are started: "fork", "spawn", "forkserver", or None for the platform's usual way.
        hang_timeout_s: seconds after which an environment that does not answer is a `WorkerError`; None waits forever.

    """

    _share_memory = False

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        wait_num: int | None = None,
        timeout: float | None = None,
        norm_obs: bool = False,
        obs_rms: RunningMeanStd | None = None,
        update_obs_rms: bool = True,
        context: str | None = None,
        hang_timeout_s: float | None = None,
    ):
        if hang_timeout_s is not None and not hang_timeout_s > 0:
            raise UsageError(f"hang_timeout_s={hang_timeout_s} is not a number of seconds above 0")

        def worker(env_fn: Callable[[], Any]) -> SubprocEnvWorker:
            return SubprocEnvWorker(env_fn, self._share_memory, context, hang_timeout_s)

        super().__init__(env_fns, worker, wait_num, timeout, norm_obs, obs_rms, update_obs_rms)


class ShmemVectorEnv(SubprocVectorEnv):
    """`SubprocVectorEnv` whose observations, if made of numbers alone, come through shared memory."""

    _share_memory = True
