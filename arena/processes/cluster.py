"""Connection to a Ray cluster: an existing one, or a new one on this machine."""

import logging
import os
import re
import socket
from typing import Any, Protocol, runtime_checkable

from arena.base.errors import UsageError
from arena.base.extras import install_command

REACH_S = 5.0
"""Seconds to connect to a cluster."""


@runtime_checkable
class GrpcError(Protocol):
    """An exception of grpc, whose message begins with its class."""

    def details(self) -> str:
        """Return the message alone."""


def require_ray() -> Any:
    """Return the package `ray`, connected to the cluster at RAY_ADDRESS or else to a new one on this machine.

    Raises `UsageError` if it is not installed, or does not start here.
    """
    try:
        import ray
    except ImportError as error:
        raise UsageError(f"Ray is not installed: {install_command('ray')}") from error
    if ray.is_initialized():
        return ray
    if "RAY_ADDRESS" in os.environ:
        ray.init()
        return ray
    try:
        ray.init(include_dashboard=False)
    except Exception as error:  # Ray has no class of its own for a node that is too slow to start
        raise UsageError(f"Ray does not start on this machine: {first_line(error)}") from error
    return ray


def require_resources(**wanted: float) -> None:
    """Raise `UsageError` if the cluster lacks resources ("CPU", "GPU"), for which actors would wait for ever."""
    there = require_ray().cluster_resources()
    for resource, amount in wanted.items():
        if amount > there.get(resource, 0):
            raise UsageError(f"the Ray cluster has {there.get(resource, 0):g} {resource}, not the {amount:g} asked for")


def connected(workers: str) -> Any:
    """Return the package `ray`, connected to the cluster that `workers` names."""
    if re.fullmatch(r"ray(://.+)?", workers) is None:
        raise UsageError(f"workers={workers!r} is not a number, ray or ray://HOST:PORT")
    address = os.environ.get("RAY_ADDRESS", "") if workers == "ray" else workers
    _require_answer(address)
    try:
        import ray

        if workers == "ray":
            return require_ray()
        if not ray.is_initialized():
            ray.init(address, logging_level=logging.ERROR, log_to_driver=False)
    except ImportError:
        raise UsageError(f"Ray is not installed: {install_command('ray')}") from None
    except ConnectionError as error:
        raise UsageError(f"no Ray cluster can be reached at {address}: {first_line(error)}") from None
    return ray


def _require_answer(address: str) -> None:
    """Raise `UsageError` if no server listens at HOST:PORT; Ray itself would try for minutes."""
    match = re.fullmatch(r"(?:ray://)?([^:/]+):([0-9]{1,5})", address)
    if match is None and address.startswith("ray://"):
        raise UsageError(f"workers={address!r} is not of the form ray://HOST:PORT, as ray://10.0.0.1:10001")
    if match is None:
        return
    try:
        socket.create_connection((match[1], int(match[2])), REACH_S).close()
    except (OSError, OverflowError) as error:
        raise UsageError(f"no Ray cluster can be reached at {address}: {first_line(error)}") from None


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, without the class name that grpc prepends."""
    text = error.details() if isinstance(error, GrpcError) else str(error)
    return (str(text).strip().splitlines() or [type(error).__name__])[0]
