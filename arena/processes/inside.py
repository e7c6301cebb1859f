"""Main loop of a local worker's process: do the jobs that come through a pipe, until it is closed."""

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
    """Take the work, then one job after the other; each is answered with its result, or with an exception.

    What comes is (whether it is a job, the job); what is no job is what the jobs after it have in common.
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
        return UsageError(str(error))  # the same, of a kind that travels
    except Exception:
        return RuntimeError(f"a worker failed:\n{traceback.format_exc()}")


if __name__ == "__main__":
    main()
