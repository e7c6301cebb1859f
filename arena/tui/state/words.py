"""Words of screens: pure functions from numbers and verdicts to text."""

from collections.abc import Sequence

from arena.base.counting import counted
from arena.match.verdict import Reason, Verdict
from arena.tui.state.plain import ascii_only
from arena.tui.state.series import share_point
from games.engine.picture import mark_of

YOU = "you"
"""Name of the person at the keyboard."""
NOT_ANALYSED = "this match is shown as it was stored; its positions cannot be reached again to be analysed"
GETTING_READY = "the agents get ready …"
COMPILING = "a game's first time takes a minute, once …"
COMPILING_S = 6.0
"""Seconds after which a match that is set up is likely to wait for its game to be compiled."""


def getting_ready(waited_s: float) -> str:
    """Return what is said while a match is set up: networks take seconds to load, new games a minute to compile."""
    return COMPILING if waited_s > COMPILING_S else GETTING_READY


def mark(seat: int, sides: Sequence[str] = ()) -> str:
    """Return the symbol of a seat; `sides` are the white and black of its game, if it has them."""
    return mark_of(seat, sides)


def ending(name: str, room: int) -> str:
    """Return a name, or as much of its end as fits: related names start alike.

    >>> ending("mcts:400", 8), ending("ppo:runs/c4/snapshot-0010", 12)
    ('mcts:400', '…apshot-0010')
    """
    return name if len(name) <= room else f"…{name[1 - room :]}"


def percent(chance: float) -> str:
    """Return a probability in whole percent; a dot below half a percent.

    >>> [percent(x) for x in (0.0, 0.003, 0.05, 0.613, 0.996)]
    ['·', '·', '5%', '61%', '100%']
    """
    whole = round(100 * chance)
    return f"{whole}%" if whole else "·"


def bar(fraction: float, width: int) -> str:
    """Return a horizontal bar of at most `width` characters, exact to an eighth of one.

    >>> bar(0.5, 5), bar(0.01, 5)
    ('██▌', '▏')
    """
    eighths = max(round(8 * width * min(fraction, 1.0)), 1 if fraction > 0 else 0)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def points(value: float) -> str:
    """Return points as chess players write them; half a point as 0.5 where there is no sign for it.

    >>> points(0), points(0.5), points(1.5), points(1 / 3)
    ('0', '½', '1½', '0.33')
    """
    whole, rest = divmod(value, 1)
    if rest == 0.5:
        return f"{value:.1f}" if ascii_only() else f"{int(whole) or ''}½"
    return f"{value:.2f}" if rest else str(int(whole))


def shares(returns: Sequence[float], of_team: bool = False) -> list[str]:
    """Return the points by seat that the returns of a game are worth; of a team's game what all of them earned.

    >>> shares([1, -1]), shares([0, 0]), shares([7, 7], of_team=True)
    (['1', '0'], ['½', '½'], ['7'])
    """
    return [f"{returns[0]:g}"] if of_team else [points(share) for share in share_point(returns)]


def standings(score: Sequence[float]) -> str:
    """Return the points of several players.

    >>> standings([1.5, 0.5])
    '1½ – ½'
    """
    return " – ".join(map(points, score))


def signed(value: float) -> str:
    """Return a value with its sign and two decimals, `−0.62`; zero has no sign."""
    return f"{value:+.2f}".replace("-", "−") if abs(value) >= 0.005 else "0.00"


def clock(seconds: float) -> str:
    """Return the time on a clock.

    >>> clock(41.9), clock(3723)
    ('0:41', '1:02:03')
    """
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def result(
    verdict: Verdict, names: Sequence[str], num_moves: int, sides: Sequence[str] = (), competitive: bool = True
) -> str:
    """Return how a match ended, in a sentence; `names` and `sides` (as of `mark`) are by seat.

    A game that is not `competitive` has no winner and no draw, but what the team earned.
    """
    offender = verdict.offender
    if offender is not None:
        who = f"{mark(offender, sides)} {names[offender]}"
        you = names[offender] == YOU
        return {
            Reason.ILLEGAL: f"{who} made an illegal move ({verdict.detail}) and loses",
            Reason.CRASHED: f"{who} crashed ({verdict.detail}) and loses",
            Reason.LATE: f"{who} {'are' if you else 'was'} late ({verdict.detail}) and {'lose' if you else 'loses'}",
            Reason.RESIGNED: f"{who} {'resign' if you else 'resigns'}",
        }[verdict.reason]
    if verdict.reason is Reason.AGREED:
        return f"a draw by agreement after {counted(num_moves, 'move')}"
    if verdict.reason is Reason.ADJUDICATED:
        return (
            f"{result(Verdict(verdict.returns), names, num_moves, sides, competitive)}, adjudicated ({verdict.detail})"
        )
    if not competitive and len(names) > 1:
        return f"the team earns {verdict.returns[0]:g} after {counted(num_moves, 'move')}"
    score = _score(verdict.returns)
    if len(set(verdict.returns)) == 1 and score:
        who = "everybody scores" if len(names) > 1 else "you score" if names[0] == YOU else f"{names[0]} scores"
        return f"{who} {verdict.returns[0]:g} after {counted(num_moves, 'move')}"
    winners = [seat for seat, share in enumerate(share_point(verdict.returns)) if share > 0]
    if len(winners) == len(names):
        return f"a draw after {counted(num_moves, 'move')}"
    who = " and ".join(f"{mark(seat, sides)} {names[seat]}" for seat in winners)
    many = len(winners) > 1 or names[winners[0]] == YOU
    return f"{who} {'win' if many else 'wins'} after {counted(num_moves, 'move')}{score}"


def _score(returns: Sequence[float]) -> str:
    """Return the returns by seat, after a colon; empty if they say no more than who won.

    >>> _score([1, -1]), _score([3, -3]), _score([0, 0])
    ('', ': +3 – −3', '')
    """
    if {abs(value) for value in returns} <= {0.0, 1.0}:
        return ""
    return ": " + " – ".join(f"{value:+g}".replace("-", "−") for value in returns)
