"""A Ray cluster of two cores, begun once for all tests that want one."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def ray_cluster():
    import ray

    environment = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": environment})
    yield ray
    ray.shutdown()
