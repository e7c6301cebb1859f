"""Ladders: a game, its rules, and who may see and enter it."""

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from arena.match.limits import Limits
from arena.policy.registry import GAMES, make_game
from arena.server import audit
from arena.server.accounts import Account, is_member, require_name
from arena.server.refusals import CONFLICT, INVALID, MISSING, RefusedError, refusing
from arena.server.schema import bots, ladders
from arena.store.runs import open_run
from arena.tournament.openings import random_openings_of
from games.engine.game import Game
from games.engine.identity import GameId

RUN = "ladder"
"""Kind of the runs of the store that hold the games of ladders."""


@dataclass(frozen=True)
class LadderRules:
    """Rules of a ladder; none of them ever changes."""

    game: str
    """Game, with options after its name: tic_tac_toe:m=6,n=6,k=4."""
    clock: str | None = None
    """Time control, as 10+0.1 or move=500ms; none for bots that are trusted to answer."""
    memory: str | None = None
    """Memory of a bot: 500MB."""
    openings: str = "random:2"
    """Openings, as random:4: so many random moves, played from all sides."""
    private: bool = False
    """For its members alone."""
    seed: int = 0
    """Seed of its pairings, openings and games."""
    ahead: int = 64
    """Most jobs that are given out and not yet counted: more keep more workers busy, fewer find places sooner."""

    @property
    def limits(self) -> Limits:
        """The limits of every bot."""
        return Limits(clock=self.clock, memory=self.memory)


@dataclass(frozen=True)
class LadderRow:
    """A ladder as of the time of the query."""

    id: int
    name: str
    run: int
    """Number of its run in the store."""
    rules: LadderRules
    planned: int
    counted: int
    """Jobs that are in the ratings."""
    state: str
    """open or closed"""


def add_ladder(connection: Connection, name: str, rules: LadderRules, by: int | None = None) -> LadderRow:
    """Add a ladder; `RefusedError` for rules that cannot be played by."""
    require_name(name, "ladder")
    game = _playable(rules)
    if connection.execute(select(ladders.c.id).where(ladders.c.name == name)).first():
        raise RefusedError(CONFLICT, f"there is a ladder {name} already")
    config = {"limits": {"clock": rules.clock, "memory": rules.memory}, "openings": rules.openings, "seed": rules.seed}
    run = open_run(connection, RUN, f"{RUN}:{name}", game.label, config, ())
    values = {
        "clock": rules.clock,
        "memory": rules.memory,
        "openings": rules.openings,
        "private": rules.private,
        "seed": rules.seed,
        "ahead": rules.ahead,
    }
    new = {"name": name, "game": game.label, "run": run.id, "planned": 0, "counted": 0, "state": "open"}
    connection.execute(insert(ladders).values(values | new | {"created": time.time()}))
    audit.note(connection, by, "ladder", f"{name}: {game.label}")
    return find_ladder(connection, name)


def find_ladder(connection: Connection, name: str) -> LadderRow:
    """Return the ladder of a name; `RefusedError` if there is none."""
    row = connection.execute(select(ladders).where(ladders.c.name == name)).one_or_none()
    if row is None:
        raise RefusedError(MISSING, f"there is no ladder {name[:40]!r}")
    return _ladder(row)


def ladder_numbered(connection: Connection, number: int) -> LadderRow:
    """Return the ladder of a number that the database has."""
    return _ladder(connection.execute(select(ladders).where(ladders.c.id == number)).one())


def ladder_of_run(connection: Connection, run: int, account: Account | None) -> LadderRow:
    """Return the ladder whose games a run of the store has; `RefusedError` if there is none that an account may see."""
    row = connection.execute(select(ladders).where(ladders.c.run == run)).one_or_none()
    if row is None or not may_see(connection, _ladder(row), account):
        raise RefusedError(MISSING, "there is no such game")
    return _ladder(row)


def visible_ladder(connection: Connection, name: str, account: Account | None) -> LadderRow:
    """Return a ladder that an account may see; one that it may not see is as one that there is not."""
    ladder = find_ladder(connection, name)
    if not may_see(connection, ladder, account):
        raise RefusedError(MISSING, f"there is no ladder {name[:40]!r}")
    return ladder


def may_see(connection: Connection, ladder: LadderRow, account: Account | None) -> bool:
    """Return whether an account, None for a passer-by, may see a ladder."""
    return not ladder.rules.private or is_member(connection, ladder.id, account)


def list_ladders(connection: Connection, account: Account | None) -> list[LadderRow]:
    """Return the ladders that an account may see, by name."""
    return [ladder for ladder in list_all(connection) if may_see(connection, ladder, account)]


def list_all(connection: Connection) -> list[LadderRow]:
    """Return all ladders by name."""
    return [_ladder(row) for row in connection.execute(select(ladders).order_by(ladders.c.name))]


def close_ladder(connection: Connection, name: str, by: int | None = None) -> None:
    """Plan no more jobs on a ladder; its pages and games stay."""
    find_ladder(connection, name)
    connection.execute(update(ladders).where(ladders.c.name == name).values(state="closed"))
    audit.note(connection, by, "ladder closed", name)


def standings(connection: Connection, ladder: int) -> list[dict[str, Any]]:
    """Return the bots of a ladder by rating; those that are no longer paired have `active` False."""
    shown = bots.c.state.in_(("active", "retired", "withdrawn"))
    query = select(bots).where(bots.c.ladder == ladder, shown, bots.c.games > 0)
    query = query.order_by(bots.c.rating.desc(), bots.c.id)
    return [
        {
            "bot": row.id,
            "player": row.player,
            "rating": row.rating,
            "deviation": row.deviation,
            "games": row.games,
            "active": row.state == "active",
        }
        for row in connection.execute(query)
    ]


def _ladder(row: Row[Any]) -> LadderRow:
    rules = LadderRules(row.game, row.clock, row.memory, row.openings, row.private, row.seed, row.ahead)
    return LadderRow(row.id, row.name, row.run, rules, row.planned, row.counted, row.state)


def _playable(rules: LadderRules) -> Game:
    """Return the game of rules; `RefusedError` for rules that contradict themselves or name what is not there."""
    with refusing():
        name = GameId.parse(rules.game).name
        if name not in GAMES.names():  # nothing is imported because a request names it
            raise RefusedError(INVALID, f"there is no game {name[:60]!r}; 'arena games' lists them")
        game = make_game(rules.game)
        _ = rules.limits
        if game.num_players < 2 or not game.competitive:
            raise RefusedError(INVALID, f"nobody wins {game.label}, so that it has no ladder")
        if not game.repeatable:
            raise RefusedError(INVALID, f"a seed does not repeat {game.label}, so that its results cannot be checked")
        random_openings_of(game, rules.openings, 1, 0)
        if not 1 <= rules.ahead <= 100_000 or not 0 <= rules.seed < 2**63:
            raise RefusedError(INVALID, "ahead is between 1 and 100000, a seed between 0 and 2**63 - 1")
    return game
