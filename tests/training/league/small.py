"""Trainings of a few seconds, and what they leave behind."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agents.configs.on_policy import PPOConfig
from agents.configs.value_based import DQNConfig
from arena.policy.registry import make_game
from arena.training.folder import ORIGIN
from arena.training.league.config import LEAGUES, LeagueConfig, RunConfig
from arena.training.league.scale import ScaleConfig
from arena.training.league.self_play import SelfPlayTraining
from arena.training.options import DESCRIPTION, LOGGER, RESOURCES

CONFIGS = {
    "ppo": PPOConfig(hidden=16, channels=8, batch_size=128),
    "dqn": DQNConfig(hidden=16, batch_size=32, buffer_size=2000, target_update_freq=20),
}
LEAGUE = LeagueConfig(self_play=0.4, pool=0.4, opponents=2, references=("random",))
WORDS = {
    "ppo": ["--hidden", "16", "--channels", "8", "--batch-size", "128"],
    "dqn": ["--hidden", "16", "--batch-size", "32", "--buffer-size", "2000", "--target-update-freq", "20"],
}
"""The same settings as words of a command line."""
LEAGUE_WORDS = ["--self-play", "0.4", "--pool", "0.4", "--opponents", "2", "--references", "random"]
FULL = replace(
    LEAGUES["full"],
    self_play=0.25,
    opponents=2,
    references=("random",),
    gate="score",
    gate_score=0.5,
    gate_games=10,
    exploiter_share=1.0,
)
FULL_WORDS = ["--league", "full", "--self-play", "0.25", "--opponents", "2", "--references", "random",
              "--gate", "score", "--gate-score", "0.5", "--gate-games", "10",
              "--exploiter-share", "1.0"]  # fmt: skip
"""Main agent, exploiters and a gate."""


def run_config(out: Path, **changed) -> RunConfig:
    """A short run of five snapshots on one thread."""
    settings = {"steps": 10_000, "snapshots": 5, "boards": 64, "moves": 8, "evaluation": ("random",), "seed": 3}
    return RunConfig(out=out, evaluation_games=10, threads=1, **settings | changed)


def words(algo: str, out: Path, league: Sequence[str] = LEAGUE_WORDS, **changed) -> list[str]:
    """The command line of `run_config`."""
    run = run_config(out, **changed)
    numbers = [word for name in ("steps", "snapshots", "boards", "moves", "seed", "threads", "evaluation_games")
               for word in (f"--{name.replace('_', '-')}", str(getattr(run, name)))]  # fmt: skip
    return ["train", "tic_tac_toe", algo, "--out", str(out), *numbers, "--evaluation", *run.evaluation,
            *WORDS[algo], *league]  # fmt: skip


def training(
    algo: str, out: Path, league: LeagueConfig = LEAGUE, scale: ScaleConfig | None = None, **changed
) -> SelfPlayTraining:
    return SelfPlayTraining(make_game("tic_tac_toe"), algo, CONFIGS[algo], run_config(out, **changed), league, scale)


def left_behind(folder: Path) -> dict[str, bytes]:
    """Every file of a run but what is there to look at: snapshots, and all that is needed to go on.

    What it used of the machine, such as workers, is left out.
    """
    shown = {"tensorboard", "live", LOGGER}
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not shown & set(path.parts)]
    return {str(path.relative_to(folder)): _comparable(path) for path in files}


def _comparable(path: Path) -> bytes:
    """The bytes of a file; of a run's description without its origin and what it used of the machine."""
    content = path.read_bytes()
    if path.name != DESCRIPTION:
        return content
    with suppress(ValueError, AttributeError):  # a damaged one
        return json.dumps(
            {key: value for key, value in json.loads(content).items() if key not in (ORIGIN, RESOURCES)}
        ).encode()
    return content
