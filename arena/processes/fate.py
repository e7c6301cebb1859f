"""`Fate`: the end of a process, and its words."""

import signal
from dataclasses import dataclass


@dataclass(frozen=True)
class Fate:
    """The end of a process: its exit code, or why it was killed. As text it completes "the process ...".

    >>> str(Fate(code=-9)), str(Fate(code=3)), str(Fate(excess="used more than 500 MB of memory"))
    ('was killed by SIGKILL', 'ended with status 3', 'used more than 500 MB of memory')
    """

    code: int | None = None
    """Exit status, below 0 after a signal; None if it was killed for an `excess`."""
    excess: str = ""
    """Limit that it exceeded, in words: "used more than 500 MB of memory"."""

    def __str__(self) -> str:
        if self.code is None:
            return self.excess
        return f"was killed by {_signal(-self.code)}" if self.code < 0 else f"ended with status {self.code}"


def _signal(number: int) -> str:
    """Return the name of a signal; most real-time signals have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
