"""A ladder whose games are played on a Ray cluster of two nodes, of which one is killed."""

from pathlib import Path

from starlette.testclient import TestClient

from arena.server.app import make_app
from arena.server.database import open_database
from arena.server.state import ServerConfig
from arena.server.worker import Worker
from arena.server.worker_team import make_team
from tests.on_ray import TwoNodes
from tests.server.conftest import Site
from tests.server.playing import filled, games


def check(nodes: TwoNodes) -> None:
    alone, on_cluster = site("alone"), site("cluster")
    callers = filled(alone), filled(on_cluster)
    for caller in callers:
        Worker(caller, "first", False).run(most=6)
    Worker(callers[0], "w", False).run(most=20)
    told: list[str] = []

    def tell(line: str) -> None:
        told.append(line)
        if len(told) == 1:
            nodes.kill()

    assert make_team(callers[1], "lab", False, "ray", tell).run(most=20) == 20
    assert len(told) == 20
    assert games(alone) == games(on_cluster)
    for one in (alone, on_cluster):
        one.store.close()


def site(name: str) -> Site:
    """Return a server in this process."""
    folder = Path(name)
    folder.mkdir()
    store, config = open_database(folder / "arena.db"), ServerConfig(folder, share=0.0, rate=1e6, burst=1e6)
    return Site(store, TestClient(make_app(store, config)), config)
