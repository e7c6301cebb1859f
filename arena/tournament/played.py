"""Games that were played elsewhere, read from a file: CSV of three kinds, or PGN.

CSV has a header, and a line for each game:

* `white,black,result` (or `home,away,result`): the first column sat first, so that its advantage is estimated, too. The
  result is 1-0, 0-1 or 1/2-1/2, or the first's score: 1, 0 or 0.5.
* `player_1,player_2,result`: the same where the order of the players says nothing. Games of more, or with scores of
  their own: `player_1,...,player_N,score_1,...,score_N`, higher is better; an empty player leaves a seat empty.
* `games.csv` as `arena tournament` writes it.

Of PGN the tags White, Black and Result are read; games without an end ("*") are left out.
"""

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.errors import UsageError
from arena.match.replay import game_labelled
from arena.match.verdict import MatchRecord, Reason, Verdict

WON, DRAWN, LOST = (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)
RESULTS = dict.fromkeys(("1-0", "1", "1.0"), WON) | dict.fromkeys(("0-1", "0", "0.0"), LOST)
RESULTS |= dict.fromkeys(("1/2-1/2", "½-½", "1/2", "½", "0.5"), DRAWN)
"""What both earn by a result as it is written."""
PAIRS = {("white", "black"): True, ("home", "away"): True, ("player_1", "player_2"): False}
"""Columns of games of two with a result, and whether their order is that of the seats."""
TAG = re.compile(r'\[(White|Black|Result)\s+"((?:[^"\\]|\\.)*)"\]')


@dataclass(frozen=True)
class PlayedGames:
    """What a file holds."""

    records: list[MatchRecord]
    seat_order: bool
    """Whether the order of a record's players is that of their seats."""
    unfinished: int = 0
    """Games without a result, which are left out."""
    chance: bool = False
    """Whether chance has a part in them, as far as that is known."""

    @property
    def names(self) -> list[str]:
        """Everybody, in the order of appearance."""
        return list(dict.fromkeys(name for record in self.records for name in record.players))


