"""A tournament on a Ray cluster of two nodes, of which one is killed; in a process that no other cluster shares.

Writes its games into a store, in the current folder.
"""

import os
import sys

import ray
from ray.cluster_utils import Cluster

import games
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament

GAME = "tic_tac_toe"
PLAYERS = {"random": "random", "one": "one-ply", "deep": "alphabeta:5"}
CONFIG = TournamentConfig(games=20, openings="random:2")
STORE = "arena.db"


def main() -> None:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1)]
    cluster.wait_for_nodes()
    os.environ["RAY_ADDRESS"] = cluster.address

    def kill(records, total):
        if records and nodes:
            cluster.remove_node(nodes.pop(), allow_graceful=False)

    with Store(STORE) as store:
        run_tournament(games.make(GAME), PLAYERS, CONFIG, kill, workers="ray", store=store)
    ray.shutdown()
    cluster.shutdown()
    sys.exit(3 if nodes else 0)


if __name__ == "__main__":
    main()
