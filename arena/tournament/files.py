"""What a tournament leaves behind: ratings and games as CSV, the cross table as a picture."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena.errors import UsageError
from arena.tournament.picture import save_cross_table
from arena.tournament.standings import Standings
from arena.tournament.tournament import TournamentResult

RATINGS, GAMES, CROSS_TABLE = "ratings.csv", "games.csv", "crosstable.png"


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


def write_results(result: TournamentResult, directory: Path) -> None:
    """Write `ratings.csv`, `games.csv` (everything needed to replay them) and `crosstable.png` into a folder."""
    _write_csv(directory / RATINGS, _rating_rows(result.standings))
    _write_csv(directory / GAMES, _game_rows(result))
    save_cross_table(result, directory / CROSS_TABLE)


def _rating_rows(standings: Standings) -> Iterable[dict[str, Any]]:
    for row in standings.rows:
        tally = row.tally
        yield {
            "rank": row.rank,
            "agent": row.name,
            "elo": round(row.elo, 1),
            "error_95": round(row.error, 1),
            "superiority": "" if row.superiority is None else round(row.superiority, 4),
            "games": tally.games.sum(),
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "score": round(tally.score, 4),
            **{f"score_seat_{seat}": round(score, 4) for seat, score in enumerate(tally.score_by_seat.tolist())},
            "distinct_games": len(tally.lines),
            "illegal": tally.illegal,
            "crashed": tally.crashed,
        }


def _game_rows(result: TournamentResult) -> Iterable[dict[str, Any]]:
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
    rows = list(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
