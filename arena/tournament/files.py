"""What a tournament leaves behind: ratings and games as CSV, everything as JSON, pictures."""

import csv
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import UsageError
from arena.tournament.picture import save_cross_table, save_ratings
from arena.tournament.standings import Standings

if TYPE_CHECKING:
    from arena.tournament.tournament import TournamentResult  # brings the store in, which tables do not need

RATINGS, GAMES, RESULTS = "ratings.csv", "games.csv", "results.json"
CROSS_TABLE, RATINGS_PICTURE = "crosstable.png", "ratings.png"


def claim_directory(path: Path) -> Path:
    """Make the folder `path` for results; `UsageError` if something is in it already, or it cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        taken = any(path.iterdir())
    except OSError as error:
        raise UsageError(f"{path}: no folder for results can be made here ({error.strerror})") from None
    if taken:
        raise UsageError(f"{path} is not empty; choose another folder for the results, or remove this one")
    return path


def numbered(path: Path) -> Path:
    """The first of `path`-1, `path`-2, ... that does not exist yet."""
    number = 1
    while (candidate := path.with_name(f"{path.name}-{number}")).exists():
        number += 1
    return candidate


def write_results(result: "TournamentResult", directory: Path) -> None:
    """Write what a tournament brought into a folder: its standings, and every game with all it takes to replay it."""
    write_standings(result.standings, result.game, directory)
    _write_csv(directory / GAMES, _game_rows(result))


def write_standings(table: Standings, title: str, directory: Path) -> None:
    """Write `ratings.csv`, `results.json`, `crosstable.png` and `ratings.png` into a folder."""
    _write_csv(directory / RATINGS, _rating_rows(table))
    (directory / RESULTS).write_text(as_json(table, title) + "\n", encoding="utf-8")
    save_cross_table(table, title, directory / CROSS_TABLE)
    save_ratings(table, title, directory / RATINGS_PICTURE)


def as_json(table: Standings, title: str) -> str:
    """Everything in the tables as JSON; what is not known is null."""
    worth, error = table.ratings.seats.tolist(), table.ratings.seats_error.tolist()
    seats = zip(worth, error, strict=True) if table.seat_order else ()
    content = {
        "title": title,
        "games": table.games,
        "distinct_games": table.distinct_games,
        "anchor": table.anchor,
        "cyclic_share": round(table.cyclic, 4),
        "draws_between_equals": round(table.ratings.draws, 4),
        "seats": [{"elo": _tenths(elo), "error_95": round(error, 1)} for elo, error in seats],
        "players": [
            {name: None if value == "" else value for name, value in row.items()} for row in _rating_rows(table)
        ],
        "cross_table": {"points": table.points.tolist(), "games": table.counts.tolist()},
    }
    return json.dumps(content, indent=2, allow_nan=False)


def _rating_rows(table: Standings) -> Iterable[dict[str, Any]]:
    """A line for each player; "" stands for what is not known."""
    for row in table.rows:
        tally = row.tally
        by_seat = enumerate(tally.score_by_seat.tolist() if table.seat_order else ())
        yield {
            "rank": row.rank,
            "agent": row.name,
            "elo": _tenths(row.elo),
            "error_95": round(row.error, 1),
            "superiority": "" if row.superiority is None else round(row.superiority, 4),
            "games": int(tally.games.sum()),
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "score": round(tally.score, 4),
            "mean_return": round(tally.mean_return, 4) + 0.0,
            "return_error_95": round(tally.return_error, 4),
            **{f"score_seat_{seat}": "" if math.isnan(score) else round(score, 4) for seat, score in by_seat},
            "distinct_games": "" if table.distinct_games is None else tally.distinct_games,
            "illegal": tally.illegal,
            "late": tally.late,
            "crashed": tally.crashed,
            "alpha_rank": "" if table.alpha_rank is None else round(float(table.alpha_rank[row.rank - 1]), 4),
            "nash": "" if table.nash is None else round(float(table.nash[row.rank - 1]), 4),
        }


def _tenths(elo: float) -> float:
    """A rating as it is written: to one place, and never as -0.0."""
    return round(elo, 1) + 0.0


def _game_rows(result: "TournamentResult") -> Iterable[dict[str, Any]]:
    for number, record in enumerate(result.records, start=1):
        verdict = record.verdict
        yield {
            "number": number,
            "game": record.game,
            **{f"seat_{seat}": name for seat, name in enumerate(record.players)},
            "seed": record.seed,
            "opening": " ".join(map(str, record.opening)),
            "actions": " ".join(map(str, record.actions)),
            **{f"return_{seat}": earned for seat, earned in enumerate(verdict.returns)},
            "reason": verdict.reason.value,
            "offender": "" if verdict.offender is None else verdict.offender,
            "detail": verdict.detail,
        }


def _write_csv(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows of equal keys, as they come."""
    rows = iter(rows)
    first = next(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(first))
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(rows)
