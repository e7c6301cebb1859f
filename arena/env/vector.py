"""Vector environments in other processes, on this machine or in a Ray cluster."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from arena.base.cores import usable_cores
from arena.base.errors import UsageError
from arena.data.statistics import RunningMeanStd
from arena.env.base import BaseVectorEnv, OnFailure
from arena.env.workers.ray import RayEnvWorker, RayLink
from arena.env.workers.subproc import ProcessLink, SubprocEnvWorker
from arena.processes.cluster import require_resources


@dataclass(frozen=True)
class ProcessOptions:
    """Processes of a `SubprocVectorEnv`."""

    num_workers: int | None = None
    """Number of processes that host the environments, dealt out in turn; None for one each."""
    context: str | None = None
    """How processes are started: "fork", "spawn", "forkserver", or None for the platform's usual way."""
    hang_timeout_s: float | None = None
    """Seconds after which an environment that does not answer is a `WorkerError` (those that share a process have as
    many times longer together); None waits forever."""


@dataclass(frozen=True)
class ActorOptions:
    """Ray actors of a `RayVectorEnv`."""

    num_workers: int | None = None
    """Number of actors that host the environments, dealt out in turn; None for one each."""
    hang_timeout_s: float | None = None
    """See `ProcessOptions`."""
    num_cpus: float = 0
    """Cores that Ray reserves for each actor."""
    num_gpus: float = 0
    """Accelerators that Ray reserves for each actor."""
    in_processes: bool = False
    """Give each environment of an actor a process of its own, so that they step side by side."""


class SubprocVectorEnv(BaseVectorEnv):
    """Each environment in a process of its own, or several of them in each of `processes.num_workers` processes.

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
        processes: number of processes, how they are started, and how long they may take.
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
        processes: ProcessOptions = ProcessOptions(),
        on_failure: OnFailure = "raise",
    ):
        count = hosts_for(len(env_fns), processes.num_workers, processes.hang_timeout_s)
        wakeful = count <= usable_cores()
        started = self._share_memory, processes.context, processes.hang_timeout_s, wakeful
        links = cycle([ProcessLink(*started) for _ in range(count)])

        def worker(env_fn: Callable[[], Any]) -> SubprocEnvWorker:
            return SubprocEnvWorker(env_fn, link=next(links))

        super().__init__(env_fns, worker, wait_num, timeout, norm_obs, obs_rms, update_obs_rms, on_failure)


class ShmemVectorEnv(SubprocVectorEnv):
    """`SubprocVectorEnv` whose observations, if made of numbers alone, come through shared memory."""

    _share_memory = True


class RayVectorEnv(BaseVectorEnv):
    """Each environment in a Ray actor of its own, or several of them in each of `actors.num_workers` actors.

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
        actors: number of actors, what Ray reserves for them, and how long they may take.
        on_failure: see `BaseVectorEnv`; an actor that died or hangs is replaced.

    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        wait_num: int | None = None,
        timeout: float | None = None,
        norm_obs: bool = False,
        obs_rms: RunningMeanStd | None = None,
        update_obs_rms: bool = True,
        actors: ActorOptions = ActorOptions(),
        on_failure: OnFailure = "raise",
    ):
        count = hosts_for(len(env_fns), actors.num_workers, actors.hang_timeout_s)
        require_resources(CPU=count * actors.num_cpus, GPU=count * actors.num_gpus)
        reserved = actors.in_processes, actors.num_cpus, actors.num_gpus, actors.hang_timeout_s
        links = cycle([RayLink(*reserved) for _ in range(count)])

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
