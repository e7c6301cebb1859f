"""How a match ended, and the record that is kept of it."""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from arena.policy.protocol import RESIGN


class Reason(StrEnum):
    """Why a match ended; all but the first two are a loss for the offender."""

    FINISHED = "finished"
    AGREED = "agreed"
    ILLEGAL = "illegal"
    CRASHED = "crashed"
    LATE = "late"
    RESIGNED = "resigned"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a match."""

    returns: tuple[float, ...]
    """What each seat earned."""
    reason: Reason = Reason.FINISHED
    offender: int | None = None
    """Seat that broke a rule or resigned."""
    detail: str = ""
    """The illegal action, the exception or the limit, in a line."""


@lru_cache(maxsize=1024)  # many matches end alike
def results(returns: tuple[float, ...]) -> tuple[int, ...]:
    """For each seat: 1 if it alone earned the most, 0 if it shares that, -1 otherwise."""
    best = max(returns)
    shared = returns.count(best) > 1
    return tuple(-1 if earned < best else 0 if shared else 1 for earned in returns)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why no action came from an agent."""

    detail: str
    """What it raised, or what became of it, in a line."""
    reason: Reason = Reason.CRASHED


def forfeit(num_players: int, offender: int, reason: Reason, detail: str = "") -> Verdict:
    """The verdict that `offender` loses: -1 for it, and the others share +1."""
    share = 1.0 / (num_players - 1) if num_players > 1 else 0.0
    returns = tuple(-1.0 if seat == offender else share for seat in range(num_players))
    return Verdict(returns, reason, offender, detail)


def agreed(num_players: int) -> Verdict:
    """The verdict that the seats agreed on a draw: nobody earns anything."""
    return Verdict((0.0,) * num_players, Reason.AGREED)


def fault(num_players: int, offender: int, action: int, failure: Failure | None) -> Verdict:
    """The verdict on an answer that is no legal move: none but a failure, RESIGN, or an illegal `action`."""
    if failure is not None:
        return forfeit(num_players, offender, failure.reason, failure.detail)
    if action == RESIGN:
        return forfeit(num_players, offender, Reason.RESIGNED)
    return forfeit(num_players, offender, Reason.ILLEGAL, f"action {action}")


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """Everything needed to replay a match."""

    game: str
    """Label of the game with its options."""
    players: tuple[str, ...]
    """Names by seat."""
    seed: int
    opening: tuple[int, ...]
    """Actions that were given, not chosen by the players."""
    actions: tuple[int, ...]
    """All actions, the opening included."""
    verdict: Verdict
    move_ms: tuple[int, ...] | None = field(default=None, compare=False)
    """How long each action took in milliseconds, 0 for those of the opening; None where that was not measured.

    There is one more where the last answer was no move, and the match lost by it. Equal matches may differ in this.
    """
