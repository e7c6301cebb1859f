"""The process behind a `ProcessLink`: it hosts environments and answers requests from its pipe."""

import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack, closing
from multiprocessing.connection import Connection
from typing import Any

from arena.env.workers.host import EnvHost
from arena.env.workers.messages import Request, pack_answers, unpack_requests
from arena.env.workers.shared import ObservationWriter
from arena.processes.inside import alive_with, messages, send
from arena.processes.messages import Portable, Raised

SHOWING = ("step", "reset")
"""Names of requests whose answers begin with an observation."""


def host_environments(pipe: Connection, env_fns: Sequence[Portable], share_memory: bool, wakeful: bool) -> None:
    """Make the environments and answer messages until the pipe closes; the first answer is about their making."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides what it means
    with alive_with(os.getppid()), ExitStack() as stack:
        writers = [stack.enter_context(closing(ObservationWriter())) for _ in env_fns] if share_memory else []
        host = stack.enter_context(closing(EnvHost([env_fn.function for env_fn in env_fns])))
        send(pipe, pack_answers((), host.make()))
        for message in messages(pipe, wakeful):
            requests = unpack_requests(message)
            answers = host.fulfil(requests)
            send(pipe, pack_answers(requests, _shared(requests, answers, writers) if writers else answers))


def _shared(requests: Sequence[Request], answers: list[Any], writers: Sequence[ObservationWriter]) -> list[Any]:
    """Return the answers, with observations moved to shared memory."""
    for i, (slot, name, _) in enumerate(requests):
        if name in SHOWING and not isinstance(answers[i], Raised):
            obs, *rest = answers[i]
            answers[i] = (writers[slot].put(obs), *rest)
    return answers
