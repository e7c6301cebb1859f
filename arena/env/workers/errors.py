"""Errors of environments in workers, none of them the caller's fault."""


class WorkerError(RuntimeError):
    """Raised if an environment fails: it raised an error, its process died, or it does not answer.

    One that raised or does not answer may be reset; one whose process died is gone.
    """
