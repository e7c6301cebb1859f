"""Players: lineages, ratings over time, and the ladder of a game."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import BindParameter, Connection, bindparam, delete, insert, or_, select, update

from arena.base.errors import UsageError
from arena.base.typed import Count, Time
from arena.store.numbers import chunks, known_numbers, numbers_of, row_of
from arena.store.runs import run_numbered
from arena.store.schema import games, lineages, players, ratings, totals


@dataclass(frozen=True)
class StoredRating:
    """A rating of a player in a game."""

    player: str
    elo: float
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""
    games: int
    """Number of games behind the rating."""
    rated: Time
    """Time of the rating, in seconds since 1970."""


@dataclass(frozen=True)
class LadderRow:
    """One player's row in the ladder of a game, over all runs."""

    player: str
    wins: Count
    draws: Count
    losses: Count
    elo: float | None
    """The latest rating; None before the first."""
    low: float | None
    high: float | None
    rated: Time | None

    @property
    def games(self) -> int:
        """Number of games played."""
        return self.wins + self.draws + self.losses


def ladder(connection: Connection, game: str, limit: int | None) -> list[LadderRow]:
    """Return the ladder of a game (its label), the highest rated first, unrated players last."""
    columns = (players.c.name, *(totals.c[name] for name in ("wins", "draws", "losses", "elo", "low", "high", "rated")))
    query = (
        select(*columns)
        .join_from(totals, players)
        .where(totals.c.game == select(games.c.id).where(games.c.label == game).scalar_subquery())
        .order_by(totals.c.elo.desc().nulls_last(), totals.c.wins.desc(), players.c.name)
        .limit(limit)
    )
    return [row_of(LadderRow, row) for row in connection.execute(query)]


def names(connection: Connection, limit: int) -> list[str]:
    """Return the first `limit` names of players in alphabetical order."""
    return list(connection.execute(select(players.c.name).order_by(players.c.name).limit(limit)).scalars())


def games_played(connection: Connection) -> list[str]:
    """Return the labels of all games with matches or ratings, sorted."""
    played = select(games.c.label).where(games.c.id.in_(select(totals.c.game))).order_by(games.c.label)
    return list(connection.execute(played).scalars())


def add_ratings(connection: Connection, run: int, rows: Sequence[StoredRating]) -> None:
    """Add ratings in the game of a run; the ladder shows the latest of each player.

    A rating replaces one of the same run, player and number of games, so that a resumed run adds no duplicates. Raises
    `UsageError` if the run has matches of several games.
    """
    label = run_numbered(connection, run).game
    if label is None:
        raise UsageError(f"run {run} is of several games, a rating is of one")
    if not rows:
        return
    game = numbers_of(connection, games, [label])[label]
    names = numbers_of(connection, players, {row.player for row in rows})
    require_totals(connection, game, names.values())
    values = [
        {
            "run": run,
            "game": game,
            "player": names[row.player],
            "elo": row.elo,
            "low": row.low,
            "high": row.high,
            "games": row.games,
            "rated": row.rated,
        }
        for row in rows
    ]
    same = delete(ratings).where(
        ratings.c.run == run, ratings.c.player == bindparam("of"), ratings.c.games == bindparam("after")
    )
    connection.execute(same, [{"of": value["player"], "after": value["games"]} for value in values])
    connection.execute(insert(ratings), values)
    latest: dict[str, BindParameter[float]] = {
        name: bindparam(f"new_{name}") for name in ("elo", "low", "high", "rated")
    }
    newer = or_(totals.c.rated.is_(None), totals.c.rated <= latest["rated"])
    connection.execute(
        update(totals).where(totals.c.game == game, totals.c.player == bindparam("of"), newer).values(latest),
        [{"of": value["player"]} | {f"new_{name}": value[name] for name in latest} for value in values],
    )


def ratings_of(connection: Connection, player: str, game: str) -> list[StoredRating]:
    """Return the ratings of a player in a game (its label), the oldest first."""
    query = (
        select(ratings.c.elo, ratings.c.low, ratings.c.high, ratings.c.games, ratings.c.rated)
        .join(players)
        .join(games)
        .where(players.c.name == player, games.c.label == game)
        .order_by(ratings.c.rated, ratings.c.id)
    )
    return [row_of(StoredRating, (player, *row)) for row in connection.execute(query)]


def require_totals(connection: Connection, game: int, wanted: Collection[int]) -> None:
    """Add missing rows of these players to the `totals` of a game."""
    for part in chunks(sorted(wanted)):
        query = select(totals.c.player).where(totals.c.game == game, totals.c.player.in_(part))
        missing = set(part) - set(connection.execute(query).scalars().all())
        if missing:
            connection.execute(insert(totals), [{"game": game, "player": player} for player in sorted(missing)])


def add_parent(connection: Connection, child: str, parent: str) -> None:
    """Record that `child` was made from `parent`; `UsageError` if that makes a cycle."""
    if child == parent or child in ancestors(connection, parent):
        raise UsageError(f"{parent!r} cannot be a parent of {child!r}: it descends from it")
    numbers = numbers_of(connection, players, [child, parent])
    pair = {"child": numbers[child], "parent": numbers[parent]}
    if not connection.execute(select(lineages).filter_by(**pair)).first():
        connection.execute(insert(lineages).values(pair))


def ancestors(connection: Connection, player: str) -> list[str]:
    """Return parents, grandparents and so on of a player; the nearest first, each once."""
    generation = set(known_numbers(connection, players, [player]).values())
    lineage: list[str] = []
    while generation:
        query = (
            select(players.c.id, players.c.name)
            .join(lineages, lineages.c.parent == players.c.id)
            .where(lineages.c.child.in_(generation))
            .order_by(players.c.name)
        )
        parents = {number: name for number, name in connection.execute(query)}
        generation = {number for number, name in parents.items() if name not in lineage}
        lineage += [name for number, name in parents.items() if number in generation]
    return lineage
