"""Rows of the home screen: pure functions from runs and matches to cells. Imports nothing heavy."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from arena.base.counting import counted
from arena.tui.widgets.rows import Cells
from games.engine.identity import name_of

if TYPE_CHECKING:
    from arena.store import StoredMatch
    from arena.tournament.standings import Standings
    from arena.tournament.teams import Teams
    from arena.training.follow import FoundRun
    from arena.tui.services.context import GameLadder
    from arena.tui.services.game_facts import GameFacts


def training_cells(run: "FoundRun") -> Cells:
    """Return the activity, name, progress, scores and newest snapshot of a run."""
    from arena.training.scores import score_words

    status = run.status
    scores = score_words(status.evaluation)
    pace = [f"{status.rate:,.0f}/s"] if status.rate else []
    sign = Text("●" if status.at_work else "○", "bold")
    newest = [f"{counted(status.snapshots, 'snapshot')}, {clock_time(status.time)}"] if status.snapshots else []
    details = [*pace, *scores[:2], *newest]
    usual = status.state == "finished"  # as the sign and the share say, where narrow panels cut the rest
    return sign, run.name, status.share, "  ".join([*details, status.state] if usual else [status.state, *details])


def clock_time(seconds: float) -> str:
    """Return a moment, in seconds since 1970, as the time of today or as a day."""
    when = datetime.fromtimestamp(seconds)
    return f"{when:%H:%M}" if when.date() == datetime.now().date() else f"{when:%d %b}"


def match_cells(match: "StoredMatch", facts: "GameFacts") -> Cells:
    """Return the time, result, players and length of a match of a game with these facts; narrow panels cut the last."""
    from arena.tui.state.words import shares

    record = match.record
    result = "–".join(shares(record.verdict.returns, facts.of_team))
    moves = counted(len(record.actions), "move")
    return Text(clock_time(match.added), "dim"), result, " – ".join(record.players), moves


def completed(part: str, names: Sequence[str]) -> str | None:
    """Return the name that a part of it means: one that begins with it before one that holds it, short ones first.

    >>> completed("che", ["checkers", "chess"]), completed("ck", ["checkers", "chess"]), completed("x", ["chess"])
    ('chess', 'checkers', None)
    """
    part = part.strip().lower().replace(" ", "_")
    holding = [name for name in names if part in name]
    return min(holding, key=lambda name: (not name.startswith(part), len(name)), default=None)


LADDER = ("", ">elo", ">±", "agent", ">games", "W/D/L")
"""Headings of a ladder; narrow panels cut the last."""
TEAMS = ("", ">earns", ">±", "agent", ">games", "")
"""Headings of the ladder of a game that nobody wins."""
MOST_LADDER_ROWS = 50


def ladder_title(ladder: "GameLadder") -> str:
    """Return the game of a ladder, and its clock where there are several."""
    clock = f" · {ladder.ladders[0].clock}" if len(ladder.ladders) > 1 else ""
    return f"ladder: {name_of(ladder.game)}{clock}"


def ladder_headings(ladder: "GameLadder") -> tuple[str, ...]:
    """Return the headings of a ladder: nobody has an Elo where nobody wins."""
    return TEAMS if _earns(ladder) else LADDER


def _earns(ladder: "GameLadder") -> bool:
    from arena.tournament.teams import Teams

    return any(isinstance(one.table, Teams) for one in ladder.ladders[:1])


def agent_of(key: str, ladders: Sequence["GameLadder"]) -> tuple[str, str]:
    """Return the game and the spec of the agent of a row's key: a player may have a name of its own."""
    game, _, name = key.partition("\n")
    known = (ladder.specs[name] for ladder in ladders if name_of(ladder.game) == game and name in ladder.specs)
    return game, next(known, name)


def ladder_note(ladder: "GameLadder") -> str:
    """Return what the ratings of a ladder say, `random is 0`; that there are none if nobody is rated."""
    return ladder.ladders[0].table.meaning if ladder.ladders else f"nobody has been rated in {name_of(ladder.game)}"


def ladder_rows(ladder: "GameLadder", all_games: Sequence["GameLadder"] = ()) -> list[tuple[str, Cells]]:
    """Return a row for each of the first players of a ladder, and for the strongest of each of the other games.

    Cells are place, rating, half its interval, player, games, and wins/draws/losses, under the clock of most games.
    Where nobody wins, what a team of the player alone earns stands for the rating. The key is the game and the player
    with a line end between them. A row without a key separates players whom no games connect.
    """
    rows = list(islice(_rows(ladder), MOST_LADDER_ROWS))
    others = [row for other in all_games if other.game != ladder.game for row in islice(_strongest(other, ladder), 1)]
    return [*rows, *([_separator("best in other games")] if others else []), *others]


def _rows(ladder: "GameLadder") -> Iterator[tuple[str, Cells]]:
    from arena.tournament.teams import Teams

    for one in ladder.ladders[:1]:
        rows = _team_rows(one.table) if isinstance(one.table, Teams) else _rated_rows(one.table)
        yield from ((f"{name_of(ladder.game)}\n{name}" if name else "", cells) for name, cells in rows)


def _strongest(ladder: "GameLadder", headed: "GameLadder") -> Iterator[tuple[str, Cells]]:
    """Yield the rows of a ladder with its game in place of the number, and its measure if the heading is another."""
    measure, heading = ladder_headings(ladder)[1], ladder_headings(headed)[1]
    game = name_of(ladder.game) + ("" if measure == heading else f", {measure.removeprefix('>')}")
    for key, (_, rating, error, name, *figures) in _rows(ladder):
        yield key, ("★", rating, error, Text.assemble((f"{game}: ", "dim"), name), *figures)


def _separator(text: str) -> tuple[str, Cells]:
    return "", ("─", "", "", Text(text, "dim"), "", "")


def _rated_rows(table: "Standings") -> Iterator[tuple[str, Cells]]:
    for row in table.rows:
        if table.starts_island(row):
            yield _separator("no games with those above")
        tally = row.tally
        rating, error = f"{row.elo:z.0f}", f"{row.error:.0f}"
        results = f"{tally.wins}/{tally.draws}/{tally.losses}"
        yield row.name, (str(row.rank), rating, error, Text(row.name, "bold"), f"{tally.games.sum():,}", results)


def _team_rows(table: "Teams") -> Iterator[tuple[str, Cells]]:
    for row in table.rows:
        score = ("–", "–") if row.alone is None else (f"{row.alone.mean:.2f}", f"{row.alone.error:.2f}")
        yield row.name, (str(row.rank), *score, Text(row.name, "bold"), f"{row.games:,}", "")
