"""A tournament on a Ray cluster of two nodes, of which one is killed; in a process that no other cluster shares.

Writes its games into a store, in the current folder.
"""

import sys

import games
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament
from tests.on_ray import two_nodes

GAME = "tic_tac_toe"
PLAYERS = {"random": "random", "one": "one-ply", "deep": "alphabeta:5"}
CONFIG = TournamentConfig(games=20, openings="random:2")
STORE = "arena.db"


def main() -> int:
    killed = False
    with two_nodes() as (cluster, node), Store(STORE) as store:

        def kill(records, total):
            nonlocal killed
            if records and not killed:
                cluster.remove_node(node, allow_graceful=False)
                killed = True

        run_tournament(games.make(GAME), PLAYERS, CONFIG, kill, workers="ray", store=store)
    return 0 if killed else 3


if __name__ == "__main__":
    sys.exit(main())
