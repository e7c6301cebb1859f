"""The matches of a ladder server, as `arena replay URL` and `arena watch URL` show them."""

from typing import Any, TypeVar

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.match.files import WrittenMatch
from arena.match.json_lines import from_json_line

T = TypeVar("T", str, int)


def server_match(address: str) -> WrittenMatch:
    """Return the match whose page the address is; `UsageError` if there is none that can be played again."""
    client = _client("replay")
    url, number = client.split_match(address)
    return _match(client.Client.of_visitor(url), number)


class Broadcast:
    """The newest game of a ladder, and later ones as they come in.

    `address` is that of a ladder's page, or of a server that has one ladder. Raises `UsageError` if it is neither.
    """

    def __init__(self, address: str):
        client = _client("watch")
        if client.PAGE_OF_MATCH in address:
            raise UsageError(f"{address} is the page of a match; 'arena replay' shows it")
        url, name = client.split_address(address)
        self._client = client.Client.of_visitor(url)
        self.ladder: str = name if name is not None else self._only_ladder(url)
        self._newest = 0

    def _only_ladder(self, url: str) -> str:
        names = _listed(self._client, "/ladders", "name", str)
        if len(names) != 1:
            known = f"has {len(names)} ladders; name one: {url}/ladders/{names[0]}" if names else "has no ladders"
            raise UsageError(f"{url} {known}")
        return names[0]

    def next(self) -> WrittenMatch | None:
        """Return the newest game, None if it has been returned; `UsageError` if the server does not answer well."""
        numbers = _listed(self._client, f"/ladders/{self.ladder}/games?limit=1", "id", int)
        if not numbers or numbers[0] == self._newest:
            return None
        match = _match(self._client, numbers[0])
        self._newest = numbers[0]
        return match


def _client(command: str) -> Any:
    try:
        from arena.server import client
    except ModuleNotFoundError as error:
        raise UsageError(f"{command} needs the package {error.name}; {install_command('server')}") from None
    return client


def _listed(client: Any, path: str, column: str, kind: type[T]) -> list[T]:
    """Return one column of a list that a server gives."""
    rows = client.get(path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) and type(row.get(column)) is kind for row in rows):
        raise UsageError(f"{client.url} does not answer as an arena server does")
    return [row[column] for row in rows]


def _match(client: Any, number: int) -> WrittenMatch:
    """Fetch a match and play it again by the rules here; what a server sends is not believed."""
    shown = client.get(f"/matches/{number}")
    if not isinstance(shown, dict) or not isinstance(shown.get("line"), str):
        raise UsageError(f"{client.url} does not answer as an arena server does")
    try:
        game, record = from_json_line(shown["line"])
    except UsageError as error:
        raise UsageError(f"{client.url}, match {number}: {error}") from None
    return WrittenMatch.of(record, game)
