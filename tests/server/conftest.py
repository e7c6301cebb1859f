"""A server in this process: a store in a folder, its application, and callers with keys."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.testclient import TestClient

from arena.server import accounts, bots, ladders
from arena.server.app import make_app
from arena.server.database import open_database
from arena.server.refusals import RefusedError
from arena.server.state import ServerConfig
from arena.server.worker import Worker
from arena.store import Store
from tests.server.playing import filled


@dataclass
class Site:
    """A running server and what tests need of it."""

    store: Store
    client: TestClient
    config: ServerConfig

    def account(self, name: str, role: str) -> "Caller":
        with self.store.writing() as connection:
            account = accounts.add_account(connection, name, role)
            return Caller(self.client, accounts.add_key(connection, account.id, "test"))

    def ladder(self, name: str = "small", game: str = "tic_tac_toe", **rules: Any) -> ladders.LadderRow:
        with self.store.writing() as connection:
            return ladders.add_ladder(connection, name, ladders.LadderRules(game, **rules))

    def bots(self, ladder: ladders.LadderRow, owner: str, **agents: str) -> None:
        """Enter bots that have qualified."""
        with self.store.writing() as connection:
            account = accounts.find_account(connection, owner)
            for name, agent in agents.items():
                bots.submit_bot(connection, account, ladder, name, agent, None)


@dataclass
class Caller:
    """An account's key; as a client of `arena.server.worker` it speaks to the application without a network."""

    client: TestClient
    key: str
    url: str = "http://testserver"

    def ask(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """Return the response."""
        more |= {} if body is None else {"json": body}
        return self.client.request(method, f"/api/v1{path}", headers={"Authorization": f"Bearer {self.key}"}, **more)

    def get(self, path: str) -> Any:
        return self._answer(self.ask("GET", path))

    def post(self, path: str, body: Any) -> Any:
        return self._answer(self.ask("POST", path, body))

    def put(self, path: str, content: bytes) -> Any:
        return self._answer(self.ask("PUT", path, content=content))

    def fetch(self, path: str) -> bytes:
        response = self.ask("GET", path)
        self._answer(response, as_json=False)
        return response.content

    def _answer(self, response: Any, as_json: bool = True) -> Any:
        if response.status_code >= 400:
            raise RefusedError(response.status_code, response.json()["detail"])
        return response.json() if as_json and response.content else None


ON_BOTH = {"test_api", "test_database", "test_ladder", "test_verification"}
"""Files whose tests run on PostgreSQL as well, where it is installed."""


def pytest_generate_tests(metafunc):
    """Run a test that has a server once for each kind of database."""
    if "new_database" in metafunc.fixturenames:
        further = metafunc.module.__name__.rpartition(".")[2] in ON_BOTH
        kinds = [pytest.param("postgresql", marks=pytest.mark.full)] if further else []
        metafunc.parametrize("new_database", ["sqlite", *kinds], indirect=True)


@pytest.fixture
def new_database(request) -> Callable[[Path], str | Path]:
    """Name an empty database for a server with this folder."""
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres")
        return lambda folder: server.new_database()
    return lambda folder: folder / "arena.db"


@pytest.fixture
def start(tmp_path_factory, new_database) -> Iterator[Callable[..., Site]]:
    """Start servers, each with a folder and a configuration of its own."""
    running = []

    def begin(**config: Any) -> Site:
        folder = tmp_path_factory.mktemp("server")
        store = open_database(new_database(folder))
        made = ServerConfig(folder, **({"rate": 1e6, "burst": 1e6} | config))
        app = make_app(store, made)
        running.append((store, app))
        return Site(store, TestClient(app, raise_server_exceptions=False), made)

    yield begin
    for store, app in running:
        with closing(store):
            app.state.server.close()


@pytest.fixture
def site(start) -> Site:
    """A server on which no result is played again."""
    return start(share=0.0)


@pytest.fixture
def address(site):
    """The address of a server with some games, on a port of its own."""
    Worker(filled(site), "w", False).run(most=14)
    config = uvicorn.Config(site.client.app, port=0, log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(20)
