"""A Ray cluster of two nodes, of which one dies again and again, in a program of its own that no other cluster shares.

Run as a program, in an empty folder, it does there all that is tested so: jobs, self-play, a tournament, a ladder. A
cluster and its workers take a while to begin, so all have one. Prints a JSON object: what went wrong in each part, or
"".
"""

import json
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

ROOT = Path(__file__).parents[1]


class TwoNodes:
    """A cluster of two nodes of a core each."""

    def __init__(self, cluster: "Cluster"):
        self._cluster, self._node = cluster, None
        self.restore()

    def restore(self) -> None:
        """Begin the second node, if there is none."""
        if self._node is None:
            self._node = self._cluster.add_node(num_cpus=1)
            self._cluster.wait_for_nodes()

    def kill(self) -> None:
        """Kill the second node, with all that it does."""
        self._cluster.remove_node(self._node, allow_graceful=False)
        self._node = None


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """Begin the cluster, which `ray` means from now on."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        nodes = TwoNodes(cluster)
        os.environ["RAY_ADDRESS"] = cluster.address
        yield nodes
    finally:
        ray.shutdown()
        cluster.shutdown()


def main() -> None:
    from tests.processes import on_ray as jobs
    from tests.server import on_ray as ladder
    from tests.tournament import on_ray as tournament
    from tests.training.league.workers import on_ray as self_play

    faults: dict[str, Any] = {}
    with two_nodes() as nodes:
        for part in (jobs, self_play, tournament, ladder):
            nodes.restore()
            try:
                part.check(nodes)
                faults[part.__name__] = ""
            except Exception:
                faults[part.__name__] = traceback.format_exc()
    json.dump(faults, sys.stdout)


if __name__ == "__main__":
    main()
