"""Result files of a tournament: ratings and games as CSV, everything as JSON, pictures."""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.base.errors import UsageError
from arena.base.saving import is_draft, remove_drafts, write_whole
from arena.base.text import csv_cell
from arena.tournament.entrants import specs_of
from arena.tournament.picture import save_cross_table, save_ratings
from arena.tournament.standings import Standings
from arena.tournament.tally import Tally
from arena.tournament.team_report import cross_play, save_cross_play, save_returns, team_rows
from arena.tournament.teams import Teams
from games.engine.actions import written
from games.engine.stakes import Stakes

if TYPE_CHECKING:
    from arena.tournament.tournament import TournamentResult  # brings the store in, which tables do not need

RATINGS, GAMES, RESULTS = "ratings.csv", "games.csv", "results.json"
CROSS_TABLE, RATINGS_PICTURE = "crosstable.png", "ratings.png"

WRITTEN = (RATINGS, GAMES, RESULTS, CROSS_TABLE, RATINGS_PICTURE)
"""The files of a folder of results."""


def claim_directory(path: Path, key: str | None = None) -> Path:
    """Make the folder `path` for results; `UsageError` if it cannot be made or is not empty.

    It may hold results of the tournament with the same `key`, which are equal but may be incomplete.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        taken = any(not is_draft(file.name, WRITTEN) for file in path.iterdir())
    except OSError as error:
        raise UsageError(f"{path}: a folder for results cannot be made here ({error.strerror})") from None
    if taken and (key is None or _owner(path) != key):
        raise UsageError(f"{path} is not empty; choose another folder for the results, or remove this one")
    return path


def _owner(path: Path) -> str | None:
    """Return the key of the tournament whose results are in a folder, or None."""
    try:
        content = json.loads((path / RESULTS).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    key = content.get("key") if isinstance(content, dict) else None
    return key if isinstance(key, str) else None


def numbered(path: Path) -> Path:
    """Return the first of `path`-1, `path`-2, ... that does not exist yet."""
    number = 1
    while (candidate := path.with_name(f"{path.name}-{number}")).exists():
        number += 1
    return candidate


def write_results(result: "TournamentResult", directory: Path, key: str | None = None) -> None:
    """Write the results of a tournament into a folder: its standings, and every game with all data to replay it.

    What games have shown that a seed does not repeat is in the store alone.

    Each file is written atomically. The first one holds `key`, so that the same tournament may write here again after
    an interruption.
    """
    remove_drafts(directory, WRITTEN)
    figures = json_figures(result)
    write_standings(result.table, result.game, directory, key, result.played, figures)
    write_whole(directory / GAMES, partial(_write_csv, rows=_game_rows(result)))


def json_figures(result: "TournamentResult") -> dict[str, Any]:
    """Return what is told besides the table: adjudicated games, and answers of players that think in words."""
    answers = [player.to_json() for player in result.answers]
    figures = {"knockout": result.knockout.splitlines(), "adjudicated": result.adjudications, "answers": answers}
    return {name: figure for name, figure in figures.items() if figure}


def write_standings(
    table: Standings | Teams,
    title: str,
    directory: Path,
    key: str | None = None,
    played: Mapping[str, Any] | None = None,
    figures: Mapping[str, Any] | None = None,
) -> None:
    """Write `results.json`, `ratings.csv`, `crosstable.png` and `ratings.png` into a folder.

    Where nobody wins, the last shows returns; in a game of one seat there is no cross table. `played` says what was
    played, and gives each row the spec of its agent.
    """
    text = to_json(table, title, key, played, figures) + "\n"
    write_whole(directory / RESULTS, partial(Path.write_text, data=text, encoding="utf-8"))
    write_whole(directory / RATINGS, partial(_write_csv, rows=_rows(table, played)))
    if isinstance(table, Teams):
        if table.seats > 1:
            write_whole(directory / CROSS_TABLE, partial(save_cross_play, table, title))
        if any(row.alone is not None for row in table.rows):
            write_whole(directory / RATINGS_PICTURE, partial(save_returns, table, title))
        return
    write_whole(directory / CROSS_TABLE, partial(save_cross_table, table, title, table.meaning))
    write_whole(directory / RATINGS_PICTURE, partial(save_ratings, table, title))


def to_json(
    table: Standings | Teams,
    title: str,
    key: str | None = None,
    played: Mapping[str, Any] | None = None,
    figures: Mapping[str, Any] | None = None,
) -> str:
    """Return the tables as JSON, with the key of a tournament and what it played; unknown values are null.

    `figures` are further ones, by name.
    """
    content = as_dict(table, title, None, key, played) | dict(figures or {})
    return json.dumps(content, indent=2, allow_nan=False)


def as_dict(
    table: Standings | Teams,
    title: str,
    limit: int | None = None,
    key: str | None = None,
    played: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the tables as JSON values; with a limit, so many players and no cross table."""
    content = {
        "title": title,
        **({} if key is None else {"key": key}),
        "games": table.games,
        "distinct_games": table.distinct_games,
        **({"played": played} if played else {}),
        **({} if isinstance(table, Teams) else _fit(table)),
        "players": [
            {name: None if value == "" else value for name, value in row.items()}
            for row in islice(_rows(table, played), limit)
        ],
    }
    if limit is None and isinstance(table, Teams):
        content |= {"cross_play": cross_play(table)} if table.seats > 1 else {}
    elif limit is None and isinstance(table, Standings):
        content["cross_table"] = {"points": table.points.tolist(), "games": table.counts.tolist()}
    return content


