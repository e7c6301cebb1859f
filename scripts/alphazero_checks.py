"""Measure the strength of an AlphaZero run: python scripts/alphazero_checks.py RUN GAME [--simulations 100] ...

Measures the share of its moves that keep the game-theoretic value, over positions fixed by a seed (where the game is
solved), and its score against fixed searchers, seats in turn. Prints a line of JSON after each measurement. With `--csv
scripts/alphazero_checks.csv --name NAME` the shares are kept, as the rows of that name.
"""

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kept_rows import keep

from agents.perfect.perfect import SOLVERS
from arena.analysis.analysis import analyse, judge_positions
from arena.analysis.judging import Judge
from arena.base.intervals import wilson
from arena.match.batch import Pairing, play_matches, random_openings
from arena.policy.registry import make_agent, make_game
from games.engine.game import Game

RIVALS = ("alphabeta:4", "mcts:1000", "mcts:5000")


@dataclass(frozen=True)
class Row:
    """A share of positions or of points, with its 95 % interval."""

    section: str
    """Name of the training."""
    game: str
    agent: str
    """Search and simulations of a move."""
    measure: str
    share: float
    low: float
    high: float
    count: int
    """Number of positions or games."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN", help="its folder, or that of a snapshot")
    parser.add_argument("game", metavar="GAME", help="as in arena train: othello:size=6")
    parser.add_argument("--simulations", type=int, default=100, help="simulations of each of its moves")
    parser.add_argument("--search", choices=("puct", "gumbel"), default="puct")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--rivals", nargs="*", default=RIVALS)
    parser.add_argument("--opening", type=int, default=0, help="random plies that every pair of games begins with")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the rows there; those of other names stay")
    parser.add_argument("--name", default="", help="what the training is called there")
    options = parser.parse_args()
    game = make_game(options.game)
    spec = f"{options.search}:{options.run}:{options.simulations}"
    measured = []
    if game.name in SOLVERS:
        measured.append(value_keeping(game, spec, options.positions, options.seed))
        print_json(spec, game, measured[-1])
    for rival in options.rivals:
        measured.append(score(game, spec, rival, options.games, options.opening, options.seed))
        print_json(spec, game, measured[-1])
    if options.csv:
        agent = f"{options.search}, {options.simulations} simulations"
        keep(options.csv, options.name, [row(options.name, game, agent, one) for one in measured])


def row(name: str, game: Game, agent: str, measured: dict[str, Any]) -> Row:
    """Return a measurement as a row."""
    low, high = measured["interval"]
    return Row(name, game.spec, agent, measured["measure"], measured["share"], low, high, measured["count"])


def value_keeping(game: Game, spec: str, positions: int, seed: int) -> dict[str, Any]:
    """Return the share of moves that keep the game-theoretic value, over all positions and by phase."""
    test_set = judge_positions(game, Judge("perfect", make_agent("perfect", game)), positions, seed)
    analysis = analyse(test_set, spec, make_agent(spec, game), seed)
    total = analysis.total
    return {
        "measure": "moves that keep the value",
        "share": total.share,
        "interval": total.interval,
        "count": total.positions,
        "deciding": total.deciding,
        "kept_deciding": total.kept_deciding,
        "by_chance": total.by_chance,
        "left_out": test_set.left_out,
        "phases": [(phase.first_ply, phase.last_ply, phase.positions, phase.share) for phase in analysis.phases],
    }


def score(game: Game, spec: str, rival: str, count: int, opening: int, seed: int) -> dict[str, Any]:
    """Return the score of the run against a rival, seats in turn; a draw is half a point."""
    lines = random_openings(game, opening, -(-count // 2), seed) if opening else [()] * (-(-count // 2))
    pairings = [Pairing(seating, 0, line) for line in lines for seating in ((0, 1), (1, 0))][:count]
    players = [(name, make_agent(name, game)) for name in (spec, rival)]
    records = play_matches(game, players, pairings, seed)
    results = {0: [0, 0, 0], 1: [0, 0, 0]}
    for pairing, record in zip(pairings, records, strict=True):
        seat = pairing.seating.index(0)
        margin = record.verdict.returns[seat] - record.verdict.returns[1 - seat]
        results[seat][0 if margin > 0 else 1 if margin == 0 else 2] += 1
    won, drawn, lost = (results[0][i] + results[1][i] for i in range(3))
    return {
        "measure": f"score against {rival}",
        "share": (won + drawn / 2) / count,
        "interval": wilson(won + drawn / 2, count),
        "count": count,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "first": results[0],
        "second": results[1],
        "distinct": len({record.actions for record in records}),
    }


def print_json(spec: str, game: Game, figures: dict[str, Any]) -> None:
    """Print one line of JSON."""
    print(json.dumps({"agent": spec, "game": game.label, "time": time.strftime("%H:%M:%S"), **figures}), flush=True)


if __name__ == "__main__":
    main()
