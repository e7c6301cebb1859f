"""Train PPO in games of other packages from three seeds, and measure what it earns against random agents.

    python scripts/hosted_learning.py --csv scripts/hosted_learning.csv           all games
    python scripts/hosted_learning.py simple_tag --csv scripts/hosted_learning.csv    one game
    python scripts/hosted_learning.py simple_tag --seed 0 --steps 500000              one seed, shorter

Each training has one thread. Two-player games are scored: the share of points against `random`, from both seats alike.
Where a game is not just won or lost, a row has the mean return of a seat of one side, learned and at random, while the
other side is at random. In `simple_spread` three agents cover three places, so that a team of learned agents is beside
a team of random ones. In `simple_tag` three adversaries chase an agent. Intervals are of 95 %.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from sections import measure, parse_sections, section_parser

from agents.configs.on_policy import PPOConfig
from arena.base.intervals import mean_error
from arena.base.seeding import spawn_seeds
from arena.match.batch import Pairing, play_matches
from arena.match.verdict import results
from arena.policy.registry import make_agent, make_game
from arena.training.evaluation import testing
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.self_play import SelfPlayTraining
from games.engine.game import Game

Seats = tuple[int, ...]
SEEDS = (0, 1, 2)
EITHER_SEAT: dict[str, tuple[Seats, ...]] = {"either seat": ((0,), (1,))}
PLAIN, PAST = PPOConfig(), LeagueConfig()
ALSO_RANDOM = LeagueConfig(self_play=0.4, pool=0.0, references=("random",))
"""Where self-play alone does not teach to punish mistakes that nobody makes there any more."""
SHORT = RunConfig(snapshots=1, threads=1, evaluation=("random",), evaluation_games=4)
MPE = PPOConfig(learning_rate=7e-4, batch_size=1200, repeat=5, reward_normalization=True)


@dataclass(frozen=True)
class Task:
    """A training and what is measured after it."""

    game: str
    steps: int
    sides: dict[str, tuple[Seats, ...]] = field(default_factory=lambda: EITHER_SEAT)
    """Seats that the learned agent holds, by the side that they are; where there are several, equally often."""
    scored: bool = False
    """Measure shares of points; returns otherwise."""
    bounded: bool = False
    """Compute what OpenSpiel's exact best response to random play earns as well: nobody earns more."""
    games: int = 2000
    config: PPOConfig = PLAIN
    run: RunConfig = SHORT
    league: LeagueConfig = PAST


TASKS = {
    "oware": Task("openspiel:oware", 2_500_000, scored=True),
    "dots_and_boxes": Task("openspiel:dots_and_boxes", 600_000, scored=True),
    "liars_dice": Task("openspiel:liars_dice", 1_500_000, scored=True, bounded=True, league=ALSO_RANDOM),
    "gin_rummy": Task("openspiel:gin_rummy", 900_000, run=replace(SHORT, boards=64)),
    "texas_holdem_no_limit": Task(
        "pettingzoo:pettingzoo.classic.texas_holdem_no_limit_v6",
        600_000,
        games=6000,
        run=replace(SHORT, boards=64),
        league=ALSO_RANDOM,
    ),
    "simple_spread": Task(
        "pettingzoo:mpe2.simple_spread_v3",
        600_000,
        {"team": ((0, 1, 2),)},
        config=MPE,
        run=replace(SHORT, boards=64, moves=75),
        league=LeagueConfig(self_play=1.0, pool=0.0),
    ),
    "simple_tag": Task(
        "pettingzoo:mpe2.simple_tag_v3",
        1_500_000,
        {"adversaries": ((0, 1, 2),), "agent": ((3,),)},
        config=replace(MPE, discount_factor=0.95),
        run=replace(SHORT, boards=64, moves=75),
        league=ALSO_RANDOM,
    ),
}


