"""Import and export of matches as JSON Lines, export also as PGN or SGF; every match is replayed as a check."""

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from arena.base.errors import UsageError
from arena.base.files import LARGE, open_regular, reason
from arena.base.saving import write_whole
from arena.match.files import JSON_LINES, WrittenMatch, circumstances, match_text
from arena.match.json_lines import from_json_line
from arena.match.limits import clock_of
from arena.match.replay import game_labelled
from arena.match.verdict import MatchRecord
from arena.store.matches import MatchFilter, StoredMatch
from arena.store.runs import StoredRun
from arena.store.store import Store


def export_lines(store: Store, path: Path, wanted: MatchFilter | None = None) -> int:
    """Write the matching matches, the oldest first, in the format of the file's suffix; return their number.

    The file is written atomically. Raises `UsageError` for a match that does not replay and for a file that cannot be
    written.
    """
    game_of, run_of = cache(game_labelled), cache(store.run)
    count = 0

    def write(draft: Path) -> None:
        nonlocal count
        with draft.open("w", encoding="utf-8") as file:
            for match in store.each_match(wanted or MatchFilter()):
                try:
                    known = circumstances_of(match, run_of(match.run))
                    written = WrittenMatch.of(match.record, game_of(match.record.game), known)
                    file.write(match_text(written, path.suffix or JSON_LINES))
                except UsageError as error:
                    raise UsageError(f"match {match.id} cannot be written: {error}; nothing was written") from error
                count += 1

    write_whole(path, write)
    return count


def circumstances_of(match: StoredMatch, run: StoredRun) -> dict[str, str]:
    """Return the circumstances of a stored match: the run it belongs to, when it was played, and its clock."""
    return circumstances(f"{run.kind} {run.id}", match.added, match.number + 1, clock_of(run.config))


@dataclass(frozen=True)
class WrittenLines:
    """The matches of a file, all of them replayed."""

    name: str
    """Name of the file."""
    digest: str
    """SHA-256 of the file's content."""
    records: Sequence[tuple[int, MatchRecord]]
    """Records with their line numbers."""


def read_lines(path: Path) -> WrittenLines:
    """Read matches as JSON Lines; `UsageError` names the first line that is malformed or does not replay."""
    digest = hashlib.sha256()
    records: list[tuple[int, MatchRecord]] = []
    try:
        with io.BufferedReader(open_regular(path, follow=True)) as file:
            for number, line in enumerate(iter(lambda: file.readline(LARGE), b""), start=1):
                digest.update(line)
                try:
                    records.append((number, from_json_line(line.decode("utf-8"))[1]))
                except (UsageError, UnicodeDecodeError) as error:
                    raise UsageError(f"{path}, line {number}: {error}; nothing was written") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({reason(error)})") from error
    return WrittenLines(path.name, digest.hexdigest(), records)


def import_lines(store: Store, written: WrittenLines) -> tuple[int, int]:
    """Add the matches of a file; return the number of their run and the number of matches.

    The key of the run is the hash of the file: a second import changes nothing.
    """
    games = {record.game for _, record in written.records}
    players = sorted({name for _, record in written.records for name in record.players})
    game = games.pop() if len(games) == 1 else None
    key, settings = f"import:{written.digest}", {"file": written.name}
    run = store.add_run("import", key, game, settings, players, written.records)
    return run.id, len(written.records)
