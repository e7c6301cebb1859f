"""Tasks named on a command line: games and Gymnasium environments."""

from typing import TYPE_CHECKING

from arena.policy.registry import make_game
from arena.training.options import GYM

if TYPE_CHECKING:
    from arena.training.tasks import GymTask
    from games.engine.game import Game


def is_gym(name: str) -> bool:
    """Return whether the name of a task is that of a Gymnasium environment."""
    return name.startswith(GYM)


def make_task(name: str) -> "Game | GymTask":
    """Return a task by name: `connect_four`, `tic_tac_toe:m=6`, `gym:CartPole-v1`; raise `UsageError` if unknown."""
    if not is_gym(name):
        return make_game(name)
    from arena.training.tasks import GymTask

    return GymTask(name.removeprefix(GYM))


def task_name(text: str) -> str:
    """Return the name of a task without its options, as default folders are called; raise `UsageError` if unknown."""
    return text if is_gym(text) else make_game(text).name
