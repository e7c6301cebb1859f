"""The program of a local worker's process: run the jobs from its pipe until that is closed."""

from contextlib import closing
from typing import Any

from arena.base.memory import collect_garbage_rarely, keep_freed_memory
from arena.processes.inside import alive_with, channel, messages, send
from arena.processes.messages import attempt, loads, pack
from arena.processes.work import JobRunner


def main() -> None:
    """Receive the set-up, then one job after the other; answer each with its result or `Raised`.

    A message is (True, job) or (False, common): the data that the following jobs have in common.
    """
    pipe, parent = channel()
    keep_freed_memory()
    collect_garbage_rarely()
    with alive_with(parent):
        incoming = messages(pipe)
        setup = next(incoming, None)
        if setup is None:
            return  # the parent is gone already
        runner: JobRunner[Any, Any]
        with closing(loads(setup).runner()) as runner:
            common = None
            for message in incoming:
                is_job, content = loads(message)
                if is_job:
                    send(pipe, pack(attempt(runner.do, content, common)))
                else:
                    common = content


if __name__ == "__main__":
    main()
