"""A tournament through the Python API: the same as `arena tournament`, to be copied and changed.

python scripts/tournament.py
"""

from pathlib import Path

from arena.base.terminal import make_console
from arena.policy.registry import make_game
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.files import claim_directory, numbered, write_results
from arena.tournament.progress import LiveTable
from arena.tournament.report import print_report
from arena.tournament.tournament import run_tournament

# What is played: a name, and its options if you like, as in "tic_tac_toe:m=6,n=6,k=4".
GAME = "connect_four"

# Who plays, by name. A spec finds an agent: "ppo:runs/c4" is the newest snapshot of a training run. Without a store and
# with one worker, any `arena.policy.protocol.Policy` may play as well: put an object of your own class in.
AGENTS = {"random": "random", "one-ply": "one-ply", "shallow": "alphabeta:2", "deep": "alphabeta:4"}

# How it is played: every opening of four random moves once from either side. Same seed, same games.
CONFIG = TournamentConfig(games=100, openings="random:4", seed=0)

# Who plays the games: so many processes, or "ray". Where they are kept: run this again after a kill, and it goes on.
WORKERS = 2
STORE = "runs/arena.db"

# Where the results go: runs/tournament-1, runs/tournament-2, ...
RESULTS = Path("runs/tournament")


def main() -> None:
    game = make_game(GAME)

    console = make_console()
    with Store(STORE) as store, LiveTable(game, list(AGENTS), console) as progress:
        result = run_tournament(game, AGENTS, CONFIG, progress, workers=WORKERS, store=store)

    # The table, the cross table, and everything that can be computed from them.
    print_report(result, console)
    best = result.standings.rows[0]
    print(f"{best.name} is the best, with {best.tally.wins} wins in {best.tally.games.sum()} games.")

    # Every game is kept with its moves: look at one, or replay it.
    longest = max(result.records, key=lambda record: len(record.actions))
    print("The longest game:", " - ".join(longest.players), longest.actions)

    # ratings.csv, games.csv, results.json, crosstable.png and ratings.png
    directory = claim_directory(numbered(RESULTS))
    write_results(result, directory)
    print(f"Results are in {directory}.")


if __name__ == "__main__":
    main()
