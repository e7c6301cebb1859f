"""Finished games from a file: CSV of three kinds, or PGN.

CSV has a header and a line for each game, in one of these forms:

* `white,black,result` (or `home,away,result`): the first column has the first seat, whose advantage is estimated, too.
  The result is 1-0, 0-1 or 1/2-1/2, or the first's score: 1, 0 or 0.5.
* `player_1,player_2,result`: the same without the order of seats.
* `player_1,...,player_N,score_1,...,score_N`: games of more players, or with other scores, of which a higher one is
  better; an empty player leaves a seat empty.
* `games.csv` as `arena tournament` writes it.

Of PGN the tags White, Black and Result are read; unfinished games ("*") are left out.
"""

import csv
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.base.errors import UsageError
from arena.base.files import read_text
from arena.base.numbers import number_in
from arena.base.text import from_csv_cell
from arena.match.replay import game_labelled
from arena.match.verdict import MatchRecord, Reason, Verdict
from games.engine.actions import Action

WON, DRAWN, LOST = (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)
RESULTS = dict.fromkeys(("1-0", "1", "1.0"), WON) | dict.fromkeys(("0-1", "0", "0.0"), LOST)
RESULTS |= dict.fromkeys(("1/2-1/2", "½-½", "1/2", "½", "0.5"), DRAWN)
"""Returns of both players by the text of a result."""
PAIRS = {("white", "black"): True, ("home", "away"): True, ("player_1", "player_2"): False}
"""Columns of two-player games; True if they are in the order of the seats."""
TAG = re.compile(r'\[(White|Black|Result)\s+"((?:[^"\\]|\\.)*)"\]')


@dataclass(frozen=True)
class PlayedGames:
    """The content of a file of games."""

    records: list[MatchRecord]
    seat_order: bool
    """True if the players of a record are in the order of their seats."""
    unfinished: int = 0
    """Number of games without a result, which are left out."""
    chance: bool = False
    """True if one of the games is known to have chance."""

    @property
    def names(self) -> list[str]:
        """Names of all players, in order of appearance."""
        return list(dict.fromkeys(name for record in self.records for name in record.players))


def read_games(path: Path) -> PlayedGames:
    """Read a file of games; `UsageError` with the line number of an error."""
    lines = read_text(path).splitlines(keepends=True)
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
    """Yield every row with its file and line."""
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
    returns = [_number(row[f"score_{player}"], f"score_{player}", at) for player in sat]
    return _record([row[f"player_{player}"] for player in sat], returns, at)


def _own_game(row: dict[str, str], seats: Sequence[int], at: str) -> MatchRecord:
    returns = [_number(row[f"return_{seat}"], f"return_{seat}", at) for seat in seats]
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
    verdict = Verdict(tuple(returns), Reason(reason), int(offender) if offender else None)
    record = _record(names, returns, at, tuple(map(int, moves)), verdict)
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
    actions: tuple[Action, ...] = (),
    verdict: Verdict | None = None,
) -> MatchRecord:
    names = [from_csv_cell(name) for name in names]
    if not all(names):
        raise UsageError(f"{at}: a player has no name")
    if not all(name.isprintable() for name in names):
        raise UsageError(f"{at}: players {names!r} have characters that cannot be printed")
    if len(set(names)) < len(names):
        raise UsageError(f"{at}: {names[0]!r} plays against itself, which says nothing of its strength")
    return MatchRecord("", tuple(names), 0, (), actions, verdict or Verdict(tuple(returns)))


def _number(text: str, column: str, at: str) -> float:
    number = number_in(text)
    if math.isnan(number):
        raise UsageError(f"{at}: {column} {text!r} is not a number")
    return number


def _read_pgn(path: Path, lines: Sequence[str]) -> PlayedGames:
    records, tags, unfinished = [], dict[str, str](), 0
    for number, line in enumerate(lines, start=1):
        tag = TAG.match(line.strip())
        if tag is None:
            continue
        if tag[1] in tags:
            raise UsageError(f"{path}, line {number}: a second {tag[1]} before the last game's White, Black and Result")
        tags[tag[1]] = re.sub(r"\\(.)", r"\1", tag[2])
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
