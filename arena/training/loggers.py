"""Loggers of the curves of a training: TensorBoard's event files, a CSV file, or Weights & Biases."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from arena.base.files import read_json
from arena.base.saving import replace_text
from arena.policy.registry import learning_algorithm
from arena.policy.snapshots import RETURN
from arena.trainer.csv_logger import CSVLogger
from arena.trainer.logger import BaseLogger, TensorboardLogger
from arena.training.options import DESCRIPTION, LOGGER, LoggerName
from arena.training.progress import TrainingRun
from arena.training.scores import Measure

EVENTS, TABLE, WANDB_ID = "tensorboard", "figures.csv", "wandb.txt"
"""Within the folder of a run: the folder of event files, the CSV file, and the file with the run's id on W&B."""
SEPARATE_STEPS = 100
"""Gradient steps between two entries about learning where each step is an update of its own."""
Setting = bool | int | float | str


def open_logger(name: LoggerName, training: TrainingRun) -> AbstractContextManager[BaseLogger]:
    """Open a logger of a training, whose settings it notes as well; the folder notes which logger that is."""
    replace_text(training.folder / LOGGER, f"{name}\n")
    return {"tensorboard": _tensorboard, "csv": _csv, "wandb": _wandb}[name](training)


def whereabouts(name: LoggerName, folder: Path) -> str:
    """Return, for people, where the curves of a run are."""
    return {
        "tensorboard": f"tensorboard --logdir {folder / EVENTS}",
        "csv": str(folder / TABLE),
        "wandb": "on Weights & Biases",
    }[name]


@contextmanager
def _tensorboard(training: TrainingRun) -> Iterator[BaseLogger]:
    """Write event files; points beyond the current step, which an interrupted process may have left, are hidden."""
    from torch.utils.tensorboard import SummaryWriter, summary  # takes seconds to import

    hparams: Any = summary.hparams  # torch leaves it untyped
    settings = settings_of(training.folder)
    purge_step = training.progress().step or None
    with SummaryWriter(str(training.folder / EVENTS), purge_step=purge_step) as writer:
        writer.add_text("settings", as_table(settings))
        for part in hparams(settings, dict.fromkeys(score_names(settings, training.progress().measure), 0.0)):
            writer.file_writer.add_summary(part)
        yield TensorboardLogger(writer, update_interval=update_interval(settings))


@contextmanager
def _csv(training: TrainingRun) -> Iterator[BaseLogger]:
    """Write a line for each figure; a resumed run adds to the file."""
    yield CSVLogger(training.folder / TABLE, update_interval=update_interval(settings_of(training.folder)))


@contextmanager
def _wandb(training: TrainingRun) -> Iterator[BaseLogger]:
    """Write to a run of Weights & Biases, the same one when the training is resumed."""
    from arena.trainer.wandb_logger import WandbLogger

    file = training.folder / WANDB_ID
    run_id = file.read_text(encoding="utf-8").strip() if file.exists() else uuid4().hex[:8]
    settings = settings_of(training.folder)
    logger = WandbLogger(
        update_interval=update_interval(settings),
        name=training.folder.name,
        run_id=run_id,
        config=settings,
        save_interval=1,
    )
    replace_text(file, run_id)
    try:
        yield logger
    finally:
        logger.wandb_run.finish()


def update_interval(settings: Mapping[str, Setting]) -> int:
    """Return the gradient steps between two entries about learning in a run with these settings.

    On-policy algorithms learn seldom, many gradient steps each time: every one of their updates is an entry.
    """
    algorithm = learning_algorithm(str(settings["algorithm"]))
    return 1 if algorithm.data == "on-policy" else SEPARATE_STEPS


def settings_of(folder: Path) -> dict[str, Setting]:
    """Return what `run.json` says of a run as flat settings, such as `config/learning_rate`."""
    return dict(_flat(read_json(folder / DESCRIPTION), ""))


def _flat(value: Any, name: str) -> Iterator[tuple[str, Setting]]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _flat(one, f"{name}/{key}" if name else str(key))
    elif isinstance(value, list):
        yield name, ", ".join(map(str, value))
    else:
        yield name, value if isinstance(value, bool | int | float) else str(value)


def as_table(settings: Mapping[str, Setting]) -> str:
    """Return settings as a table in Markdown."""
    rows = (f"| {name} | {str(value).replace('|', '&#124;')} |" for name, value in settings.items())
    return "\n".join(["| setting | value |", "|---|---|", *rows])


def score_names(settings: Mapping[str, Setting], measure: Measure) -> list[str]:
    """Return the names of the scores by which runs with these settings are compared."""
    agents = str(settings.get("run/evaluation", ""))
    return [f"score/{agent}" for agent in agents.split(", ")] if measure == "score" and agents else [f"score/{RETURN}"]
