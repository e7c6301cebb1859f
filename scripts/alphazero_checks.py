"""How strong an AlphaZero run has become: python scripts/alphazero_checks.py RUN GAME [--simulations 100] ...

What share of its moves keep the game-theoretic value, over positions held fixed by a seed (where the game is solved),
and what it scores against fixed searchers, seats in turn. Prints a line of JSON for each measurement, as it is made.
"""

import argparse
import json
import time

from agents.perfect.connect_four_book import shipped_book
from agents.perfect.perfect import SOLVERS
from arena.analysis.analysis import analyse, hold
from arena.analysis.judging import Judge
from arena.match.batch import Pairing, play_matches, random_openings
from arena.registry import make_agent, make_game
from games.engine.game import Game

RIVALS = ("alphabeta:4", "mcts:1000", "mcts:5000")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN", help="its folder, or that of a snapshot")
    parser.add_argument("game", metavar="GAME", help="as in arena train: othello:size=6")
    parser.add_argument("--simulations", type=int, default=100, help="of each of its moves")
    parser.add_argument("--search", choices=("puct", "gumbel"), default="puct")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--rivals", nargs="*", default=RIVALS)
    parser.add_argument("--opening", type=int, default=0, help="random plies that every pair of games begins with")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    game = make_game(options.game)
    spec = f"{options.search}:{options.run}:{options.simulations}"
    if game.name in SOLVERS:
        tell(spec, game, **kept(game, spec, options.positions, options.seed))
    rivals = list(options.rivals)
    if game.name == "connect_four" and shipped_book() is not None:
        rivals.append("perfect")  # without the book, its first moves take minutes
    for rival in rivals:
        tell(spec, game, **score(game, spec, rival, options.games, options.opening, options.seed))


def kept(game: Game, spec: str, positions: int, seed: int) -> dict[str, object]:
    """The share of moves that keep the value, over all positions and phase by phase."""
    held = hold(game, Judge("perfect", make_agent("perfect", game)), positions, seed)
    found = analyse(held, spec, make_agent(spec, game), seed)
    total = found.total
    return {
        "measure": "moves that keep the value",
        "share": total.share,
        "interval": total.interval,
        "positions": total.positions,
        "deciding": total.deciding,
        "kept_deciding": total.kept_deciding,
        "by_chance": total.by_chance,
        "left_out": held.left_out,
        "phases": [(phase.first_ply, phase.last_ply, phase.positions, phase.share) for phase in found.phases],
    }


def score(game: Game, spec: str, rival: str, count: int, opening: int, seed: int) -> dict[str, object]:
    """Points of the run against a rival, half of the games in either seat; a draw is half a point."""
    lines = random_openings(game, opening, -(-count // 2), seed) if opening else [()] * (-(-count // 2))
    pairings = [Pairing(seating, 0, line) for line in lines for seating in ((0, 1), (1, 0))][:count]
    players = [(name, make_agent(name, game)) for name in (spec, rival)]
    records = play_matches(game, players, pairings, seed)
    results = {0: [0, 0, 0], 1: [0, 0, 0]}
    for pairing, record in zip(pairings, records, strict=True):
        seat = pairing.seating.index(0)
        earned = record.verdict.returns[seat] - record.verdict.returns[1 - seat]
        results[seat][0 if earned > 0 else 1 if earned == 0 else 2] += 1
    won, drawn, lost = (results[0][i] + results[1][i] for i in range(3))
    return {
        "measure": f"score against {rival}",
        "score": (won + drawn / 2) / count,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "first": results[0],
        "second": results[1],
        "distinct": len({record.actions for record in records}),
    }


def tell(spec: str, game: Game, **found: object) -> None:
    """A line of JSON."""
    print(json.dumps({"agent": spec, "game": game.label, "time": time.strftime("%H:%M:%S"), **found}), flush=True)


if __name__ == "__main__":
    main()
