"""Small games: exact exploitability of trained policies and of league mixtures.

Naive self-play yields its last policy. A league yields the mixture of its members that is an equilibrium among them,
by their exact payoffs: one of them is drawn for every game. Both are trained by PPO with the same configuration.
"""

import csv
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from agents.configs.on_policy import PPOConfig
from agents.solvers.psro import Psro
from arena.analysis.asking import ask_strategy
from arena.analysis.response import Exploitability, exploitability
from arena.analysis.strategy_pools import META, StrategyPools
from arena.analysis.tree import Floats, GameTree, build_tree
from arena.policy.registry import make_agent, make_game
from arena.training.league.config import LEAGUES, LeagueConfig, RunConfig
from arena.training.league.records import League, Member
from arena.training.league.self_play import SelfPlayTraining

FIVE = "matrix_game:payoffs=0 1 1 -1 -1;-1 0 1 1 -1;-1 -1 0 1 1;1 -1 -1 0 1;1 1 -1 -1 0"
"""Payoffs of a cycle of five: each beats the next two."""
GAMES = {"rock-paper-scissors": "matrix_game:payoffs=rock_paper_scissors", "five in a circle": FIVE}
GAMES |= {"Kuhn poker": "kuhn_poker"}
PPO = PPOConfig(hidden=16, channels=0, batch_size=256, learning_rate=0.02, ent_coef=0.06)
COMPARED = {
    "naive": LEAGUES["naive"],
    "past": LEAGUES["past"],
    "full": LEAGUES["full"],
    "full, psro": replace(LEAGUES["full"], matchmaker="psro"),
}
STEPS = {"Kuhn poker": 480_000}
"""Moves of a training, if not `FEW`."""
FEW = 80_000


@dataclass(frozen=True)
class Row:
    """Result of one training."""

    game: str
    league: str
    seed: int
    last: float
    """Exploitability of the last policy of the main agent, in the game's payoffs."""
    mixture: float
    """Exploitability of the mixture of all members."""
    support: int
    """Number of members in the mixture's support."""
    members: int


@dataclass(frozen=True)
class Mixture:
    """A mixture of members and its exploitability."""

    members: tuple[Member, ...]
    shares: tuple[Floats, ...]
    """Shares of the members [n], for each seat."""
    result: Exploitability
    """Exploitability of the mixture."""
    alone: tuple[Exploitability, ...]
    """Exploitability of each member by itself."""

    @property
    def support(self) -> int:
        """Number of members whose share is at least 1 % for some seat."""
        return int((np.max(self.shares, axis=0) >= 0.01).sum())


def mix_members(tree: GameTree, run: Path, league: League) -> Mixture:
    """Mix the members of the league in the folder `run` by their equilibrium; each plays by its probabilities."""
    strategies = np.stack([_strategy(tree, run, league, member) for member in league.members])
    pools = StrategyPools(tree, "nash", strategies)
    alone = tuple(exploitability(tree, strategy) for strategy in strategies)
    return Mixture(tuple(league.members), tuple(pools.shares), exploitability(tree, pools.strategy()), alone)


def _strategy(tree: GameTree, run: Path, league: League, member: Member) -> Floats:
    """Return the strategy [Q] of a member: probabilities of all moves in all information states."""
    spec = f"{league.algorithm}:{run / member.folder}"
    with closing(make_agent(spec, tree.game)) as policy:
        return ask_strategy(tree, policy, spec, False)


def train(game: str, league: LeagueConfig, steps: int, seed: int, folder: Path) -> Mixture:
    """Train in a league, on one thread, and mix its members."""
    task = make_game(game)
    run = RunConfig(
        out=folder, steps=steps, snapshots=max(10, steps // 10_000), boards=256, moves=4, threads=1, seed=seed,
        evaluation=("random",), evaluation_games=20,
    )  # fmt: skip
    training = SelfPlayTraining(task, "ppo", PPO, run, league)
    training.train()
    return mix_members(build_tree(task), folder, training.league)


def rows(seeds: Sequence[int]) -> Iterator[Row]:
    """Yield every game in every league from every seed."""
    for name, spec in GAMES.items():
        for league, config in COMPARED.items():
            for seed in seeds:
                with TemporaryDirectory() as folder:
                    mixed = train(spec, config, STEPS.get(name, FEW), seed, Path(folder, "run"))
                last = next(
                    alone.exploitability
                    for member, alone in zip(reversed(mixed.members), reversed(mixed.alone), strict=True)
                    if member.role == "main"
                )
                size = len(mixed.members)
                yield Row(
                    name, league, seed, round(last, 4), round(mixed.result.exploitability, 4), mixed.support, size
                )


def psro(pools: Sequence[int] = (4, 10, 16, 30)) -> Iterator[str]:
    """Return lines with PSRO's NashConv on Kuhn poker at these pool sizes, for every meta-strategy."""
    tree = build_tree(make_game("kuhn_poker"))
    yield f"{'PSRO on Kuhn poker: total pool':32}" + "".join(f"{pool:>8}" for pool in pools)
    for meta in META:
        solver, cells = Psro(tree, meta), []
        for pool in pools:
            solver.run(pool // 2 - 1 - solver.iterations)
            cells.append(f"{exploitability(tree, solver.strategy()).nash_conv:8.4f}")
        yield f"{meta:32}{''.join(cells)}"


def run(seeds: Sequence[int], path: Path | None) -> None:
    """Print all rows, and write them into a file if given."""
    names = [field.name for field in fields(Row)]
    finished = []
    for line in psro():
        print(line)
    print(f"\n{'game':20} {'league':10} {'seed':>4} {'last':>8} {'mixture':>8}  members")
    for row in rows(seeds):
        finished.append(row)
        figures = f"{row.last:8.4f} {row.mixture:8.4f}  {row.support} of {row.members}"
        print(f"{row.game:20} {row.league:10} {row.seed:4} {figures}", flush=True)
        if path is not None:
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, names, lineterminator="\n")
                writer.writeheader()
                writer.writerows(map(asdict, finished))
