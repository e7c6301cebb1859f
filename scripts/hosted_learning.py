"""Train PPO in cooperative and mixed environments of mpe2, and print what it earns beside random agents.

    python scripts/hosted_learning.py                 both games, seeds 0 to 2
    python scripts/hosted_learning.py simple_tag 0    one game, one seed

In `simple_spread` three agents cover three places, so that a team of learned agents is compared with one of random
agents. In `simple_tag` three adversaries chase an agent: each side plays against the other side at random. All play the
same 400 games; a row has the mean return of a seat of that side with its 95 % interval, and the processor time.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from agents.algorithms.ppo import PPOConfig
from arena.base.seeding import spawn_seeds
from arena.league.config import LEAGUES, RunConfig
from arena.league.training import SelfPlayTraining
from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent, make_game
from arena.runs.evaluation import testing
from games.engine.game import Game

SIDES = {"simple_spread": {"team": (0, 1, 2)}, "simple_tag": {"adversaries": (0, 1, 2), "agent": (3,)}}
"""Seats of each side, by game."""
CONFIG = PPOConfig(learning_rate=7e-4, batch_size=1200, repeat=5, reward_normalization=True)
RUN = RunConfig(
    steps=1_500_000, snapshots=1, threads=1, boards=64, moves=75, evaluation=("random",), evaluation_games=4
)
GAMES = 400


def earned(game: Game, spec: str, sides: dict[str, tuple[int, ...]]) -> dict[str, str]:
    """Return the mean return of each side at random, and of that side learned, the other side being at random."""
    players = [("random", make_agent("random", game)), ("learned", make_agent(spec, game))]
    texts = {}
    for name, seats in sides.items():
        for who, holder in enumerate(("random", "learned")):
            seating = tuple(who * (seat in seats) for seat in range(game.num_players))
            with testing(players[1][1]):
                records = play_matches(game, players, [Pairing(seating, seed) for seed in spawn_seeds(1, count=GAMES)])
            means = np.array([record.verdict.returns for record in records])[:, list(seats)].mean(axis=1)
            texts[f"{name}, {holder}"] = f"{means.mean():.1f} ± {1.96 * means.std() / GAMES**0.5:.1f}"
    return texts


def main() -> None:
    """Train and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", choices=tuple(SIDES), help="one game; by default all")
    parser.add_argument("seed", nargs="?", type=int, help="one seed; by default 0, 1, 2")
    parser.add_argument("--steps", type=int, default=RUN.steps, help="moves of all agents together")
    options = parser.parse_args()
    for name in [options.game] if options.game else SIDES:
        game = make_game(f"pettingzoo:mpe2.{name}_v3")
        for seed in range(3) if options.seed is None else [options.seed]:
            with tempfile.TemporaryDirectory() as folder:
                run = replace(RUN, out=Path(folder) / "run", seed=seed, steps=options.steps)
                start = time.process_time()
                snapshot = SelfPlayTraining(game, "ppo", CONFIG, run, LEAGUES["naive"]).train()
                spent = time.process_time() - start
                figures = [f"{who}: {text}" for who, text in earned(game, f"ppo:{snapshot}", SIDES[name]).items()]
            print(f"{name}, seed {seed}, {spent:.0f} s:", *figures, sep="  ", flush=True)


if __name__ == "__main__":
    main()
