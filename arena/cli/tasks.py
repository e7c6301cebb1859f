"""What a command line means by a task: a game, or an environment of Gymnasium."""

from typing import TYPE_CHECKING

from arena.registry import make_game
from arena.runs.options import GYM
from games.engine.game import Game

if TYPE_CHECKING:
    from arena.runs.tasks import GymTask


def is_gym(name: str) -> bool:
    """Whether a task is an environment of Gymnasium."""
    return name.startswith(GYM)


def make_task(name: str) -> "Game | GymTask":
    """The task of a name: `connect_four`, `tic_tac_toe:m=6`, `gym:CartPole-v1`; `UsageError` for an unknown one."""
    if not is_gym(name):
        return make_game(name)
    from arena.runs.tasks import GymTask

    return GymTask(name.removeprefix(GYM))
