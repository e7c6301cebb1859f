"""Vector environments in other processes, on this machine or in a Ray cluster."""

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

from arena.base.cores import usable_cores
from arena.base.errors import UsageError
from arena.data.statistics import RunningMeanStd
from arena.env.base import BaseVectorEnv, OnFailure
from arena.env.workers.ray import RayEnvWorker, RayLink
from arena.env.workers.subproc import ProcessLink, SubprocEnvWorker
from arena.processes.cluster import require_resources


class SubprocVectorEnv(BaseVectorEnv):
    """Each environment in a process of its own, or several of them in each of `num_workers` processes.

    Environments that share a process take their steps in turn and cost one message together: many small ones are
    several times faster in as many processes as there are cores. They finish together, too, so that asynchronous steps
    are best with a process each.

    Args:
        env_fns: make the environments, each in its process.
        wait_num: see `BaseVectorEnv`.
        timeout: see `BaseVectorEnv`.
        norm_obs: see `BaseVectorEnv`.
        obs_rms: see `BaseVectorEnv`.
        update_obs_rms: see `BaseVectorEnv`.
        context: how processes are started: "fork", "spawn", "forkserver", or None for the platform's usual way.
        hang_timeout_s: seconds after which an environment that does not answer is a `WorkerError` (those that share a
            process have as many times longer together); None waits forever.
        num_workers: how many processes host the environments, dealt out in turn; None for one each.
        on_failure: see `BaseVectorEnv`; a process that died or hangs is replaced.

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
        num_workers: int | None = None,
        on_failure: OnFailure = "raise",
    ):
        count = hosts_for(len(env_fns), num_workers, hang_timeout_s)
        wakeful = count <= usable_cores()
        links = cycle([ProcessLink(self._share_memory, context, hang_timeout_s, wakeful) for _ in range(count)])

        def worker(env_fn: Callable[[], Any]) -> SubprocEnvWorker:
            return SubprocEnvWorker(env_fn, link=next(links))

        super().__init__(env_fns, worker, wait_num, timeout, norm_obs, obs_rms, update_obs_rms, on_failure)


class ShmemVectorEnv(SubprocVectorEnv):
    """`SubprocVectorEnv` whose observations, if made of numbers alone, come through shared memory."""

    _share_memory = True


class RayVectorEnv(BaseVectorEnv):
    """Each environment in a Ray actor of its own, or several of them in each of `num_workers` actors.

    The actors run in the cluster that this process is connected to: call `ray.init` before, or set RAY_ADDRESS, for one
    of several machines; else one is begun on this machine. A message to an actor takes about a millisecond: let
    environments share actors unless they are slow. Takes the extra `ray`.

    Args:
        env_fns: make the environments, each in its actor.
        wait_num: see `BaseVectorEnv`.
        timeout: see `BaseVectorEnv`.
        norm_obs: see `BaseVectorEnv`.
        obs_rms: see `BaseVectorEnv`.
        update_obs_rms: see `BaseVectorEnv`.
        hang_timeout_s: see `SubprocVectorEnv`.
        num_workers: how many actors host the environments, dealt out in turn; None for one each.
        on_failure: see `BaseVectorEnv`; an actor that died or hangs is replaced.
        num_cpus: cores that Ray reserves for each actor.
        num_gpus: accelerators that Ray reserves for each actor.
        in_processes: actors give each environment a process of its own, so that they step side by side.

    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        wait_num: int | None = None,
        timeout: float | None = None,
        norm_obs: bool = False,
        obs_rms: RunningMeanStd | None = None,
        update_obs_rms: bool = True,
        hang_timeout_s: float | None = None,
        num_workers: int | None = None,
        on_failure: OnFailure = "raise",
        num_cpus: float = 0,
        num_gpus: float = 0,
        in_processes: bool = False,
    ):
        count = hosts_for(len(env_fns), num_workers, hang_timeout_s)
        require_resources(CPU=count * num_cpus, GPU=count * num_gpus)
        links = cycle([RayLink(in_processes, num_cpus, num_gpus, hang_timeout_s) for _ in range(count)])

        def worker(env_fn: Callable[[], Any]) -> RayEnvWorker:
            return RayEnvWorker(env_fn, next(links))

        super().__init__(env_fns, worker, wait_num, timeout, norm_obs, obs_rms, update_obs_rms, on_failure)


def hosts_for(num_envs: int, num_workers: int | None, hang_timeout_s: float | None) -> int:
    """Return the number of hosts for `num_envs` environments; `UsageError` for invalid options."""
    if hang_timeout_s is not None and not hang_timeout_s > 0:
        raise UsageError(f"hang_timeout_s={hang_timeout_s} is not a number of seconds above 0")
    if num_workers is not None and not 1 <= num_workers <= num_envs:
        raise UsageError(f"num_workers={num_workers} is not between 1 and the number of environments, {num_envs}")
    return num_envs if num_workers is None else num_workers