def _fit(table: Standings) -> dict[str, Any]:
    """Return the figures of the fit that are of no single player."""
    elo_by_seat, error = table.ratings.seats.tolist(), table.ratings.seats_error.tolist()
    seats = zip(elo_by_seat, error, strict=True) if table.seat_order else ()
    return {
        "zeros": [zero or "mean" for zero in table.zeros],
        "cyclic_share": round(table.cyclic, 4),
        "draws_between_equals": round(table.ratings.draws, 4),
        "seats": [{"elo": _tenths(elo), "error_95": round(error, 1)} for elo, error in seats],
    }


def _rows(table: Standings | Teams, played: Mapping[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """Yield a row for each player, with its spec where that is known; unknown values are ""."""
    specs = specs_of(played or {})
    for row in team_rows(table) if isinstance(table, Teams) else _rating_rows(table):
        yield row | ({"spec": specs[row["agent"]]} if row["agent"] in specs else {})


def _rating_rows(table: Standings) -> Iterable[dict[str, Any]]:
    """Yield a row for each player; unknown values are ""."""
    stakes = table.stakes
    for row in table.rows:
        tally = row.tally
        places = tally.places if table.seats > 2 else ()
        by_seat = enumerate(tally.score_by_seat.tolist() if table.seat_order else ())
        yield {
            "rank": row.rank,
            "agent": row.name,
            "elo": _tenths(row.elo),
            "error_95": round(row.error, 1),
            "zero": table.zeros[row.island] or "mean",
            "island": row.island + 1,
            "superiority": "" if row.superiority is None else round(row.superiority, 4),
            "games": int(tally.games.sum()),
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "score": round(tally.score, 4),
            "mean_return": round(tally.mean_return, 4) + 0.0,
            "return_error_95": round(tally.return_error, 4),
            **({} if stakes is None else _chips(stakes, tally)),
            **({"mean_place": round(tally.mean_place, 4)} if table.seats > 2 else {}),
            **{f"place_{place}": int(count) for place, count in enumerate(places, start=1)},
            **{f"score_seat_{seat}": "" if math.isnan(score) else round(score, 4) for seat, score in by_seat},
            "distinct_games": "" if table.distinct_games is None else tally.distinct_games,
            "illegal": tally.illegal,
            "late": tally.late,
            "crashed": tally.crashed,
            "alpha_rank": "" if table.alpha_rank is None else round(float(table.alpha_rank[row.rank - 1]), 4),
            "nash": "" if table.nash is None else round(float(table.nash[row.rank - 1]), 4),
        }


def _chips(stakes: Stakes, tally: Tally) -> dict[str, float]:
    """Return what a player earns a hand in chips and in thousandths of a blind, with its interval."""
    return {
        "chips_per_hand": round(tally.mean_return * stakes.chips, 4) + 0.0,
        f"{stakes.thousandth}_per_hand": round(stakes.in_thousandths(tally.mean_return), 2) + 0.0,
        f"{stakes.thousandth}_error_95": round(stakes.in_thousandths(tally.return_error), 2),
    }


def _tenths(elo: float) -> float:
    """Return a rating rounded to one decimal place, never -0.0."""
    return round(elo, 1) + 0.0


def _game_rows(result: "TournamentResult") -> Iterable[dict[str, Any]]:
    for number, record in enumerate(result.records, start=1):
        verdict = record.verdict
        yield {
            "number": number,
            "game": record.game,
            **{f"seat_{seat}": name for seat, name in enumerate(record.players)},
            "seed": record.seed,
            "opening": record.start or " ".join(map(written, record.opening)),
            "actions": " ".join(map(written, record.actions)),
            **{f"return_{seat}": value for seat, value in enumerate(verdict.returns)},
            "reason": verdict.reason.value,
            "offender": "" if verdict.offender is None else verdict.offender,
            "detail": verdict.detail,
        }


def _write_csv(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows with equal keys, one at a time."""
    rows = iter(rows)
    first = next(rows, {})
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(first))
        writer.writeheader()
        for row in chain([first] * bool(first), rows):
            writer.writerow({name: csv_cell(value) for name, value in row.items()})
