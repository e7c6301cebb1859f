"""Child processes of ours, each at the other end of a pipe: how they are started, waited for and ended.

`inside` is the same from their side. Programs that are not ours, or may do harm, run below a guard (`guarded`).
"""

import contextlib
import multiprocessing
import os
import subprocess
import sys
import weakref
from collections.abc import Callable, Sequence
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from arena.base.errors import UsageError
from arena.processes.fate import Fate
from arena.processes.inside import PARENT_ENDS
from arena.processes.tree import kill_tree

Process = BaseProcess | subprocess.Popen[bytes]
Owner = TypeVar("Owner")

CLOSING_S = 5.0
"""Seconds that a child has to close what it holds after its pipe was closed."""
FATE_S = 5.0
"""Seconds for the exit of a child whose pipe is closed already."""


class Child:
    """A running child process and this end of the pipe to it, of which `pipe` sends and receives bytes.

    It is ended by `end`, when this object is collected, and when this process ends in any way.
    """

    def __init__(self, pipe: Connection, process: Process):
        assert process.pid is not None
        self.pipe, self.pid, self._process = pipe, process.pid, process
        self._finalizer = weakref.finalize(self, _end, process, pipe, os.getpid(), CLOSING_S)

    def fate(self) -> Fate:
        """Return how a child ended whose pipe turned out to be closed."""
        code = _exit_code(self._process, FATE_S)
        return Fate(excess="has closed its pipe") if code is None else Fate(code)

    def end(self, patience_s: float = CLOSING_S) -> None:
        """Close the pipe; kill the child and its descendants if it has not ended in so many seconds. Idempotent."""
        if self._finalizer.detach() is not None:
            _end(self._process, self.pipe, os.getpid(), patience_s)


def forked(main: Callable[..., None], arguments: Sequence[Any], context: str | None = None) -> Child:
    """Start `main(pipe, *arguments)` in a process that multiprocessing makes; its memory is a copy of ours if forked.

    Args:
        main: the function that the child runs, of a module's top level.
        arguments: its further arguments; pickled unless the child is forked.
        context: "fork", "spawn" or "forkserver"; None for the platform's usual way. Raises `UsageError` for another.

    """
    known = multiprocessing.get_all_start_methods()
    if context is not None and context not in known:
        raise UsageError(f"context {context!r} is no way to start a process here; known: {', '.join(known)}")
    start: Any = multiprocessing.get_context(context)
    with _pipe() as (ours, theirs):
        process: BaseProcess = start.Process(target=main, args=(theirs, *arguments), daemon=True)
        process.start()
    return Child(ours, process)


def launched(module: str) -> Child:
    """Run a module as the program of a new interpreter, which does not import our main program.

    Its arguments are the number of its end of the pipe and our process id: see `inside.channel`. It is the leader of a
    process group, so that Ctrl-C reaches us alone.
    """
    paths = [path or os.getcwd() for path in sys.path]
    with _pipe() as (ours, theirs):
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, str(theirs.fileno()), str(os.getpid())],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            process_group=0,
        )
    return Child(ours, process)


def ready(children: dict[Connection, Owner], seconds: float | None = None) -> list[Owner]:
    """Return the owners of the pipes that have something to read, waiting up to that long (None: for ever) for one."""
    return [children[pipe] for pipe in connection.wait(list(children), seconds) if isinstance(pipe, Connection)]


@contextlib.contextmanager
def _pipe() -> Any:
    """Yield both ends of a pipe while a child is started; ours is closed if that fails, the child's in any case."""
    ours, theirs = multiprocessing.Pipe()
    PARENT_ENDS.add(ours)
    try:
        yield ours, theirs
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()


def _exit_code(process: Process, seconds: float) -> int | None:
    """Return the exit code of a process, waiting that long for its end; None while it runs."""
    if isinstance(process, BaseProcess):
        process.join(seconds)
        return process.exitcode
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _end(process: Process, pipe: Connection, owner: int, patience_s: float) -> None:
    """End a child, which has `patience_s` seconds to close what it holds, and release its resources."""
    if os.getpid() != owner:
        return  # in a forked child that inherited the object: the process is a sibling's
    pipe.close()
    if _exit_code(process, patience_s) is None:
        assert process.pid is not None
        kill_tree(process.pid)
        _exit_code(process, 60.0)
    if isinstance(process, BaseProcess):
        process.close()
