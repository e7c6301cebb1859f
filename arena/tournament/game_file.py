"""A file of a tournament's games, to which each is added as soon as it is stored: PGN, SGF or JSON lines."""

from collections.abc import Iterator
from pathlib import Path

from arena.base.errors import UsageError
from arena.match.files import JSON_LINES, WrittenMatch, circumstances, match_text
from arena.match.limits import Limits
from arena.store import MatchFilter, Store, StoredRun
from games.engine.game import Game


class GameFile:
    """Follows the games of a run of a store in a file.

    The store says what belongs there: a file that was cut short by the end of a program is completed, no game is
    written twice. `UsageError` for a file with anything else, or that cannot be written.
    """

    def __init__(self, path: Path, game: Game, store: Store, run: StoredRun, limits: Limits):
        require_format(path, game)
        self._path, self._game, self._store, self._run, self._limits = path, game, store, run, limits
        self._last = 0  # number in the store of the last match in the file
        try:
            self._take_up(path.read_bytes() if path.exists() else b"")
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from None

    def catch_up(self) -> None:
        """Add the games that were stored since the last call."""
        with self._path.open("ab") as file:
            for number, text in self._texts():
                file.write(text)
                file.flush()
                self._last = number

    def _take_up(self, content: bytes) -> None:
        """Keep the games that the file holds already, complete the last of them, and add what is missing."""
        place = 0
        for number, text in self._texts():
            there = content[place : place + len(text)]
            if not text.startswith(there):
                raise self._refusal()
            if len(there) < len(text):  # the file ends within this game, or before it
                break
            place, self._last = place + len(text), number
        else:
            if place < len(content):
                raise self._refusal()
        with self._path.open("ab") as file:
            file.truncate(place)
        self.catch_up()

    def _refusal(self) -> UsageError:
        return UsageError(f"{self._path} holds other games than this tournament's; give it another name, or remove it")

    def _texts(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number in the store and the text of each game that is not in the file."""
        for match in self._store.each_match(MatchFilter(run=self._run.id), after=self._last):
            tags = circumstances(f"Tournament {self._run.id}", match.added, match.number + 1, self._limits)
            written = WrittenMatch.of(match.record, self._game, tags)
            yield match.id, match_text(written, self._path.suffix.lower()).encode()


def require_format(path: Path, game: Game) -> None:
    """Raise `UsageError` unless games can be written in the format of a file's suffix."""
    known = [JSON_LINES, *([] if game.notation is None else [game.notation.suffix])]
    if path.suffix.lower() not in known:
        raise UsageError(f"{path}: games of {game.name} are written as {' or '.join(known)}")
