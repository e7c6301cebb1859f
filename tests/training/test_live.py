"""Trainings that are watched and steered through files while they go on."""

import json
import threading
import time
from pathlib import Path

import pytest

from arena.base.errors import UsageError
from arena.match.replay import replay
from arena.policy.registry import make_agent, make_game
from arena.trainer.logger import LazyLogger
from arena.training.follow import FollowedRun, find_runs, read_run, survey_runs
from arena.training.live import LiveLogger, StopRequested, live
from arena.training.live_files import FIGURES, LIVE, read_status, request, requested
from tests.training.small import self_play

pytestmark = pytest.mark.full


class Told(LazyLogger):
    """Remembers what is written."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def write(self, step_type, step, data):
        self.names |= data.keys()


def hashes(folder: Path) -> list[str]:
    return [json.loads((one / "config.json").read_text())["sha256"] for one in sorted(folder.glob("snapshot-*"))]


def train_live(run, hook=lambda progress: None):
    logger = Told()
    with live(run) as watched:
        run.set_logger(LiveLogger(watched, logger))

        def tell(progress):
            watched.update(progress)
            hook(progress)

        run.train(tell)
    return logger


def test_watching_keeping_and_pausing_change_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.training.live.STATUS_S", 0.0)
    monkeypatch.setattr("arena.training.live.FIGURES_S", 0.0)
    self_play("ppo", tmp_path / "alone").train()
    run, kept = self_play("ppo", tmp_path / "watched"), []

    def disturb(progress):
        if progress.step >= 100 and not kept:
            request(run.folder, "snapshot")
            kept.append(progress.step)

    logger = train_live(run, disturb)
    assert hashes(tmp_path / "watched") == hashes(tmp_path / "alone")
    (extra,) = run.folder.glob("step-*")
    assert extra.name > f"step-{kept[0]:011d}"
    game = make_game("tic_tac_toe")
    make_agent(f"ppo:{extra}", game).close()
    seen = FollowedRun(run.folder)
    seen.refresh()
    assert seen.run.status.state == "finished"
    assert seen.run.status.step == run.progress().step
    assert {"train/reward", "update/policy_0/loss", "score/random"} <= seen.figures.keys()
    assert {name for name in logger.names if name.startswith("score/")} <= seen.figures.keys()
    assert [line.split()[1] for line in seen.log if "kept" not in line] == ["snapshot"] * 3 + ["finished"]
    assert any(f"kept as {extra.name}" in line for line in seen.log)
    assert seen.game.players == ("main", "main")
    assert replay(seen.game).match.returns == seen.game.verdict.returns


def test_a_pause_lasts_until_it_is_taken_back(tmp_path):
    run = self_play("ppo", tmp_path / "run")
    steps, done = [], []

    def train():
        train_live(run, lambda progress: (steps.append(progress.step), request(run.folder, "pause"))[0])
        done.append(True)

    thread = threading.Thread(target=train, daemon=True)
    thread.start()
    wait_for(lambda: (status := read_status(run.folder)) and status.state == "paused")
    reached = len(steps)
    time.sleep(0.5)
    assert len(steps) == reached
    while not done:
        request(run.folder, "pause", wanted=False)
        time.sleep(0.02)
    thread.join(60)
    assert read_status(run.folder).state == "finished"
    assert not requested(run.folder, "pause")


def test_a_stop_ends_it_where_it_can_go_on(tmp_path):
    self_play("ppo", tmp_path / "alone").train()
    run = self_play("ppo", tmp_path / "run")
    with pytest.raises(StopRequested):
        train_live(run, lambda progress: request(run.folder, "stop") if progress.step > 100 else None)
    assert read_status(run.folder).state == "stopped"
    assert not requested(run.folder, "stop")
    again = self_play("ppo", tmp_path / "run", resume=True)
    train_live(again)
    assert read_status(run.folder).state == "finished"
    assert hashes(tmp_path / "run") == hashes(tmp_path / "alone")
    seen = FollowedRun(run.folder)
    seen.refresh()
    steps = [step for step, _ in seen.figures["train/reward"]]
    assert steps == sorted(steps)  # what was told beyond the snapshot it went on from is void


def test_a_training_that_fails_says_why(tmp_path):
    run = self_play("ppo", tmp_path / "run")

    def fail(progress):
        raise UsageError("the disk is full")

    with pytest.raises(UsageError):
        train_live(run, fail)
    status = read_status(run.folder)
    assert (status.state, status.message) == ("failed", "the disk is full")


def test_nobody_else_trains_in_the_folder_meanwhile(tmp_path):
    run = self_play("ppo", tmp_path / "run")
    with live(run), pytest.raises(UsageError, match="is being trained by another process"), live(run):
        pass


def test_old_requests_are_void_and_half_a_line_is_passed_over(tmp_path):
    run = self_play("ppo", tmp_path / "run")
    with live(run):
        pass
    request(run.folder, "stop")
    with (run.folder / LIVE / FIGURES).open("a") as file:
        file.write('{"step": 7, "figures": {"a')
    train_live(run)
    seen = FollowedRun(run.folder)
    seen.refresh()
    assert seen.run.status.state == "finished"
    assert "train/reward" in seen.figures


def test_runs_are_found_those_at_work_first(tmp_path):
    for name in ("one", "two"):
        run = self_play("ppo", tmp_path / name)
        with live(run):
            pass
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("[")
    _, (problem,) = survey_runs(tmp_path)
    assert problem.startswith(f"{tmp_path / 'broken' / 'run.json'} cannot be read")
    with live(self_play("ppo", tmp_path / "one", resume=True)):
        assert [run.name for run in find_runs(tmp_path)] == ["one", "two"]
    assert find_runs(tmp_path / "nowhere") == []
    assert read_run(tmp_path / "two").game == "tic_tac_toe(m=3, n=3, k=3)"


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
