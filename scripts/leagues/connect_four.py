"""Connect Four: agents of leagues beside naive self-play of the same budget, by Elo and by exploiters.

PPO is trained in four leagues (`arena train --league`: naive, past, pfsp, full), all for the same number of moves, from
several seeds. Then a fresh exploiter is trained against each agent, and all agents meet in one tournament. Every step
saves its result and is not repeated; an interrupted training is resumed.
"""

import csv
import json
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from arena.base.durations import require_duration
from arena.policy.registry import make_agent, make_game
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament
from arena.training.budget import steps_within
from arena.training.league.config import LEAGUES, LeagueName, RunConfig
from arena.training.league.exploiter import RESULT, ExploitOptions, begin, games_of, measure
from arena.training.league.self_play import SelfPlayTraining
from arena.training.progress import Progress

GAME, ALGORITHM = "connect_four", "ppo"
NAMES: tuple[LeagueName, ...] = ("naive", "past", "pfsp", "full")
REFERENCES = ("one-ply", "alphabeta:4")
"""Agents that play in the tournament as well; the first has the rating 0."""
OPENINGS = 4
"""Random moves at the start of games that have to differ."""
BUDGET, CLOCK, ELO, TABLE = "budget.json", "seconds", "tournament.json", "table"


@dataclass(frozen=True)
class Options:
    """Trainings to compare, and their length."""

    out: Path
    """Folder of all results."""
    budget: str = "10m"
    """Time of each training, converted into moves at the speed of naive self-play."""
    exploiter_budget: str = "10m"
    """Time of each exploiter's training, likewise."""
    seeds: tuple[int, ...] = (0, 1, 2)
    snapshots: int = 20
    boards: int = 512
    """Training games played at the same time."""
    threads: int = 2
    """Threads of every training."""
    games: int = 100
    """Games of each pair in the tournament."""
    exploiter_games: int = 1000
    """Games that measure an exploiter."""


@dataclass(frozen=True)
class Row:
    """Result of one training."""

    league: str
    seed: int
    steps: int
    """Moves of all its learners."""
    minutes: float
    """Minutes of the training."""
    elo: float
    error: float
    """Half-width of the 95 % interval of `elo`."""
    exploiter: float
    """Score against it, 0 to 1, of a fresh exploiter trained on games with up to `OPENINGS` random first moves."""
    exploiter_openings: float
    """The same for games that begin with random moves."""


def compare(options: Options, say: Callable[[str], None]) -> list[Row]:
    """Do everything not yet done; return a row for each league and seed."""
    options.out.mkdir(parents=True, exist_ok=True)
    steps, exploiter_steps = _steps(options, say)
    runs = [(league, seed) for seed in options.seeds for league in NAMES]
    for league, seed in runs:
        _train(options, league, seed, steps, say)
    for league, seed in runs:
        _exploit(options, league, seed, exploiter_steps, say)
    ratings = _rate(options, runs, say)
    rows = [_row(options, league, seed, ratings[f"{league}-{seed}"]) for league, seed in runs]
    write(rows, options.out)
    return rows


def _steps(options: Options, say: Callable[[str], None]) -> tuple[int, int]:
    """Return the moves of every training and of every exploiter's, measured once and saved."""
    file = options.out / BUDGET
    if not file.exists():
        say("measuring the speed of naive self-play")
        budgets = [require_duration("budget", text, "10m") for text in (options.budget, options.exploiter_budget)]
        made = steps_within(budgets[0], lambda folder, endless: _training(options, folder, "naive", 0, endless))
        file.write_text(json.dumps([made, int(made * budgets[1] / budgets[0])]), encoding="utf-8")
    steps, exploiter_steps = json.loads(file.read_text(encoding="utf-8"))
    return int(steps), int(exploiter_steps)


def _training(options: Options, folder: Path, league: LeagueName, seed: int, steps: int) -> SelfPlayTraining:
    run = RunConfig(
        out=folder,
        resume=(folder / "run.json").exists(),
        seed=seed,
        steps=steps,
        snapshots=options.snapshots,
        boards=options.boards,
        threads=options.threads,
    )
    return SelfPlayTraining(make_game(GAME), ALGORITHM, run=run, league=LEAGUES[league])


