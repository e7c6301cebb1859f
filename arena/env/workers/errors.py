"""Errors of environments in workers, none of them the caller's fault."""


class WorkerError(RuntimeError):
    """An environment failed: it raised, its process died, or it does not answer; the message names it and says which.

    One that raised or does not answer may be reset; one whose process died is gone.
    """
