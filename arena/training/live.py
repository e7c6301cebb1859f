"""`live`: a training that other processes watch and control, through the files of `arena.training.live_files`."""

import json
import os
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import numpy as np

from arena.base.errors import UsageError
from arena.data.statistics import finite
from arena.match.verdict import MatchRecord
from arena.policy.snapshots import count_snapshots
from arena.trainer.logger import BaseLogger
from arena.training.live_files import (
    FIGURES,
    GAMES_SPEED,
    LIVE,
    REQUESTS,
    SPEED,
    STATUS,
    State,
    Status,
    append_line,
    replace_json,
    request,
    requested,
    training_lock,
    write_game,
)
from arena.training.progress import Progress, TrainingRun
from arena.training.scores import score_words

STATUS_S, FIGURES_S, SPEEDS_S, PAUSE_POLL_S = 0.5, 1.0, 10.0, 0.1
"""Seconds between two statuses, two lines of figures, two logged speeds, and two checks whether a pause has ended."""
RATE_S = 30.0
"""Seconds that the rate is averaged over."""


class StopRequested(Exception):
    """A watcher asked the training to stop; the message says who."""


class LiveRun:
    """Publishes the progress of `training` to watchers, and carries out their requests; made by `live`."""

    def __init__(self, training: TrainingRun):
        self.folder = training.folder
        self._training = training
        self._start_time = time.time()
        self.logger: BaseLogger | None = None
        """Logger that speeds are written to."""
        self._last_status = self._last_figures = self._last_speeds = 0.0
        self._recent: deque[tuple[float, int, int]] = deque()  # times, steps and games of the last `RATE_S` seconds
        self._snapshots = count_snapshots(self.folder)
        self._figures: dict[str, float] = {}
        self._written_game: MatchRecord | None = None

    def begin(self) -> None:
        """Publish that the training starts or resumes; withdraw requests left from before."""
        for what in REQUESTS:
            request(self.folder, what, wanted=False)
        step = self._training.progress().step
        append_line(self.folder / LIVE / FIGURES, json.dumps({"step": step, "start_time": self._start_time}))
        self._write_status("running")

    def update(self, progress: Progress) -> None:
        """Publish the progress and carry out requests; raise `StopRequested` if a watcher asks to stop."""
        now = time.monotonic()
        if now - self._last_status >= STATUS_S:
            self._last_status = now
            self._log_new_snapshot()
            self._write_status("running")
            self._write_game()
        if now - self._last_figures >= FIGURES_S:
            self._write_figures(now)
        if now - self._last_speeds >= SPEEDS_S:
            self._log_speeds(now)
        if requested(self.folder, "snapshot"):
            request(self.folder, "snapshot", wanted=False)
            self.log(f"kept as {self._training.save_checkpoint().name}")
        self._pause_while_requested()
        if requested(self.folder, "stop"):
            raise StopRequested("stopped by a watcher")

    def speeds(self) -> dict[str, float]:
        """Return the steps and games per second of the last `RATE_S` seconds; nothing before they are known."""
        if not self._recent:
            return {}
        (start, *before), (end, *now) = self._recent[0], self._recent[-1]
        if end <= start:
            return {}
        return {name: (b - a) / (end - start) for name, a, b in zip((SPEED, GAMES_SPEED), before, now, strict=True)}

    def _log_speeds(self, now: float) -> None:
        if self.logger is not None and (speeds := self.speeds()):
            self._last_speeds = now
            self.logger.write("run/step", self._training.progress().step, speeds)

    def record(self, figures: Mapping[str, Any]) -> None:
        """Record figures by name, to be published; of a list or array the mean."""
        self._figures |= {name: float(np.mean(value)) for name, value in figures.items()}

    def log(self, text: str) -> None:
        """Add a line to the log of the training."""
        self._append({"message": text})

    def end(self, state: State, message: str = "") -> None:
        """Publish how the training ended."""
        self._log_new_snapshot()
        self._write_figures(time.monotonic())
        self.log(message or state)
        for what in REQUESTS:
            request(self.folder, what, wanted=False)
        self._write_status(state, message)

    def _log_new_snapshot(self) -> None:
        """Log the scores of a snapshot that was written since the last call."""
        snapshots = count_snapshots(self.folder)
        if snapshots > self._snapshots:
            self._snapshots = snapshots
            evaluation = self._training.progress().evaluation
            scores = ", ".join(score_words(evaluation))
            self.log(f"snapshot {snapshots}: {scores}" if scores else f"snapshot {snapshots}")

    def _pause_while_requested(self) -> None:
        """Wait while a watcher requests a pause."""
        if not requested(self.folder, "pause"):
            return
        self._recent.clear()
        self._write_status("paused")
        while requested(self.folder, "pause") and not requested(self.folder, "stop"):
            time.sleep(PAUSE_POLL_S)
        self._write_status("running")

    def _write_game(self) -> None:
        game = self._training.latest_game()
        if game is not None and game is not self._written_game:
            self._written_game = game
            write_game(self.folder, game)

    def _write_figures(self, now: float) -> None:
        """Write the figures recorded since the last call as one line."""
        if self._figures:
            self._last_figures = now
            self._append({"figures": self._figures})
            self._figures = {}

    def _append(self, note: Mapping[str, Any]) -> None:
        line = json.dumps({"step": self._training.progress().step, "time": round(time.time(), 1), **note})
        append_line(self.folder / LIVE / FIGURES, line)

    def _write_status(self, state: State, message: str = "") -> None:
        progress, now = self._training.progress(), time.time()
        self._recent.append((now, progress.step, progress.games))
        while len(self._recent) > 2 and now - self._recent[0][0] > RATE_S:
            self._recent.popleft()
        speeds = self.speeds() if state == "running" else {}
        rate = speeds.get(SPEED, 0.0)
        if rate:
            self.record(speeds)
        status = Status(
            state=state,
            step=progress.step,
            total_steps=progress.total_steps,
            snapshots=self._snapshots,
            rate=rate,
            time=now,
            start_time=self._start_time,
            pid=os.getpid(),
            evaluation=finite(progress.evaluation),
            measure=progress.measure,
            pool_score=progress.pool_score,
            elo_zero=progress.elo_zero,
            message=message,
        )
        replace_json(self.folder / LIVE / STATUS, asdict(status))


