"""Tasks named on a command line: games and Gymnasium environments."""

from typing import TYPE_CHECKING

from arena.policy.registry import make_game
from arena.training.gym_names import GYM, is_gym
from games.engine.identity import GameId
from games.engine.options import plain_value

if TYPE_CHECKING:
    from arena.training.tasks import GymTask
    from games.engine.game import Game


def make_task(name: str) -> "Game | GymTask":
    """Return a task by name and options: `connect_four`, `tic_tac_toe:m=6`, `gym:FrozenLake-v1,is_slippery=False`.

    Raises `UsageError` if it is unknown.
    """
    return make_gym_task(name) if is_gym(name) else make_game(name)


def make_gym_task(name: str) -> "GymTask":
    """Return a Gymnasium environment by its task name; raise `UsageError` if there is none."""
    from arena.training.tasks import GymTask

    given = GameId.parse(name)
    options = {key: plain_value(str(value)) for key, value in given.options.items()}
    return GymTask(given.name.removeprefix(GYM), options)


def task_name(text: str) -> str:
    """Return the name of a task without its options, as default folders are called; raise `UsageError` if unknown."""
    return GameId.parse(text).name if is_gym(text) else make_game(text).name
