"""Backends of a `ParallelEnv`: this process, local processes, Ray actors, or processes below those."""

from collections.abc import Callable, Sequence
from pickle import PicklingError
from typing import Any, Literal

from arena.base.cores import usable_cores
from arena.base.errors import UsageError
from arena.env.base import BaseVectorEnv, DummyVectorEnv
from arena.env.vector import ActorOptions, ProcessOptions, RayVectorEnv, SubprocVectorEnv
from arena.processes.cluster import require_ray
from arena.processes.messages import Raised, attempt, dumps

ParaMode = Literal["dummy", "subproc", "ray", "ray-subproc"]


def backend(
    env_fns: Sequence[Callable[[], Any]], para_mode: ParaMode, num_cpus: int | None, num_gpus: int
) -> BaseVectorEnv:
    """Return a vector environment of `env_fns`, in at most `num_cpus` processes or actors (None: one per core).

    Raises `UsageError` for invalid numbers, and for an environment that cannot be pickled.
    """
    if num_cpus is not None and not (isinstance(num_cpus, int) and num_cpus >= 1):
        raise UsageError(f"num_cpus={num_cpus} is not a whole number of processes, 1 or more")
    if num_gpus < 0 or (num_gpus > 0 and para_mode in ("dummy", "subproc")):
        raise UsageError(f"num_gpus={num_gpus} are GPUs for Ray's actors; para_mode {para_mode!r} gives them none")
    if para_mode == "dummy":
        return DummyVectorEnv(env_fns)
    is_ray = para_mode != "subproc"
    count = min(num_cpus or num_cores(is_ray), len(env_fns))
    try:
        if not is_ray:
            return SubprocVectorEnv(env_fns, processes=ProcessOptions(count))
        in_processes, share = para_mode == "ray-subproc", gpu_share(num_gpus, count)
        return RayVectorEnv(env_fns, actors=ActorOptions(count, num_gpus=share, in_processes=in_processes))
    except (TypeError, AttributeError, PicklingError):  # what pickle raises, as it comes
        _require_portable(env_fns, para_mode)
        raise


def num_cores(is_ray: bool) -> int:
    """Return the number of cores that this process may use, or that the Ray cluster has."""
    if is_ray:
        return max(1, int(require_ray().cluster_resources().get("CPU", 0)))
    return usable_cores()


def gpu_share(num_gpus: int, count: int) -> float:
    """Return the GPUs for each of `count` actors: whole ones, or an even part of one."""
    if num_gpus >= count or num_gpus == 0:
        return num_gpus // count
    actors_a_gpu = -(-count // num_gpus)  # Ray places no actor across two GPUs
    return 1 / actors_a_gpu


def _require_portable(env_fns: Sequence[Callable[[], Any]], para_mode: ParaMode) -> None:
    for row, env_fn in enumerate(env_fns):
        if isinstance(refusal := attempt(dumps, env_fn), Raised):
            why = refusal.text.strip().splitlines()[-1]
            raise UsageError(f"para_mode {para_mode!r} sends environments away, and envs[{row}] cannot be: {why}")