def _train(options: Options, league: LeagueName, seed: int, steps: int, say: Callable[[str], None]) -> None:
    folder = options.out / f"{league}-{seed}"
    training = _training(options, folder, league, seed, steps)
    if training.finished:
        return
    say(f"training {league}, seed {seed}, {steps:,} moves")
    clock, start_s = folder / CLOCK, time.monotonic()
    before = float(clock.read_text()) if clock.exists() else 0.0
    num_snapshots = training.progress().snapshots

    def watch(progress: Progress) -> None:
        nonlocal num_snapshots
        if progress.snapshots > num_snapshots:
            num_snapshots = progress.snapshots
            clock.write_text(f"{before + time.monotonic() - start_s:.1f}")

    training.train(watch)
    clock.write_text(f"{before + time.monotonic() - start_s:.1f}")


def _exploit(options: Options, league: LeagueName, seed: int, steps: int, say: Callable[[str], None]) -> None:
    folder = options.out / f"exploiter-{league}-{seed}"
    if (folder / RESULT).exists():
        return
    say(f"exploiting {league}, seed {seed}, {steps:,} moves")
    game, agent = make_game(GAME), _agent(options, league, seed)
    config = ExploitOptions(
        out=folder,
        resume=(folder / "run.json").exists(),
        steps=steps,
        seed=seed,
        boards=options.boards,
        threads=options.threads,
        games=options.exploiter_games,
        openings=OPENINGS,
    )
    begin(game, agent, config).train()
    spec = f"{config.algorithm}:{folder}"
    results: dict[str, Any] = {}
    for name, plies in (("start", 0), ("openings", OPENINGS)):
        changed = ExploitOptions(**{**vars(config), "openings": plies})
        records = games_of(game, (spec, make_agent(spec, game)), (agent, make_agent(agent, game)), changed)
        results[name] = measure(game, agent, spec, steps, records).as_dict()
    (folder / RESULT).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def _rate(
    options: Options, runs: Sequence[tuple[LeagueName, int]], say: Callable[[str], None]
) -> dict[str, tuple[float, float]]:
    """Return the Elo of every training's agent and its 95 % half-width, from one tournament of all."""
    players = {f"{league}-{seed}": _agent(options, league, seed) for league, seed in runs}
    players |= {spec: spec for spec in REFERENCES}
    config = TournamentConfig(games=options.games, openings=f"random:{OPENINGS}", anchor=REFERENCES[0])
    say(f"a tournament of {len(players)}")
    with Store(str(options.out / "games.db")) as store:
        table = run_tournament(make_game(GAME), players, config, store=store).standings
    return {row.name.partition("@")[0]: (row.elo, row.error) for row in table.rows}


def _agent(options: Options, league: LeagueName, seed: int) -> str:
    return f"{ALGORITHM}:{options.out / f'{league}-{seed}'}"


def _row(options: Options, league: LeagueName, seed: int, rating: tuple[float, float]) -> Row:
    folder = options.out / f"{league}-{seed}"
    exploited = json.loads((options.out / f"exploiter-{league}-{seed}" / RESULT).read_text(encoding="utf-8"))
    league_file = json.loads((folder / "league.json").read_text(encoding="utf-8"))
    return Row(
        league,
        seed,
        league_file["step"],
        round(float((folder / CLOCK).read_text()) / 60, 2),
        round(rating[0], 1),
        round(rating[1], 1),
        exploited["start"]["score"],
        exploited["openings"]["score"],
    )


def write(rows: Iterable[Row], folder: Path) -> None:
    """Write the rows as CSV, and their means over the seeds as a Markdown table."""
    rows = list(rows)
    with (folder / f"{TABLE}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, rows))
    (folder / f"{TABLE}.md").write_text(as_markdown(rows), encoding="utf-8")


def as_markdown(rows: Sequence[Row]) -> str:
    """Return a line a league: means over the seeds, then each seed."""
    lines = [
        "| league | moves | minutes | Elo | an exploiter's score | after 4 random moves |",
        "|---|---|---|---|---|---|",
    ]
    for league in NAMES:
        runs = [row for row in rows if row.league == league]
        if runs:
            steps, minutes = (statistics.mean(getattr(row, name) for row in runs) for name in ("steps", "minutes"))
            cells = [f"{steps:,.0f}", f"{minutes:.1f}", _mean([row.elo for row in runs], "{:.0f}")]
            cells += [
                _mean([100 * score for score in column], "{:.0f} %")
                for column in zip(*((row.exploiter, row.exploiter_openings) for row in runs), strict=True)
            ]
            lines.append(f"| {league} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _mean(values: Sequence[float], shape: str) -> str:
    each = ", ".join(map(shape.format, values))
    return f"{shape.format(statistics.mean(values))} ({each})" if len(values) > 1 else each
