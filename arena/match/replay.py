"""Replay recorded matches: check that their moves lead to their recorded end."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.base.errors import UsageError
from arena.match.match import Match
from arena.match.verdict import MatchRecord, Reason, Verdict, agreed, forfeit
from arena.policy.registry import make_game
from games.engine.game import Game


def game_labelled(label: str) -> Game:
    """Return the game of a label; `UsageError` if it is malformed or the game is not installed."""
    game = make_game(label)
    if game.label != label:
        raise UsageError(f"{label!r} is not the label of a game; the current one is {game.label!r}")
    return game


@dataclass(frozen=True)
class Replay:
    """A replayed match."""

    match: Match
    """The match at its end."""
    moves: tuple[str, ...]
    """All moves in the game's notation, the opening included."""
    seats: tuple[int, ...]
    """Seat of each move."""

    def spent_s(self, move_ms: Sequence[int]) -> tuple[float, ...]:
        """Return the seconds that each seat took, from the times of a record; a last illegal answer counts."""
        spent = [0] * self.match.game.num_players
        for seat, one in zip((*self.seats, self.match.seat), move_ms, strict=False):
            spent[seat] += one
        return tuple(one / 1000 for one in spent)


def replay(record: MatchRecord, game: Game | None = None) -> Replay:
    """Replay a match from its seed and moves.

    `game` saves making it again for each of many records. Raises `UsageError` if a move cannot be played, or if
    returns, reason or offender differ from the record.
    """
    game = game or game_labelled(record.game)
    match = empty_seats(game, record.players, record.seed)
    match.opening = record.opening
    moves, seats = [], []
    for number, action in enumerate(record.actions, start=1):
        before = match.state
        seats.append(match.seat)
        try:
            match.play(action)
        except UsageError as error:
            raise UsageError(f"move {number} cannot be played: {error}") from error
        moves.append(game.action_text(before, action))
    settle(match, record.verdict)
    return Replay(match, tuple(moves), tuple(seats))


def empty_seats(game: Game, names: Sequence[str], seed: int) -> Match:
    """Return a match at its beginning in which all moves come from outside."""
    return Match(game, [(name, None) for name in names], seed)


def settle(match: Match, verdict: Verdict) -> None:
    """Give a replayed match the verdict of its record; `UsageError` if that contradicts the position."""
    if verdict.reason is Reason.FINISHED:
        if match.verdict is None:
            raise UsageError(f"it says the match ended with {list(verdict.returns)}, but it is not over")
        if match.verdict != verdict:
            raise UsageError(
                f"it says the match ended with {list(verdict.returns)}, but it ends with {list(match.returns)}"
            )
        return
    seats, offender = match.game.num_players, verdict.offender
    if verdict.reason is Reason.AGREED:
        if match.over:
            raise UsageError("it says that a draw was agreed, but the game was over by then")
        if verdict != agreed(seats):
            raise UsageError(f"it says that a draw was agreed, but the seats earned {list(verdict.returns)}")
        match.verdict = verdict
        return
    if match.over:
        raise UsageError(f"it says seat {verdict.offender} lost as {verdict.reason}, but the game was over by then")
    if offender is None or not 0 <= offender < seats:
        raise UsageError(f"it says the match ended as {verdict.reason}, by seat {offender} of {seats}")
    if verdict.reason is not Reason.RESIGNED and offender != match.seat:
        raise UsageError(f"it says seat {offender} lost as {verdict.reason}, but seat {match.seat} was to move")
    if verdict.returns != (due := forfeit(seats, offender, verdict.reason).returns):
        raise UsageError(
            f"it says the seats earned {list(verdict.returns)}, but a loss by {verdict.reason} is {list(due)}"
        )
    match.verdict = verdict
