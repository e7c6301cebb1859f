"""Programs that begin a Ray cluster, of which a node dies: each in a process that no other cluster shares."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ray.cluster_utils import Cluster

ROOT = Path(__file__).parents[1]


def run_to_its_end(program: ModuleType, folder: Path) -> None:
    """Run a module as a program in `folder`; it has to end with status 0."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    environment.pop("RAY_ADDRESS", None)
    command = [sys.executable, str(program.__file__)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@contextmanager
def two_nodes() -> Iterator[tuple["Cluster", Any]]:
    """A cluster of two nodes of a core each, which `ray` means from now on; and the node that may be killed."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    node = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    os.environ["RAY_ADDRESS"] = cluster.address
    try:
        yield cluster, node
    finally:
        ray.shutdown()
        cluster.shutdown()
