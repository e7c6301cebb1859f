"""A training that can be watched and steered from elsewhere, through the files of `arena.runs.live_files`."""

import json
import os
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import numpy as np

from arena.errors import UsageError
from arena.match.verdict import MatchRecord
from arena.policy.snapshots import count_snapshots
from arena.runs.live_files import (
    FIGURES,
    LIVE,
    REQUESTS,
    SPEED,
    STATUS,
    State,
    Status,
    held,
    request,
    requested,
    write_game,
    write_whole,
)
from arena.runs.run import Progress, Run
from arena.trainer.logger import BaseLogger

STATUS_S, NOTES_S, REST_S = 0.5, 1.0, 0.1
"""Seconds between two statuses, between two lines of figures, and between two looks at whether a pause is over."""
RATE_S = 30.0
"""Seconds over which the rate is taken."""


class StopRequested(Exception):
    """Somebody asked a training to stop."""


class LiveRun:
    """Tells those who watch where `training` is, and does what they ask for; made by `live`."""

    def __init__(self, training: Run):
        self.folder = training.folder
        self._training = training
        self._begun = time.time()
        self._last_status = self._last_notes = 0.0
        self._reached: deque[tuple[float, int]] = deque()
        self._snapshots = count_snapshots(self.folder)
        self._notes: dict[str, float] = {}
        self._shown: MatchRecord | None = None

    def begin(self) -> None:
        """Say that the training begins, or goes on, here; requests that nobody took up are void."""
        for what in REQUESTS:
            request(self.folder, what, wanted=False)
        step = self._training.progress().step
        file = self.folder / LIVE / FIGURES
        text = file.read_bytes() if file.exists() else b""
        with file.open("a", encoding="utf-8") as lines:
            lines.write("\n" if text and not text.endswith(b"\n") else "")  # a kill left half a line
            lines.write(json.dumps({"step": step, "begun": self._begun}) + "\n")
        self._tell("running")

    def tell(self, progress: Progress) -> None:
        """Take note of where the training is, and do what is asked for; `StopRequested` if that is to stop."""
        now = time.monotonic()
        if now - self._last_status >= STATUS_S:
            self._last_status = now
            self._say_scores()
            self._tell("running")
            self._show_game()
        if now - self._last_notes >= NOTES_S:
            self._write_notes(now)
        if requested(self.folder, "snapshot"):
            request(self.folder, "snapshot", wanted=False)
            self.say(f"kept as {self._training.keep().name}")
        self._rest()
        if requested(self.folder, "stop"):
            raise StopRequested

    def note(self, figures: Mapping[str, Any]) -> None:
        """Take note of figures by name (of a list or array the mean)."""
        self._notes |= {name: float(np.mean(value)) for name, value in figures.items()}

    def say(self, text: str) -> None:
        """Put a line into the log of the training."""
        self._append({"said": text})

    def end(self, state: State, said: str = "") -> None:
        """Say how the training ended."""
        self._say_scores()
        self._write_notes(time.monotonic())
        self.say(said or state)
        for what in REQUESTS:
            request(self.folder, what, wanted=False)
        self._tell(state, said)

    def _say_scores(self) -> None:
        """A line about a snapshot that has been measured since."""
        snapshots = count_snapshots(self.folder)
        if snapshots > self._snapshots:
            self._snapshots = snapshots
            evaluation = self._training.progress().evaluation
            scores = ", ".join(f"{name} {value:.3g}" for name, value in evaluation.items())
            self.say(f"snapshot {snapshots}: {scores}" if scores else f"snapshot {snapshots}")

    def _rest(self) -> None:
        """Wait while somebody wants a pause."""
        if not requested(self.folder, "pause"):
            return
        self._reached.clear()
        self._tell("paused")
        while requested(self.folder, "pause") and not requested(self.folder, "stop"):
            time.sleep(REST_S)
        self._tell("running")

    def _show_game(self) -> None:
        game = self._training.latest_game()
        if game is not None and game is not self._shown:
            self._shown = game
            write_game(self.folder, game)

    def _write_notes(self, now: float) -> None:
        """Write the latest figures in a line."""
        if self._notes:
            self._last_notes = now
            self._append({"figures": self._notes})
            self._notes = {}

    def _append(self, note: Mapping[str, Any]) -> None:
        line = json.dumps({"step": self._training.progress().step, "time": round(time.time(), 1), **note})
        with (self.folder / LIVE / FIGURES).open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def _tell(self, state: State, said: str = "") -> None:
        progress, now = self._training.progress(), time.time()
        self._reached.append((now, progress.step))
        while len(self._reached) > 2 and now - self._reached[0][0] > RATE_S:
            self._reached.popleft()
        (then, step), (last, reached) = self._reached[0], self._reached[-1]
        rate = (reached - step) / (last - then) if last > then and state == "running" else 0.0
        if rate:
            self.note({SPEED: rate})
        status = Status(
            state=state,
            step=progress.step,
            total_steps=progress.total_steps,
            snapshots=self._snapshots,
            rate=rate,
            time=now,
            begun=self._begun,
            pid=os.getpid(),
            evaluation=progress.evaluation,
            pool_score=progress.pool_score,
            said=said,
        )
        write_whole(self.folder / LIVE / STATUS, asdict(status))


class LiveLogger(BaseLogger):
    """Hands everything on to another logger, and takes note of it for those who watch."""

    def __init__(self, run: LiveRun, logger: BaseLogger):
        super().__init__(logger.train_interval, logger.test_interval, logger.update_interval, logger.save_interval)
        self._run, self._logger = run, logger

    def log_train_data(self, collect_result: Mapping[str, Any], step: int) -> None:
        """As in `BaseLogger`; those who watch are told every time."""
        if "rew" in collect_result:
            self._run.note({"train/reward": collect_result["rew"], "train/length": collect_result["len"]})
        super().log_train_data(collect_result, step)

    def log_update_data(self, update_result: Mapping[str, Any], step: int) -> None:
        """As in `BaseLogger`; those who watch are told every time."""
        self._run.note({f"update/{name}": value for name, value in update_result.items()})
        super().log_update_data(update_result, step)

    def write(self, step_type: str, step: int, data: Mapping[str, Any]) -> None:
        """Write figures to both."""
        self._logger.write(step_type, step, data)
        self._run.note(data)

    def _log_saved(self, epoch: int, env_step: int, gradient_step: int, saved: Any) -> None:
        self._logger._log_saved(epoch, env_step, gradient_step, saved)


@contextmanager
def live(training: Run) -> Iterator[LiveRun]:
    """Let `training` be watched and steered while this lasts.

    Raises `UsageError` if another process trains in the same folder. How it ends is told to those who watch.
    """
    with held(training.folder):
        run = LiveRun(training)
        run.begin()
        try:
            yield run
        except StopRequested:
            run.end("stopped", "stopped by a watcher")
            raise
        except KeyboardInterrupt:
            run.end("stopped", "interrupted")
            raise
        except BaseException as error:
            run.end("failed", str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}")
            raise
        run.end("finished")
