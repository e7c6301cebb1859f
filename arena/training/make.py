"""A training of any kind by its options: self-play, in a Gymnasium environment, or offline."""

from typing import TYPE_CHECKING, Any

from arena.policy.registry import learning_algorithm
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.scale import ScaleConfig
from arena.training.options import GymRunOptions, OfflineRunOptions

if TYPE_CHECKING:
    from arena.training.progress import TrainingRun
    from arena.training.tasks import GymTask
    from games.engine.game import Game

AnyRunOptions = RunConfig | GymRunOptions | OfflineRunOptions


def make_training(
    task: "Game | GymTask",
    algo: str,
    config: Any,
    run: AnyRunOptions,
    league: LeagueConfig | None = None,
    scale: ScaleConfig | None = None,
) -> "TrainingRun":
    """Return the training that options describe; `league` and `scale` are those of self-play."""
    learning_algorithm(algo)  # raises if there is none; only then do the options have no config
    if isinstance(run, OfflineRunOptions):
        from arena.training.offline_run import make_offline_run

        return make_offline_run(task, algo, config, run)
    if isinstance(run, GymRunOptions):
        from arena.training.gym_run import make_gym_run
        from arena.training.tasks import GymTask

        assert isinstance(task, GymTask)
        return make_gym_run(task, algo, config, run)
    from arena.training.league.self_play import SelfPlayTraining
    from games.engine.game import Game

    assert isinstance(task, Game)
    return SelfPlayTraining(task, algo, config, run, league, scale)
