"""Players: names, lineages, and the games that were played."""

from sqlalchemy import Connection, exists, insert, select, update

from arena.base.errors import UsageError
from arena.store.numbers import known_numbers, numbers_of
from arena.store.schema import games, lineages, matches, players


def names(connection: Connection, limit: int | None) -> list[str]:
    """Return the first `limit` names of players in alphabetical order."""
    return list(connection.execute(select(players.c.name).order_by(players.c.name).limit(limit)).scalars())


def games_played(connection: Connection) -> list[str]:
    """Return the labels of all games with matches, sorted."""
    played = select(games.c.label).where(exists().where(matches.c.game == games.c.id)).order_by(games.c.label)
    return list(connection.execute(played).scalars())


def rename_player(connection: Connection, name: str, new: str) -> None:
    """Give a player another name in all of its matches; nothing happens if there is none."""
    connection.execute(update(players).where(players.c.name == name).values(name=new))


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
