"""`arena match`: one stored match, replayed and printed."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import tyro
from rich.text import Text

from arena.base.errors import UsageError
from arena.base.terminal import make_console
from arena.base.text import printable
from arena.match.json_lines import to_json_line
from arena.match.replay import Replay, replay
from arena.store import DEFAULT_URL, Store, StoredMatch
from arena.tui.state.words import result


@dataclass(frozen=True)
class Options:
    """Replay a stored match from its seed and moves, and check its result.

    Of a game that a seed does not repeat, it is shown as it was stored instead.

    Prints the moves (those of the opening in brackets), each player's time if it was measured, and the final board. The
    exit status is 1 if the match does not replay.
    """

    number: Annotated[tyro.conf.Positional[int], tyro.conf.arg(metavar="MATCH")]
    """Number of the match; 'arena matches' lists them."""
    store: Annotated[str, tyro.conf.arg(metavar="URL")] = DEFAULT_URL
    """Store of the match: path of an SQLite file, or URL of another database."""
    json: bool = False
    """Print JSON instead: the match as 'arena matches --export' writes it, with its id, run and number."""


def run(options: Options) -> int:
    """Replay the match and print it."""
    with Store(options.store, create=False) as store:
        match = store.match(options.number)
    try:
        again = replay(match.record)
    except UsageError as error:
        print(f"arena: match {match.id} does not replay: {printable(error)}", file=sys.stderr)
        return 1
    if options.json:
        identity = {"id": match.id, "run": match.run, "number": match.number}
        print(json.dumps(identity | json.loads(to_json_line(again.game, match.record)), indent=2))
    else:
        _show(match, again)
    return 0


def _show(match: StoredMatch, again: Replay) -> None:
    record, picture = match.record, again.picture
    console = make_console()
    console.print(Text(f"Match {match.id}, number {match.number} of run {match.run}, seed {record.seed}"))
    console.print(Text(f"{record.game}\n"))
    spent = None if record.move_ms is None else again.spent_s(record.move_ms)
    for seat, (name, value) in enumerate(zip(record.players, record.verdict.returns, strict=True)):
        time = "" if spent is None else f"  {spent[seat]:.3g} s"
        console.print(Text(f"{picture.mark(seat)} {name}  {value:+g}{time}"))
    console.print(Text(f"\n{_listed(again.moves, len(record.opening))}\n"))
    console.print(Text(picture.text()), no_wrap=True, overflow="ignore", crop=False)
    ended = result(record.verdict, record.players, len(record.actions), picture.sides, again.game.competitive)
    console.print(Text(f"\n{ended}"))
    if again.match is None:
        console.print("As it was stored: the same seed and moves give another game, so it is not played again.")
    else:
        console.print("Replayed: seed and moves lead to this end.", style="green")


def _listed(moves: Sequence[str], opening: int) -> str:
    """Return the moves in one line, those of the opening in brackets.

    >>> _listed(["d", "e", "d"], 1)
    '(d) e d'
    """
    first = f"({' '.join(moves[:opening])})" if opening else ""
    return " ".join(filter(None, [first, *moves[opening:]])) or "no moves"
