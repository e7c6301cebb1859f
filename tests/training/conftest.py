"""What the tests of trainings share."""

import pytest

from arena.policy.registry import make_game
from arena.training.collecting import collect_transitions
from arena.training.tasks import GymTask


@pytest.fixture(scope="module")
def transitions(tmp_path_factory):
    """Files of games and of swings, by task."""
    folder = tmp_path_factory.mktemp("data")
    for task in (make_game("tic_tac_toe"), GymTask("Pendulum-v1")):
        buffer, _ = collect_transitions(task, "random", 300, 0.0, 4, seed=1)
        buffer.save_hdf5(folder / f"{task.name}.hdf5")
    return folder
