"""One match as text: a line of JSON, or the usual notation of its game (PGN, SGF)."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from arena.base.errors import UsageError
from arena.base.files import read_text
from arena.match.json_lines import from_json_line, to_json_line
from arena.match.limits import Limits
from arena.match.replay import empty_seats, game_labelled
from arena.match.starts import start_of, with_start
from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit
from arena.policy.registry import GAMES, make_game
from games.engine.actions import Action, numbered
from games.engine.game import Game
from games.engine.notation import Notation, WrittenGame

JSON_LINES = ".jsonl"
TERMINATIONS = {
    Reason.LATE: "time forfeit",
    Reason.ILLEGAL: "rules infraction",
    Reason.CRASHED: "abandoned",
    Reason.ADJUDICATED: "adjudication",
}
"""PGN's words for the ends of matches that are not normal."""


@dataclass(frozen=True)
class WrittenMatch:
    """A match from a record of ours or from a file of another program."""

    game: Game
    """The game, from the starting position of the match."""
    players: tuple[str, ...]
    """Names by seat."""
    actions: tuple[Action, ...]
    seed: int = 0
    opening: int = 0
    """Number of opening actions, not chosen by the players."""
    verdict: Verdict | None = None
    """None if it was not played to an end."""
    move_ms: tuple[int, ...] | None = None
    """Milliseconds by move, as in `MatchRecord`."""
    shown: bytes | None = None
    """What was shown at each step, as in `MatchRecord`."""
    transcripts: bytes | None = None
    """What agents were asked and answered in words, as in `MatchRecord`."""
    circumstances: Mapping[str, str] = field(default_factory=dict)
    """Event, date and so on by the names of PGN, as in `circumstances`."""

    @staticmethod
    def of(
        record: MatchRecord, game: Game | None = None, circumstances: Mapping[str, str] | None = None
    ) -> "WrittenMatch":
        """Return the match of a record; `game` saves making it from the label."""
        game = with_start(game or game_labelled(record.game), record.start)
        return WrittenMatch(
            game,
            record.players,
            record.actions,
            record.seed,
            len(record.opening),
            record.verdict,
            record.move_ms,
            record.shown,
            record.transcripts,
            circumstances or {},
        )

    @property
    def record(self) -> MatchRecord:
        """The match as a record; `UsageError` if it is unfinished."""
        if self.verdict is None:
            raise UsageError("the match was not played to an end")
        opening = self.actions[: self.opening]
        label = self.game.label
        return MatchRecord(
            label,
            self.players,
            self.seed,
            opening,
            self.actions,
            self.verdict,
            self.move_ms,
            self.shown,
            self.transcripts,
            start_of(self.game),
        )


def circumstances(event: str, seconds: float, number: int, limits: Limits | None = None) -> dict[str, str]:
    """Return the circumstances of a match by the names of PGN: event, date and time (UTC), round and time control.

    `seconds` since 1970 is the time of its end.
    """
    ended = datetime.fromtimestamp(int(seconds), UTC)
    control = None if limits is None else limits.control
    return {
        "Event": event,
        "Date": f"{ended:%Y.%m.%d}",
        "Round": str(number),
        "UTCDate": f"{ended:%Y.%m.%d}",
        "UTCTime": f"{ended:%H:%M:%S}",
        "TimeControl": "-" if control is None else control.pgn,
    }


def match_text(match: WrittenMatch, suffix: str, others: Sequence[str] = ()) -> str:
    """Return the match in the format of files with that suffix, ending in a newline.

    Raises `UsageError` if the game has no such format or the match does not replay. The message lists the formats of
    the game and the `others` that the caller writes.
    """
    notation = match.game.notation
    if notation is not None and suffix == notation.suffix:
        verdict, tags = match.verdict, dict(match.circumstances)
        if verdict is not None:
            tags["Termination"] = TERMINATIONS.get(verdict.reason, "normal")
            if verdict.detail:
                tags["TerminationDetails"] = f"{verdict.reason}: {verdict.detail}"
        returns, actions = None if verdict is None else verdict.returns, list(map(numbered, match.actions))
        return notation.write(match.game, actions, match.players, returns, tags) + "\n"
    if suffix != JSON_LINES:
        *known, last = [JSON_LINES, *([] if notation is None else [notation.suffix]), *others]
        will_do = f"{', '.join(known)} or {last}" if known else last
        raise UsageError(
            f"{match.game.name} is not written as {suffix or 'a file without a suffix'}; {will_do} will do"
        )
    return to_json_line(match.game, match.record) + "\n"


def read_match(path: Path, number: int = 1) -> WrittenMatch:
    """Return match `number`, from 1, of a file in the format of its suffix; `UsageError` if it cannot be read."""
    text = io.StringIO(read_text(path), newline=None).read()  # every end of a line as \n
    suffix = path.suffix.lower()
    notation = None if suffix == JSON_LINES else next((one for one in _notations() if one.suffix == suffix), None)
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
        return _with_verdict(notation.read(texts[number - 1]))
    except UsageError as error:
        raise UsageError(f"{path}, match {number}: {error}") from None


def _notations() -> Iterator[Notation]:
    """Yield the notations of all installed games that have one."""
    for name in GAMES.names():
        notation = make_game(name).notation
        if notation is not None:
            yield notation


def _with_verdict(written: WrittenGame) -> WrittenMatch:
    """Return the match with the verdict of the rules, or of its text if the game was not played to its end."""
    match = empty_seats(written.game, written.players, 0)
    for action in written.actions:
        match.play(action)
    verdict, returns = match.verdict, written.returns
    if verdict is None and returns is not None:
        if written.termination == TERMINATIONS[Reason.ADJUDICATED]:
            verdict = Verdict(returns, Reason.ADJUDICATED, detail="as its file says")
        elif returns[0] == returns[1]:
            verdict = Verdict(returns, Reason.AGREED)
        else:
            verdict = forfeit(len(returns), returns.index(min(returns)), Reason.RESIGNED)
    return WrittenMatch(written.game, written.players, written.actions, verdict=verdict)
