"""Self-play on a Ray cluster: the same games, and a node that is killed costs only repeated work."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray")
ROOT = Path(__file__).parents[3]


def test_games_are_those_of_one_process_though_a_node_is_killed(tmp_path):
    from tests.league.workers import on_ray

    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    environment.pop("RAY_ADDRESS", None)
    command = [sys.executable, on_ray.__file__]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
