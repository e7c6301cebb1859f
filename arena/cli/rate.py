"""`arena rate`: ratings of games in a store, or in a CSV or PGN file."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from json import dumps
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.console import Console

from arena.base.errors import UnknownNameError, UsageError
from arena.base.passwords import without_password
from arena.base.terminal import make_console
from arena.policy.registry import make_game
from arena.store import Selection, Store, is_store
from arena.tournament.entrants import read_agents
from arena.tournament.files import claim_directory, to_json, write_standings
from arena.tournament.ladder import find_ladders
from arena.tournament.online import print_online, rate_online
from arena.tournament.played import PlayedGames, read_games
from arena.tournament.report import print_standings
from arena.tournament.standings import Standings, require_anchor, standings
from arena.tournament.teams import Teams

OF_STORES = ("game", "agents", "tournaments", "since", "until", "clock")
"""Options that select games of a store."""


@dataclass(frozen=True)
class Options:
    """Rate the players of games in a store, or in a CSV or PGN file, in one fit of all games.

    Of a store, games can be selected; what is not selected does not count.

    A CSV file has a header, and one line for each game:

    white,black,result - the result is 1-0, 0-1 or 1/2-1/2, or the first player's score 1, 0 or 0.5;
    the advantage of the first seat is estimated, too

    player_1,player_2,result - the same, but the order of the players has no meaning

    player_1,...,player_N,score_1,...,score_N - games of several players; higher scores are better

    The games.csv of a tournament can be read, too.
    """

    file: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="STORE|FILE")]
    """Store (path of an SQLite file, or URL of another database), CSV file, or PGN file if its name ends in .pgn."""
    game: str | None = None
    """Of a store: the game, with its options; by default the only one there is."""
    agents: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME [NAME ...]", help_behavior_hint="")] = ()
    """Of a store: only games among these players, by their names there, or in a file of agents (agents.toml); without
    its hash, ppo:runs/c4@1a2b3c4d is every snapshot of that run."""
    tournaments: Annotated[tuple[int, ...], tyro.conf.arg(metavar="RUN [RUN ...]", help_behavior_hint="")] = ()
    """Of a store: only games of the runs of these numbers, as 'arena matches' shows them."""
    since: Annotated[str | None, tyro.conf.arg(metavar="DATE", help_behavior_hint="")] = None
    """Of a store: only games added at this date or later: 2026-05-31, or 2026-05-31T18:00; times are UTC."""
    until: Annotated[str | None, tyro.conf.arg(metavar="DATE", help_behavior_hint="")] = None
    """Of a store: only games added before this date."""
    clock: Annotated[str | None, tyro.conf.arg(metavar="WORDS", help_behavior_hint="")] = None
    """Of a store: only games under this clock, as 'arena ladder' shows it: 'no clock', '1s a move'."""
    anchor: Annotated[str | None, tyro.conf.arg(metavar="PLAYER|mean", help_behavior_hint="")] = None
    """Player whose Elo is 0, or mean for the mean of all; by default random where it plays, else the mean."""
    online: Literal["glicko2", "openskill"] | None = None
    """Of a file: update ratings game by game, in its order; by default Elo is fitted to all games at once."""
    json: bool = False
    """Print JSON instead of tables."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="DIR", help_behavior_hint="")] = None
    """Folder for tables and pictures, new or empty; by default nothing is written."""

    def __post_init__(self) -> None:
        if self.online is not None and (self.anchor is not None or self.out is not None):
            raise UsageError("online ratings are only printed: leave out anchor and out")
        for name in ("since", "until"):
            _seconds(name, getattr(self, name))


def run(options: Options) -> int:
    """Read the games, rate the players, and print the ratings."""
    if is_store(options.file):
        if options.online is not None:
            raise UsageError("online ratings are of the games of a file: leave out online, or export the games")
        return _report(*_rated_store(options), options)
    given = [name for name in OF_STORES if getattr(options, name)]
    if given:
        raise UsageError(f"{options.file} is no store; --{given[0]} selects games of a store")
    games = read_games(Path(options.file))
    if options.online is not None:
        return _rate_online(games, options)
    require_anchor(options.anchor, games.names)
    table = standings(games.names, games.records, options.anchor, games.seat_order, games.chance)
    unfinished = f"{games.unfinished} unfinished games are left out." if games.unfinished else ""
    return _report(table, Path(options.file).name, unfinished, options)


def _rated_store(options: Options) -> tuple[Standings | Teams, str, str]:
    """Return the table of the selected games of a store, its title, and a remark."""
    shown = without_password(options.file)
    with Store(options.file, create=False) as store:
        labels = store.games()
        if options.game is None and len(labels) != 1:
            raise UsageError(f"{shown} holds games of {', '.join(labels) or 'nothing yet'}; choose one with --game")
        game = make_game(options.game or labels[0])
        agents = _agents(options.agents, store.players(limit=None))
        since, until = (_seconds(name, getattr(options, name)) for name in ("since", "until"))
        wanted = Selection(game.label, agents, options.tournaments or None, since, until)
        ladders = find_ladders(store, game, wanted, options.anchor)
    clocks = [one.clock for one in ladders]
    chosen = [one for one in ladders if options.clock in (None, one.clock)]
    if not ladders:
        raise UsageError(f"no game of {game.label} in {shown} fits")
    if len(chosen) != 1:
        known = ", ".join(map(repr, clocks))
        raise UsageError(f"the games were played under the clocks {known}; choose one of them with --clock")
    return chosen[0].table, f"{game.label}, {chosen[0].clock}", ""


def _agents(words: Sequence[str], players: Sequence[str]) -> tuple[str, ...]:
    """Return the players of a store that names, or files of agents, stand for; `UsageError` for a name of nobody."""
    names = [name for word in words for name in (read_agents(Path(word)) if word.endswith(".toml") else [word])]
    matches = {name: [one for one in players if name in (one, one.rpartition("@")[0])] for name in names}
    for name, meant in matches.items():
        if not meant:
            raise UnknownNameError("player", name, players)
    return tuple(dict.fromkeys(one for meant in matches.values() for one in meant))


def _rate_online(games: PlayedGames, options: Options) -> int:
    assert options.online is not None
    rated = rate_online(games, options.online)
    if options.json:
        print(dumps([{"player": name, **asdict(one)} for name, one in rated.items()], indent=2))
    else:
        print_online(rated, options.online, _console())
    return 0


def _report(table: Standings | Teams, title: str, remark: str, options: Options) -> int:
    directory = claim_directory(options.out) if options.out is not None else None
    if directory is not None:
        write_standings(table, title, directory)
    if options.json:
        print(to_json(table, title))
        return 0
    print_standings(table, title, _console())
    if remark:
        print(remark)
    if directory is not None:
        print(f"Results are in {directory}.")
    return 0


def _console() -> Console:
    console = make_console()
    return console if console.is_terminal else make_console(width=160)


def _seconds(name: str, date: str | None) -> float | None:
    """Return a date in seconds since 1970; `UsageError` if it cannot be read."""
    if date is None:
        return None
    try:
        read = datetime.fromisoformat(date)
    except ValueError:
        raise UsageError(f"{name}={date!r} is no date like 2026-05-31 or 2026-05-31T18:00") from None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
