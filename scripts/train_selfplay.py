"""Train an agent by self-play in a league, then measure it: `arena train` through the Python API.

    python scripts/train_selfplay.py [folder]

Copy it and change the constants in capitals.
"""

import sys
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from agents.configs.on_policy import PPOConfig
from arena.policy.registry import make_agent, make_game
from arena.trainer.logger import TensorboardLogger
from arena.training.evaluation import score_against
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.self_play import SelfPlayTraining
from arena.training.progress import Progress

GAME = make_game("connect_four", rows=6, columns=7)

# how long, how wide, and where; with resume=True a run that was stopped goes on
RUN = RunConfig(steps=400_000, snapshots=8, boards=256, seed=0)

# half of the games against itself, a quarter against its own snapshots, the rest against a fixed agent
LEAGUE = LeagueConfig(self_play=0.5, pool=0.25, matchmaker="uniform", references=("one-ply",))

PPO = PPOConfig(learning_rate=2.5e-3, ent_coef=0.01)


def show(progress: Progress) -> None:
    """Print a line at every tenth of the way; called after every collection."""
    tenth = progress.total_steps // 10
    if progress.step // tenth > (progress.step - RUN.boards * RUN.moves) // tenth:
        pool = "none yet" if progress.pool_score is None else f"{progress.pool_score:.0%}"
        print(f"{progress.step:,} moves, {progress.snapshots} snapshots, score against the pool: {pool}")


def main(folder: str = "runs/selfplay") -> None:
    run = RunConfig(**{**vars(RUN), "out": Path(folder)})
    training = SelfPlayTraining(GAME, "ppo", PPO, run, LEAGUE)
    with SummaryWriter(f"{folder}/tensorboard") as writer:
        training.set_logger(TensorboardLogger(writer))
        last = training.train(show)

    agent = make_agent(f"ppo:{last}", GAME)  # the newest snapshot, loaded from disk
    for opponent in ("random", "one-ply", "alphabeta:4"):
        score = score_against(GAME, agent, make_agent(opponent, GAME), games=200, seed=1)
        print(f"{agent.__class__.__name__} scores {score:.1%} of 200 games against {opponent}")


if __name__ == "__main__":
    main(*sys.argv[1:])