class LiveLogger(BaseLogger):
    """Passes everything on to another logger, and records it for watchers."""

    def __init__(self, run: LiveRun, logger: BaseLogger):
        super().__init__(logger.train_interval, logger.test_interval, logger.update_interval, logger.save_interval)
        self._run, self._logger = run, logger
        run.logger = logger

    def log_train_data(self, collect_result: Mapping[str, Any], step: int) -> None:
        """Log as in `BaseLogger`; watchers get the figures of every collection."""
        if "rew" in collect_result:
            self._run.record({"train/reward": collect_result["rew"], "train/length": collect_result["len"]})
        super().log_train_data(collect_result, step)

    def log_update_data(self, update_result: Mapping[str, Any], step: int) -> None:
        """Log as in `BaseLogger`; watchers get the figures of every update."""
        self._run.record({f"update/{name}": value for name, value in update_result.items()})
        super().log_update_data(update_result, step)

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Write figures to the other logger, and record them for watchers."""
        self._logger.write(step_type, step, data)
        self._run.record(data)

    def _log_saved(self, epoch: int, env_step: int, gradient_step: int, saved: Any) -> None:
        self._logger._log_saved(epoch, env_step, gradient_step, saved)


@contextmanager
def live(training: TrainingRun) -> Iterator[LiveRun]:
    """Let other processes watch and control `training` within the context; its end is published, too.

    Raises `UsageError` if another process trains in the same folder.
    """
    with training_lock(training.folder):
        run = LiveRun(training)
        run.begin()
        try:
            yield run
        except StopRequested as stop:
            run.end("stopped", str(stop))
            raise
        except KeyboardInterrupt:
            run.end("stopped", "interrupted")
            raise
        except BaseException as error:
            run.end("failed", str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}")
            raise
        run.end("finished")
