"""Verdicts, which say how a match ended, and records of matches."""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from arena.policy.protocol import RESIGN
from games.engine.actions import Action, written
from games.engine.game import Game


class Reason(StrEnum):
    """Reason for the end of a match; all but the first three are a loss of the offender."""

    FINISHED = "finished"
    AGREED = "agreed"
    ADJUDICATED = "adjudicated"
    ILLEGAL = "illegal"
    CRASHED = "crashed"
    LATE = "late"
    RESIGNED = "resigned"


FAULTS = (Reason.ILLEGAL, Reason.LATE, Reason.CRASHED)
"""Breaches of the rules; a resignation is none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a match."""

    returns: tuple[float, ...]
    """Return of each seat."""
    reason: Reason = Reason.FINISHED
    offender: int | None = None
    """Seat that broke a rule or resigned."""
    detail: str = ""
    """The illegal action, the exception, the limit, or what decided an adjudicated match, in a line."""


@lru_cache(maxsize=1024)  # many matches end alike
def results(returns: tuple[float, ...]) -> tuple[int, ...]:
    """Return the result of each seat: 1 for the only highest return, 0 for a shared one, -1 otherwise."""
    best = max(returns)
    shared = returns.count(best) > 1
    return tuple(-1 if value < best else 0 if shared else 1 for value in returns)


@dataclass(frozen=True, slots=True)
class Failure:
    """Reason why an agent gave no action."""

    detail: str
    """Its exception, or the end of its process, in a line."""
    reason: Reason = Reason.CRASHED


def forfeit(num_players: int, offender: int, reason: Reason, detail: str = "", loss: float = -1.0) -> Verdict:
    """Return the verdict that `offender` loses: `loss` (`Game.forfeit_return`) for it, +1 shared by the others."""
    share = 1.0 / (num_players - 1) if num_players > 1 else 0.0
    returns = tuple(loss if seat == offender else share for seat in range(num_players))
    return Verdict(returns, reason, offender, detail)


def has_agreed_draws(game: Game) -> bool:
    """Return whether players of a game may agree on a draw."""
    return game.num_players == 2 and game.zero_sum and game.perfect_information


def agreed(num_players: int) -> Verdict:
    """Return the verdict of an agreed draw: 0 for every seat."""
    return Verdict((0.0,) * num_players, Reason.AGREED)


def fault(game: Game, offender: int, action: Action, failure: Failure | None) -> Verdict:
    """Return the verdict on an answer without a legal move: a failure, RESIGN, or an illegal `action`."""
    reason, detail = Reason.ILLEGAL, f"action {written(action)}"
    if failure is not None:
        reason, detail = failure.reason, failure.detail
    elif action == RESIGN:
        reason, detail = Reason.RESIGNED, ""
    return forfeit(game.num_players, offender, reason, detail, game.forfeit_return)


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """Everything needed to replay a match."""

    game: str
    """Label of the game with its options."""
    players: tuple[str, ...]
    """Names by seat."""
    seed: int
    opening: tuple[Action, ...]
    """Opening actions, not chosen by the players."""
    actions: tuple[Action, ...]
    """All actions, the opening included."""
    verdict: Verdict
    move_ms: tuple[int, ...] | None = field(default=None, compare=False)
    """Milliseconds of each action, 0 for those of the opening; None if not measured.

    There is one more entry if the last answer was no legal move. Not compared for equality.
    """
    shown: bytes | None = None
    """What was shown at each step, packed by `arena.match.shown`, where seed and actions do not repeat the game."""
    transcripts: bytes | None = field(default=None, compare=False)
    """What agents were asked and answered in words, packed by `arena.match.transcripts`. Not compared for equality."""
    start: str = ""
    """Position in which the game began, in its own text (FEN); empty for the usual one."""
