"""The matches of a ladder server, as `arena replay URL` and `arena watch URL` show them."""

from typing import TYPE_CHECKING

from arena.base.errors import UsageError
from arena.base.extras import extra_imported
from arena.match.files import WrittenMatch
from arena.match.json_lines import from_json_line

if TYPE_CHECKING:
    from arena.server.client import Client
    from arena.server.live_spectator import LiveSpectator


def server_match(address: str) -> WrittenMatch:
    """Return the match whose page the address is; `UsageError` if there is none that can be played again."""
    with extra_imported("replay", "server"):
        from arena.server.client import Client, split_match
    url, number = split_match(address)
    return _match(Client.of_visitor(url), number)


def live_game(address: str) -> "LiveSpectator | None":
    """Return the live game whose page the address is, for whoever watches; None for another address.

    Raises `UsageError` if there is none that can be watched: what a server sends is played again by the rules here.
    """
    with extra_imported("watch", "server"):
        from arena.server.client import PAGE_OF_LIVE_GAME, Client, split_live_game
        from arena.server.live_spectator import LiveSpectator
        from arena.server.models import LiveGameShown
    if PAGE_OF_LIVE_GAME not in address:
        return None
    url, number = split_live_game(address)
    client = Client.of_visitor(url)
    live = client.read(f"/live/{number}?wait=0", LiveGameShown)
    try:
        return LiveSpectator(client, live)
    except UsageError as error:
        raise UsageError(f"{url}, live game {number}: {error}") from None


class Broadcast:
    """The newest game of a ladder, and later ones as they come in.

    `address` is that of a ladder's page, or of a server that has one ladder. Raises `UsageError` if it is neither.
    """

    def __init__(self, address: str):
        with extra_imported("watch", "server"):
            from arena.server.client import PAGE_OF_MATCH, Client, split_address
        if PAGE_OF_MATCH in address:
            raise UsageError(f"{address} is the page of a match; 'arena replay' shows it")
        url, name = split_address(address)
        self._client = Client.of_visitor(url)
        self.ladder = name if name is not None else only_ladder(self._client)
        self._newest = 0

    def next(self) -> WrittenMatch | None:
        """Return the newest game, None if it has been returned; `UsageError` if the server does not answer well."""
        from arena.server.models import GameShown

        games = self._client.read(f"/ladders/{self.ladder}/games?limit=1", list[GameShown])
        if not games or games[0].id == self._newest:
            return None
        match = _match(self._client, games[0].id)
        self._newest = games[0].id
        return match


def only_ladder(client: "Client") -> str:
    """Return the name of the one ladder that a server has; `UsageError` if it has none or several."""
    from arena.server.models import LadderShown

    names = [one.name for one in client.read("/ladders", list[LadderShown])]
    if len(names) != 1:
        known = f"has {len(names)} ladders; name one: {client.url}/ladders/{names[0]}" if names else "has no ladders"
        raise UsageError(f"{client.url} {known}")
    return names[0]


def _match(client: "Client", number: int) -> WrittenMatch:
    """Fetch a match and play it again by the rules here; what a server sends is not believed."""
    from arena.server.models import MatchShown

    line = client.read(f"/matches/{number}", MatchShown).line
    try:
        game, record = from_json_line(line)
    except UsageError as error:
        raise UsageError(f"{client.url}, match {number}: {error}") from None
    return WrittenMatch.of(record, game)
