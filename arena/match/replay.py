"""Replay recorded matches: check that their moves lead to their recorded end.

A match of a game that a seed does not repeat is not played again: it is what was shown at each step.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.base.errors import UsageError
from arena.match.match import Match
from arena.match.shown import ShownSteps, unpack
from arena.match.starts import with_start
from arena.match.verdict import MatchRecord, Reason, Verdict, agreed, forfeit
from arena.policy.registry import make_game
from games.engine.actions import Action, written
from games.engine.game import Game
from games.engine.picture import Picture


def game_labelled(label: str) -> Game:
    """Return the game of a label; `UsageError` if it is malformed or the game is not installed."""
    game = make_game(label)
    if game.label != label:
        raise UsageError(f"{label!r} is not the label of a game; the current one is {game.label!r}")
    return game


@dataclass(frozen=True)
class Replay:
    """A replayed match."""

    game: Game
    moves: tuple[str, ...]
    """All moves in the game's notation, the opening included."""
    seats: tuple[int, ...]
    """Seat of each move, then the seat to move at the end."""
    picture: Picture
    """The board at the end."""
    match: Match | None
    """The match at its end; None if it was not played again, but shown as it was stored."""

    def spent_s(self, move_ms: Sequence[int]) -> tuple[float, ...]:
        """Return the seconds that each seat took, from the times of a record; a last illegal answer counts."""
        spent = [0] * self.game.num_players
        for seat, one in zip(self.seats, move_ms, strict=False):
            spent[seat] += one
        return tuple(one / 1000 for one in spent)


def replay(record: MatchRecord, game: Game | None = None) -> Replay:
    """Replay a match from its seed and moves, or from what it showed where that was stored.

    `game` saves making it again for each of many records. Raises `UsageError` if a move cannot be played, or if
    returns, reason or offender differ from the record; also where the same seed and moves give another game, and what
    it showed was not stored.
    """
    game = with_start(game or game_labelled(record.game), record.start)
    if (steps := steps_of(record.shown, game, len(record.actions))) is not None:
        picture = Picture.of_text(steps.board(-1), game.num_actions)
        return Replay(game, named(steps, record.actions), steps.seats, picture, None)
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
    return Replay(game, tuple(moves), (*seats, match.seat), match.picture(match.state), match)


def steps_of(shown: bytes | None, game: Game, length: int) -> ShownSteps | None:
    """Return what a match of `game` with so many actions showed; None where it is to be played again.

    Raises `UsageError` where it cannot be read, or where neither is possible.
    """
    if shown is not None:
        return unpack(shown).require_fit(length, game.num_players)
    if not game.repeatable:
        raise UsageError(
            f"{game.spec} plays another game by the same seed and moves, and what this match showed was not stored"
        )
    return None


def named(steps: ShownSteps, actions: Sequence[Action]) -> tuple[str, ...]:
    """Return the moves by their names, those that were not kept as they are."""
    return tuple(move or written(action) for move, action in zip(steps.moves, actions, strict=True))


def empty_seats(game: Game, names: Sequence[str], seed: int) -> Match:
    """Return a match at its beginning in which all moves come from outside."""
    return Match(game, [(name, None) for name in names], seed)


def match_after(game: Game, names: Sequence[str], seed: int, actions: Sequence[Action]) -> Match:
    """Return a match in which these actions have been played; raises as `Match.play` does."""
    match = empty_seats(game, names, seed)
    for action in actions:
        match.play(action)
    return match


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
    if match.over:
        lost = f"seat {verdict.offender} lost as {verdict.reason}"
        drawn = "that a draw was agreed" if verdict.reason is Reason.AGREED else "that the match was adjudicated"
        what = lost if verdict.offender is not None else drawn
        raise UsageError(f"it says {what}, but the game was over by then")
    require_possible(verdict, match.game, match.seat)
    match.verdict = verdict


def require_possible(verdict: Verdict, game: Game, to_move: int) -> None:
    """Raise `UsageError` for a verdict that no match of a game has which ends with `to_move` to move."""
    seats = game.num_players
    offender = verdict.offender
    if verdict.reason is Reason.FINISHED:
        if len(verdict.returns) != seats or offender is not None:
            raise UsageError(f"it says the match ended with {list(verdict.returns)} by seat {offender} of {seats}")
        return
    if verdict.reason is Reason.ADJUDICATED:
        if len(verdict.returns) != seats or offender is not None or sum(verdict.returns, 0.0):
            raise UsageError(f"it says {list(verdict.returns)} were adjudicated, against seat {offender} of {seats}")
        return
    if verdict.reason is Reason.AGREED:
        if verdict != agreed(seats):
            raise UsageError(f"it says that a draw was agreed, but the seats earned {list(verdict.returns)}")
        return
    if offender is None or not 0 <= offender < seats:
        raise UsageError(f"it says the match ended as {verdict.reason}, by seat {offender} of {seats}")
    if verdict.reason is not Reason.RESIGNED and offender != to_move:
        raise UsageError(f"it says seat {offender} lost as {verdict.reason}, but seat {to_move} was to move")
    loss = -1.0 if game.competitive else min(-1.0, *verdict.returns)  # else as the game was known then
    if verdict.returns != (due := forfeit(seats, offender, verdict.reason, loss=loss).returns):
        raise UsageError(
            f"it says the seats earned {list(verdict.returns)}, but a loss by {verdict.reason} is {list(due)}"
        )
