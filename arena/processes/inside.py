"""Main loop of a local worker's process: run the jobs from a pipe until it is closed."""

import os
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Any

from arena.base.errors import UsageError
from arena.base.memory import keep_freed_memory
from arena.processes.tree import adopt_orphans, end_with_parent, kill_below
from arena.processes.work import JobRunner


def main() -> None:
    """Receive the set-up, then one job after the other; answer each with its result or an exception.

    A message is (True, job) or (False, common): the data that the following jobs have in common.
    """
    end_with_parent(int(sys.argv[2]))
    adopt_orphans()
    keep_freed_memory()
    pipe = Connection(int(sys.argv[1]))
    common = None
    try:
        doer = pipe.recv().runner()
        try:
            while True:
                is_job, message = pipe.recv()
                if is_job:
                    pipe.send(_answer(doer, message, common))
                else:
                    common = message
        finally:
            doer.close()
            kill_below(os.getpid())  # what agents have started and left behind
    except (EOFError, OSError):
        pass  # nobody wants anything any more


def _answer(doer: JobRunner[Any, Any], job: Any, common: Any) -> Any:
    try:
        return doer.do(job, common)
    except UsageError as error:
        same = UsageError(str(error))  # of a kind that travels
        for note in getattr(error, "__notes__", ()):
            same.add_note(note)
        return same
    except Exception:
        return RuntimeError(f"a worker failed:\n{traceback.format_exc()}")


if __name__ == "__main__":
    main()