@dataclass(frozen=True)
class Learned:
    """What one side earns after one training."""

    section: str
    game: str
    side: str
    seed: int
    steps: int
    seconds: float
    """Processor time of the training."""
    measure: str
    learned: float
    learned_error: float
    """Half-width of the 95 % interval."""
    random: float
    """The same of an agent that plays at random."""
    random_error: float
    games: int


def main() -> None:
    """Train, measure and print."""
    parser = section_parser(__doc__, TASKS)
    parser.add_argument("--seed", type=int, help="one seed; by default 0, 1, 2")
    parser.add_argument("--steps", type=int, help="moves of all agents together; by default those of the game")
    options = parse_sections(parser, TASKS)
    seeds = SEEDS if options.seed is None else (options.seed,)

    def rows_of(name: str) -> Iterator[Learned]:
        task = TASKS[name]
        for seed in seeds:
            yield from after_training(name, replace(task, steps=options.steps or task.steps), seed)
        if task.bounded:
            yield best_response(name, task)

    measure(options, rows_of, as_text)


def after_training(name: str, task: Task, seed: int) -> Iterator[Learned]:
    """Train, and measure every side."""
    game = make_game(task.game)
    with tempfile.TemporaryDirectory() as folder:
        run = replace(task.run, out=Path(folder) / "run", seed=seed, steps=task.steps)
        start = time.process_time()
        snapshot = SelfPlayTraining(game, "ppo", task.config, run, task.league).train()
        spent = time.process_time() - start
        for side, seatings in task.sides.items():
            learned, random = (mean_return(game, who, seatings, task) for who in (f"ppo:{snapshot}", "random"))
            what = "score" if task.scored else "return"
            yield Learned(name, task.game, side, seed, task.steps, spent, what, *learned, *random, task.games)


def best_response(name: str, task: Task) -> Learned:
    """Return what OpenSpiel's exact best response to random play scores in a two-player game, over both seats."""
    import pyspiel

    start = time.process_time()
    game = pyspiel.load_game(task.game.removeprefix("openspiel:"))
    opponent = pyspiel.UniformRandomPolicy(game)  # the responses point to it, and do not keep it alive
    responses = [pyspiel.TabularBestResponse(game, seat, opponent) for seat in (0, 1)]
    score = sum((one.value_from_state(game.new_initial_state()) + 1) / 4 for one in responses)
    spent = time.process_time() - start
    return Learned(name, task.game, "exact best response", 0, 0, spent, "score", score, 0.0, 0.5, 0.0, 0)


def mean_return(game: Game, spec: str, seatings: tuple[Seats, ...], task: Task) -> tuple[float, float]:
    """Return what an agent earns in these seats, and half its interval, while all other seats play at random."""
    players = [("random", make_agent("random", game)), ("measured", make_agent(spec, game))]
    seats_by_game = [seatings[number % len(seatings)] for number in range(task.games)]
    pairings = [
        Pairing(tuple(int(seat in seats) for seat in range(game.num_players)), seed)
        for seats, seed in zip(seats_by_game, spawn_seeds(1, count=task.games), strict=True)
    ]
    with testing(players[1][1]):
        records = play_matches(game, players, pairings)
    points_or_returns: Callable[[tuple[float, ...]], tuple[float, ...]] = points if task.scored else tuple
    each = np.array(
        [
            np.mean([points_or_returns(record.verdict.returns)[seat] for seat in seats])
            for seats, record in zip(seats_by_game, records, strict=True)
        ]
    )
    return float(each.mean()), mean_error(len(each), each.sum(), (each**2).sum())


def points(returns: tuple[float, ...]) -> tuple[float, ...]:
    """Return the points of each seat: 1 for a win, 0.5 for a draw, 0 for a loss."""
    return tuple((result + 1) / 2 for result in results(returns))


def as_text(row: Learned) -> str:
    """Return a row as a line."""
    return (
        f"{row.section}, seed {row.seed}, {row.seconds:.0f} s, {row.side}: {row.measure} "
        f"{row.learned:.3g} ± {row.learned_error:.2g}, random {row.random:.3g} ± {row.random_error:.2g}"
    )


if __name__ == "__main__":
    main()
