"""`arena matches`: the matches of a store."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.text import Text

from arena.base.checks import numbers_in, require_at_least
from arena.base.errors import UsageError
from arena.base.passwords import without_password
from arena.base.tables import Cell, Column, print_table
from arena.match.verdict import MatchRecord
from arena.policy.registry import make_game
from arena.store import DEFAULT_URL, MatchFilter, Store, StoredMatch, export_lines, import_lines, read_lines
from arena.tui.services.game_facts import facts_of
from arena.tui.state.words import mark, shares
from games.engine.identity import split_label

if TYPE_CHECKING:
    from textual.screen import Screen

    from arena.tui.state.intents import MatchesIntent


@dataclass(frozen=True)
class Options:
    """List the matches of a store, newest first; export them to a file, or import others from one.

    Files are JSON lines, one match a line. Every match is replayed before it is written or read. A file with a match
    that does not replay is refused as a whole.
    """

    wanted: tyro.conf.EnumChoicesFromValues[MatchFilter] = field(default_factory=MatchFilter)
    store: Annotated[str, tyro.conf.arg(metavar="URL")] = DEFAULT_URL
    """Store of the matches: path of an SQLite file, or URL of another database."""
    limit: int = 20
    """Largest number of matches in the list."""
    before: Annotated[int | None, tyro.conf.arg(metavar="MATCH", help_behavior_hint="")] = None
    """List only matches with smaller numbers, to continue an earlier list."""
    json: bool = False
    """Print JSON instead of a table."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE", aliases=["--export"], help_behavior_hint="")] = None
    """Write all selected matches to this file, oldest first."""
    import_: Annotated[Path | None, tyro.conf.arg(name="import", metavar="FILE", help_behavior_hint="")] = None
    """Add the matches of this file to the store."""
    ui: bool = False
    """Browse and replay the matches on a screen."""

    def __post_init__(self) -> None:
        require_at_least(1, **numbers_in(self, "limit"))
        if self.ui and (self.json or self.out or self.import_):
            raise UsageError("--ui shows matches on a screen: it does not go with --json, --out and --import")


def options_of(intent: "MatchesIntent") -> Options:
    """Return the options that another screen asks for."""
    return Options(MatchFilter(game=intent.game), store=intent.store, ui=True)


@contextmanager
def screen(options: Options) -> Iterator["Screen[Any]"]:
    """Yield the screen of the matches; raise `UsageError` if there is no store."""
    from arena.tui.screens.browse import BrowseScreen

    Store(options.store, create=False).close()
    yield BrowseScreen(options.store, options.wanted)


def run(options: Options) -> int:
    """List, export, import or browse matches; return the exit status."""
    wanted = options.wanted
    if options.ui:
        from arena.cli.opening import show

        return show(screen(options))
    if options.import_ is not None:
        if options.out is not None or wanted != MatchFilter():
            raise UsageError("--import reads the whole of a file; it goes with --store alone")
        return _import(options.import_, options.store)
    if wanted.game is not None:
        game = make_game(wanted.game)
        wanted = replace(wanted, game=game.label if ":" in wanted.game else game.name)
    with Store(options.store, create=False) as store:
        if options.out is not None:
            print(f"Wrote {_counted(export_lines(store, options.out, wanted))} to {options.out}.")
            return 0
        matches = store.matches(wanted, limit=options.limit, before_id=options.before)
    if options.json:
        print(json.dumps([_to_json(match) for match in matches], indent=2))
    elif matches:
        print_table(COLUMNS, [_cells(match) for match in matches])
    else:
        print(f"No match in {without_password(options.store)} fits.")
    return 0


def _import(path: Path, url: str) -> int:
    written = read_lines(path)  # before there is a store that a bad file would leave empty
    with Store(url) as store:
        number, count = import_lines(store, written)
        print(f"{store.name} holds the {_counted(count)} of {path} as run {number}.")
    return 0


def _counted(count: int) -> str:
    return f"{count:,} match{'es' * (count != 1)}"


def _to_json(match: StoredMatch) -> dict[str, Any]:
    record, verdict = match.record, match.record.verdict
    return {
        "id": match.id,
        "run": match.run,
        "number": match.number,
        "added": _when(match.added).isoformat(),
        "game": record.game,
        "players": list(record.players),
        "returns": list(verdict.returns),
        "reason": str(verdict.reason),
        "offender": verdict.offender,
        "detail": verdict.detail,
        "seed": record.seed,
        "opening": len(record.opening),
        "moves": len(record.actions),
    }


COLUMNS = (
    Column("match", right=True),
    Column("run", rank=3, right=True),
    Column("game", least=12),
    Column("players", least=16),
    Column("points"),
    Column("moves", rank=2, right=True),
    Column("added (UTC)", rank=1),
)


def _cells(match: StoredMatch) -> list[Cell]:
    record = match.record
    name, options = split_label(record.game)
    return [
        str(match.id),
        str(match.run),
        Text.assemble(name, (f"\n{options.replace(', ', ' ')}", "dim")),
        _players(record),
        "–".join(shares(record.verdict.returns, facts_of(record.game).of_team)),
        str(len(record.actions)),
        f"{_when(match.added):%Y-%m-%d %H:%M}",
    ]


def _players(record: MatchRecord) -> Text:
    """Return the players' names, one a line, with the reason after a player who lost by breaking a rule."""
    verdict = record.verdict
    faults = {} if verdict.offender is None else {verdict.offender: f"  {verdict.reason}"}
    sides = facts_of(record.game).sides
    lines = [(f"{mark(seat, sides)} {name}", (faults.get(seat, ""), "dim")) for seat, name in enumerate(record.players)]
    return Text("\n").join(Text.assemble(*line) for line in lines)


def _when(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
