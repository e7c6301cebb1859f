"""One match as a text: a line of JSON, or the notation that people have for its game (PGN, SGF)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.errors import UsageError
from arena.match.json_lines import from_json_line, to_json_line
from arena.match.replay import empty_seats, game_labelled
from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit
from arena.registry import GAMES, make_game
from games.engine.game import Game
from games.engine.notation import Notation, WrittenGame

JSON_LINES = ".jsonl"


@dataclass(frozen=True)
class WrittenMatch:
    """A match that was played, here or elsewhere."""

    game: Game
    """Begun where the match began."""
    players: tuple[str, ...]
    """Names by seat."""
    actions: tuple[int, ...]
    seed: int = 0
    opening: int = 0
    """How many of the actions were given."""
    verdict: Verdict | None = None
    """None if it was not played to an end."""
    move_ms: tuple[int, ...] | None = None
    """As in a record."""

    @staticmethod
    def of(record: MatchRecord, game: Game | None = None) -> "WrittenMatch":
        """A record of ours; `game` spares making it."""
        game = game or game_labelled(record.game)
        opening = len(record.opening)
        return WrittenMatch(game, record.players, record.actions, record.seed, opening, record.verdict, record.move_ms)

    @property
    def record(self) -> MatchRecord:
        """The same as a record of ours; `UsageError` for a match without an end."""
        if self.verdict is None:
            raise UsageError("the match was not played to an end")
        opening = self.actions[: self.opening]
        label = self.game.label
        return MatchRecord(label, self.players, self.seed, opening, self.actions, self.verdict, self.move_ms)


def match_text(match: WrittenMatch, suffix: str, others: Sequence[str] = ()) -> str:
    """The match in the format of files with that suffix, ready for another to follow.

    Raises `UsageError` if there is no such format for its game, which names those that there are and the `others` that
    the caller writes, or if it does not replay.
    """
    notation = match.game.notation
    if notation is not None and suffix == notation.suffix:
        returns = None if match.verdict is None else match.verdict.returns
        return notation.write(match.game, match.actions, match.players, returns) + "\n"
    if suffix != JSON_LINES:
        *known, last = [JSON_LINES, *([] if notation is None else [notation.suffix]), *others]
        will_do = f"{', '.join(known)} or {last}" if known else last
        raise UsageError(
            f"{match.game.name} is not written as {suffix or 'a file without a suffix'}; {will_do} will do"
        )
    return to_json_line(match.game, match.record) + "\n"


def read_match(path: Path, number: int = 1) -> WrittenMatch:
    """The match with that number in a file; its suffix tells the format. `UsageError` if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise UsageError(f"{path} cannot be read: {reason}") from None
    suffix = path.suffix.lower()
    notation = None if suffix == JSON_LINES else next((found for found in _notations() if found.suffix == suffix), None)
    if suffix != JSON_LINES and notation is None:
        raise UsageError(
            f"{path}: {suffix or 'a file without a suffix'} is no format of matches; .jsonl, .pgn, .sgf are"
        )
    texts = [line for line in text.splitlines() if line.strip()] if notation is None else notation.split(text)
    if not 1 <= number <= len(texts):
        raise UsageError(f"{path} holds {len(texts)} matches; there is no number {number}")
    try:
        if notation is None:
            game, record = from_json_line(texts[number - 1])
            return WrittenMatch.of(record, game)
        return _judged(notation.read(texts[number - 1]))
    except UsageError as error:
        raise UsageError(f"{path}, match {number}: {error}") from None


def _notations() -> Iterator[Notation]:
    """What the games that are installed say of files."""
    for name in GAMES.names():
        notation = make_game(name).notation
        if notation is not None:
            yield notation


def _judged(written: WrittenGame) -> WrittenMatch:
    """With the verdict of the rules; where the game was broken off, that of the text."""
    match = empty_seats(written.game, written.players, 0)
    for action in written.actions:
        match.play(action)
    verdict, returns = match.verdict, written.returns
    if verdict is None and returns is not None:
        if returns[0] == returns[1]:
            verdict = Verdict(returns, Reason.AGREED)
        else:
            verdict = forfeit(len(returns), returns.index(min(returns)), Reason.RESIGNED)
    return WrittenMatch(written.game, written.players, written.actions, verdict=verdict)