def read_games(path: Path) -> PlayedGames:
    """Read a file of games; `UsageError` with the number of the line that is wrong."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = file.read().splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise UsageError(f"{path} cannot be read: {reason}") from None
    games = _read_pgn(path, lines) if path.suffix.lower() == ".pgn" else _read_csv(path, lines)
    if not games.records:
        raise UsageError(f"{path} holds no finished game")
    return games


def _read_csv(path: Path, lines: Sequence[str]) -> PlayedGames:
    rows = csv.DictReader(lines, skipinitialspace=True, strict=True)
    try:
        header = [name.strip().lower() for name in rows.fieldnames or ()]
    except csv.Error as error:
        raise UsageError(f"{path}, line 1: {error}") from None
    rows.fieldnames = header
    columns = set(header)
    for pair, seat_order in PAIRS.items():
        if {*pair, "result"} <= columns:
            return PlayedGames([_game_of_two(row, pair, at) for row, at in _rows(path, rows)], seat_order)
    seats = sorted(int(name[5:]) for name in columns if re.fullmatch(r"seat_\d{1,2}", name))
    if len(seats) > 1 and seats[-1] < len(seats) and {f"return_{seat}" for seat in seats} <= columns:
        records = [_own_game(row, seats, at) for row, at in _rows(path, rows)]
        return PlayedGames(records, seat_order=True, chance=any(map(_has_chance, {record.game for record in records})))
    players = sorted(int(name[7:]) for name in columns if re.fullmatch(r"player_\d{1,2}", name))
    if len(players) > 1 and {f"score_{player}" for player in players} <= columns:
        return PlayedGames([_scored_game(row, players, at) for row, at in _rows(path, rows)], seat_order=False)
    raise UsageError(
        f"{path}, line 1: columns {', '.join(header) or '(none)'} are not white,black,result, "
        "player_1,player_2,result, player_1,...,score_1,... or those of a tournament's games.csv"
    )


def _rows(path: Path, rows: "csv.DictReader[str]") -> Iterator[tuple[dict[str, str], str]]:
    """Every row that is not blank, with where it stands."""
    try:
        for row in rows:
            at = f"{path}, line {rows.line_num}"
            if None in row or None in row.values():
                raise UsageError(f"{at}: it does not have {len(rows.fieldnames or ())} fields as the header has")
            yield {name: value.strip() for name, value in row.items()}, at
    except csv.Error as error:
        raise UsageError(f"{path}, line {rows.reader.line_num}: {error}") from None


def _game_of_two(row: dict[str, str], pair: tuple[str, str], at: str) -> MatchRecord:
    returns = RESULTS.get(row["result"].replace(" ", ""))
    if returns is None:
        raise UsageError(f"{at}: result {row['result']!r} is not 1-0, 0-1, 1/2-1/2, 1, 0 or 0.5")
    return _record([row[name] for name in pair], returns, at)


def _scored_game(row: dict[str, str], players: Sequence[int], at: str) -> MatchRecord:
    sat = [player for player in players if row[f"player_{player}"]]
    if len(sat) < 2:
        raise UsageError(f"{at}: a game needs at least 2 players")
    earned = [_number(row[f"score_{player}"], f"score_{player}", at) for player in sat]
    return _record([row[f"player_{player}"] for player in sat], earned, at)


def _own_game(row: dict[str, str], seats: Sequence[int], at: str) -> MatchRecord:
    earned = [_number(row[f"return_{seat}"], f"return_{seat}", at) for seat in seats]
    names = [row[f"seat_{seat}"] for seat in seats]
    moves = row.get("actions", "").split()
    if not all(re.fullmatch(r"-?\d{1,9}", move) for move in moves):
        raise UsageError(f"{at}: actions {row['actions'][:40]!r} are not numbers")
    seed = row.get("seed") or "0"
    if not re.fullmatch(r"[0-9]{1,19}", seed):
        raise UsageError(f"{at}: seed {seed[:40]!r} is not a number from 0")
    reason, offender = row.get("reason") or "finished", row.get("offender", "")
    if reason not in list(Reason):
        raise UsageError(f"{at}: reason {reason!r} is not one of {', '.join(Reason)}")
    if offender and (not offender.isdecimal() or int(offender) not in seats):
        raise UsageError(f"{at}: offender {offender!r} is not a seat from 0 to {len(seats) - 1}")
    verdict = Verdict(tuple(earned), Reason(reason), int(offender) if offender else None)
    record = _record(names, earned, at, tuple(map(int, moves)), verdict)
    return replace(record, game=row.get("game", ""), seed=int(seed))


def _has_chance(label: str) -> bool:
    try:
        return game_labelled(label).has_chance
    except UsageError:  # it is not installed here
        return False


def _record(
    names: Sequence[str],
    returns: Sequence[float],
    at: str,
    actions: tuple[int, ...] = (),
    verdict: Verdict | None = None,
) -> MatchRecord:
    if not all(names):
        raise UsageError(f"{at}: a player has no name")
    if not all(name.isprintable() for name in names):
        raise UsageError(f"{at}: players {names!r} have characters that cannot be printed")
    if len(set(names)) < len(names):
        raise UsageError(f"{at}: {names[0]!r} plays against itself, which says nothing of its strength")
    return MatchRecord("", tuple(names), 0, (), actions, verdict or Verdict(tuple(returns)))


def _number(text: str, column: str, at: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{at}: {column} {text!r} is not a number")
    return number


def _read_pgn(path: Path, lines: Sequence[str]) -> PlayedGames:
    records, tags, unfinished = [], dict[str, str](), 0
    for number, line in enumerate(lines, start=1):
        found = TAG.match(line.strip())
        if found is None:
            continue
        if found[1] in tags:
            raise UsageError(
                f"{path}, line {number}: a second {found[1]} before the last game's White, Black and Result"
            )
        tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
        if len(tags) < 3:
            continue
        at = f"{path}, line {number}"
        if tags["Result"] == "*":
            unfinished += 1
        elif tags["Result"] not in RESULTS:
            raise UsageError(f"{at}: Result {tags['Result']!r} is not 1-0, 0-1, 1/2-1/2 or *")
        else:
            records.append(_record([tags["White"], tags["Black"]], RESULTS[tags["Result"]], at))
        tags = {}
    if tags:
        raise UsageError(f"{path}: the last game lacks one of White, Black and Result")
    return PlayedGames(records, seat_order=True, unfinished=unfinished)
