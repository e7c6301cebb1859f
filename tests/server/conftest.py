"""A server in this process: a store in a folder, its application, and callers with keys."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.server import accounts, bots, ladders
from arena.server.app import make_app
from arena.server.database import open_database
from arena.server.refusals import RefusedError
from arena.server.state import ServerConfig
from arena.store import Store


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


@pytest.fixture
def start(tmp_path_factory) -> Iterator[Callable[..., Site]]:
    """Start servers, each with a folder and a configuration of its own."""
    running = []

    def begin(**config: Any) -> Site:
        folder = tmp_path_factory.mktemp("server")
        store = open_database(folder / "arena.db")
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
