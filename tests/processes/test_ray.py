"""Workers on a Ray cluster: whoever dies is counted, and what it was at is done again, whatever the jobs are."""

import json
import os
import subprocess
import sys

import pytest

from tests import on_ray

pytestmark = [pytest.mark.full, pytest.mark.slow("starts a cluster and kills its nodes")]

pytest.importorskip("ray")


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    """What went wrong in each part of the program of `tests.on_ray`."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(on_ray.ROOT), os.environ.get("PYTHONPATH", "")])}
    environment.pop("RAY_ADDRESS", None)
    folder = tmp_path_factory.mktemp("cluster")
    command = [sys.executable, "-m", "tests.on_ray"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_job_is_done_again_whose_worker_dies_and_given_up_in_the_end(faults):
    assert not faults["tests.processes.on_ray"]


def test_games_of_self_play_are_those_of_one_process_though_a_node_is_killed(faults):
    assert not faults["tests.training.league.workers.on_ray"]


def test_a_ladder_is_that_of_one_process_though_a_node_is_killed(faults):
    assert not faults["tests.server.on_ray"]


def test_a_tournament_is_that_of_one_process_though_a_node_is_killed(faults):
    assert not faults["tests.tournament.on_ray"]
