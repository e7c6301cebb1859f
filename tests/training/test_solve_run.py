"""Solving in a folder: measured on the way, killed and carried on."""

import csv
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from arena.analysis.table import load_table
from arena.base.errors import CheckpointError, UsageError
from arena.policy.registry import make_game
from arena.policy.snapshots import read_config
from arena.training.solve_run import CURVE, SolveOptions, SolveRun

pytestmark = pytest.mark.full

KUHN = make_game("kuhn_poker")


def solved(folder, algorithm="cfr", **options):
    run = SolveRun(KUHN, algorithm, SolveOptions(out=folder, **options))
    run.solve(lambda done, rate, measured: None)
    return run


def curve(folder):
    with open(folder / CURVE, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_it_is_measured_after_1_2_5_10_and_so_on(tmp_path):
    solved(tmp_path / "r", iterations=70)
    rows = curve(tmp_path / "r")
    assert [int(row["iterations"]) for row in rows] == [1, 2, 5, 10, 20, 50, 70]
    assert float(rows[3]["exploitability"]) == pytest.approx(0.068698794, abs=1e-9)
    assert float(rows[3]["nash_conv"]) == pytest.approx(2 * 0.068698794, abs=1e-8)
    made_by = read_config(tmp_path / "r" / "snapshot-0007")["config"]
    assert (made_by["solver"], made_by["iterations"]) == ("cfr", 70)


def test_it_stops_where_it_is_good_enough(tmp_path):
    run = solved(tmp_path / "r", until=0.07, iterations=1000)
    assert run.solver.iterations == 10
    assert run.finished


@pytest.mark.parametrize("algorithm", ["cfr+", "external-sampling"])
def test_going_on_ends_where_one_run_would_have_ended(tmp_path, algorithm):
    solved(tmp_path / "once", algorithm, iterations=200)
    solved(tmp_path / "twice", algorithm, iterations=20)
    solved(tmp_path / "twice", algorithm, iterations=200, resume=True)
    for name in ("snapshot-0004", "snapshot-0008"):
        once, twice = (load_table(tmp_path / run / name, KUHN) for run in ("once", "twice"))
        np.testing.assert_array_equal(once.probs, twice.probs)
    assert [row["nash_conv"] for row in curve(tmp_path / "once")] == [
        row["nash_conv"] for row in curve(tmp_path / "twice")
    ]


def test_a_finished_run_has_nothing_to_do(tmp_path):
    solved(tmp_path / "r", iterations=20)
    assert SolveRun(KUHN, "cfr", SolveOptions(out=tmp_path / "r", iterations=20, resume=True)).finished


PROGRAM = """
import sys
from pathlib import Path
from arena.policy.registry import make_game
from arena.training.solve_run import SolveOptions, SolveRun
import arena.training.solve_run
arena.training.solve_run.SAVE_S = 0.0  # writes all the time
options = SolveOptions(out=Path(sys.argv[1]), iterations=3_000_000, resume=sys.argv[2] == "resume")
SolveRun(make_game("kuhn_poker"), "cfr+", options).solve(lambda done, rate, measured: print(done, flush=True))
"""


def test_a_kill_at_any_moment_costs_nothing_but_time(tmp_path):
    """Killed again and again, wherever it is; each time it goes on from a whole state."""
    folder, reached = tmp_path / "r", 0
    for turn in range(3):
        word = "resume" if turn else "new"
        child = subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder), word], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        begun = int(child.stdout.readline())
        assert begun > reached or turn == 0, "it goes on from where it was"
        for _ in range(8):
            reached = int(child.stdout.readline() or reached)
        time.sleep(0.01 * turn)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        state = SolveRun(KUHN, "cfr+", SolveOptions(out=folder, iterations=3_000_000, resume=True))
        reached = state.solver.iterations
    plain = SolveRun(KUHN, "cfr+", SolveOptions(out=tmp_path / "plain"))
    plain.solver.run(reached)
    np.testing.assert_array_equal(plain.solver.tree_solver.average, state.solver.tree_solver.average)
    np.testing.assert_array_equal(plain.solver.tree_solver.regrets, state.solver.tree_solver.regrets)


def test_folders_of_others_are_refused(tmp_path):
    solved(tmp_path / "r", iterations=5)
    with pytest.raises(UsageError, match="holds a run already"):
        solved(tmp_path / "r", iterations=5)
    with pytest.raises(UsageError, match=r"solver='cfr\+' cannot change: .* has solver='cfr'"):
        solved(tmp_path / "r", "cfr+", iterations=5, resume=True)
    with pytest.raises(UsageError, match="no run to resume"):
        solved(tmp_path / "empty", resume=True)
    (tmp_path / "r" / "training" / "arrays.safetensors").write_bytes(b"nonsense")
    with pytest.raises(CheckpointError, match="cannot be read"):
        solved(tmp_path / "r", iterations=9, resume=True)


@pytest.mark.parametrize(
    ("spec", "message"),
    [("tic_tac_toe", "no hidden information"), ("texas_holdem", "more than 2,000,000 positions")],
)
def test_games_that_cannot_be_solved_leave_no_folder(tmp_path, spec, message):
    with pytest.raises(UsageError, match=message):
        SolveRun(make_game(spec), "cfr", SolveOptions(out=tmp_path / "r"))
    assert not (tmp_path / "r").exists()
