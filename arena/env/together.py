"""Calls to several workers, of which some may fail."""

from collections.abc import Callable, Sequence
from typing import Any

from arena.env.workers.base import EnvWorker


def each(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Make all calls and return their results; raise the first error afterwards, so that no answer is left unread."""
    results, errors = [], []
    for call in calls:
        try:
            results.append(call())
        except Exception as error:
            errors.append(error)
    raise_first(errors)
    return results


def raise_first(errors: Sequence[Exception]) -> None:
    """Raise the first of several errors, if there is one, with notes of those that say something else."""
    if errors:
        _, *others = dict.fromkeys(map(str, errors))
        for other in others:
            errors[0].add_note(f"besides: {other}")
        raise errors[0]


def start_all(
    env_fns: Sequence[Callable[[], Any]], worker_fn: Callable[[Callable[[], Any]], EnvWorker]
) -> list[EnvWorker]:
    """Return a started worker for each environment; if one fails, close the others and raise its exception."""
    workers: list[EnvWorker] = []
    try:
        for row, env_fn in enumerate(env_fns):
            workers.append(worker_fn(env_fn))
            workers[row].name = f"environment {row}"
        for worker in workers:
            worker.flush()
        for worker in workers:
            worker.await_start()
    except BaseException:
        close_all(workers)
        raise
    return workers


def close_all(workers: Sequence[EnvWorker]) -> None:
    """Close workers, side by side: waiting for one after another takes long."""
    for worker in workers:
        if not worker.is_closed:
            worker.begin_close()
    for worker in workers:
        worker.close()
