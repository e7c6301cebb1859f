"""`arena matches`: the matches of a store."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from arena.config import require_at_least
from arena.errors import UsageError
from arena.match.verdict import MatchRecord
from arena.registry import make_game
from arena.store import DEFAULT_URL, MatchFilter, Store, StoredMatch, export_lines, import_lines, read_lines
from arena.tui.series import share_point
from arena.tui.words import mark, points

if TYPE_CHECKING:
    from textual.screen import Screen


@dataclass(frozen=True)
class Options:
    """List the matches of a store, the newest first; write them to a file, or read others from one.

    A file holds a match a line, as JSON. Every match is replayed before it is written or read; of a file with one that
    could not have been played, nothing is read.
    """

    wanted: tyro.conf.EnumChoicesFromValues[MatchFilter] = field(default_factory=MatchFilter)
    store: Annotated[str, tyro.conf.arg(metavar="URL")] = DEFAULT_URL
    """Where the matches are: the path of an SQLite file, or the URL of another database."""
    limit: int = 20
    """Most matches in the list."""
    before: Annotated[int | None, tyro.conf.arg(metavar="MATCH", help_behavior_hint="")] = None
    """List those below this number: the list goes on where another ended."""
    json: bool = False
    """Print JSON instead of a table."""
    export: Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = None
    """Write all matches that fit to this file, the oldest first."""
    import_: Annotated[Path | None, tyro.conf.arg(name="import", metavar="FILE", help_behavior_hint="")] = None
    """Add the matches of this file to the store."""
    ui: bool = False
    """Browse them on a screen, and replay them there."""

    def __post_init__(self) -> None:
        require_at_least(self, 1, "limit")
        if self.ui and (self.json or self.export or self.import_):
            raise UsageError("--ui shows matches on a screen: it does not go with --json, --export and --import")


@contextmanager
def screen(options: Options) -> Iterator["Screen[Any]"]:
    """The screen of the matches; `UsageError` if there is no store."""
    from arena.tui.screens.browse import BrowseScreen

    Store(options.store, create=False).close()
    yield BrowseScreen(options.store, options.wanted)


def run(options: Options) -> int:
    """List, write or read, or browse."""
    wanted = options.wanted
    if options.ui:
        from arena.cli.opening import show

        return show(screen(options))
    if options.import_ is not None:
        if options.export is not None or wanted != MatchFilter():
            raise UsageError("--import reads the whole of a file; it goes with --store alone")
        return _import(options.import_, options.store)
    if wanted.game is not None:
        game = make_game(wanted.game)
        wanted = replace(wanted, game=game.label if ":" in wanted.game else game.name)
    with Store(options.store, create=False) as store:
        if options.export is not None:
            print(f"Wrote {_counted(export_lines(store, options.export, wanted))} to {options.export}.")
            return 0
        found = store.matches(wanted, limit=options.limit, before_id=options.before)
    if options.json:
        print(json.dumps([_told(match) for match in found], indent=2))
    elif found:
        Console().print(_table(found))
    else:
        print(f"No match in {options.store} fits.")
    return 0


def _import(path: Path, url: str) -> int:
    written = read_lines(path)  # before there is a store that a bad file would leave empty
    with Store(url) as store:
        number, count = import_lines(store, written)
        print(f"{store.name} holds the {_counted(count)} of {path} as run {number}.")
    return 0


def _counted(count: int) -> str:
    return f"{count:,} match{'es' * (count != 1)}"


def _told(match: StoredMatch) -> dict[str, Any]:
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


def _table(found: Sequence[StoredMatch]) -> Table:
    table = Table(
        Column("match", justify="right"),
        Column("run", justify="right"),
        "game",
        "players",
        Column("points", no_wrap=True),
        Column("moves", justify="right"),
        Column("added (UTC)", no_wrap=True),
        box=SIMPLE,
        padding=(0, 1, 0, 0),
    )
    for match in found:
        record = match.record
        name, _, options = record.game.removesuffix(")").partition("(")
        table.add_row(
            str(match.id),
            str(match.run),
            Text.assemble(name, (f"\n{options.replace(', ', ' ')}", "dim")),
            _players(record),
            "–".join(points(share) for share in share_point(record.verdict.returns)),
            str(len(record.actions)),
            f"{_when(match.added):%Y-%m-%d %H:%M}",
        )
    return table


def _players(record: MatchRecord) -> Text:
    """Names by seat, a line each; who lost by breaking a rule is told why."""
    verdict = record.verdict
    faults = {} if verdict.offender is None else {verdict.offender: f"  {verdict.reason}"}
    lines = [(f"{mark(seat)} {name}", (faults.get(seat, ""), "dim")) for seat, name in enumerate(record.players)]
    return Text("\n").join(Text.assemble(*line) for line in lines)


def _when(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
