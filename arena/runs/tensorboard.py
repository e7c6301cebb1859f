"""Curves of a training in TensorBoard's format."""

from collections.abc import Iterator
from contextlib import contextmanager

from arena.runs.progress import TrainingRun
from arena.trainer.logger import TensorboardLogger

EVENTS = "tensorboard"
"""Folder of the event files within the folder of a run."""


@contextmanager
def tensorboard_logger(training: TrainingRun) -> Iterator[TensorboardLogger]:
    """Open a logger that writes event files into the folder of a training.

    Points beyond the current step, which an interrupted process may have left, are hidden.
    """
    from torch.utils.tensorboard import SummaryWriter  # takes seconds to import

    purge_step = training.progress().step or None
    with SummaryWriter(str(training.folder / EVENTS), purge_step=purge_step) as writer:
        yield TensorboardLogger(writer)
