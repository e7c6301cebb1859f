"""Adjudication: matches ended early, by the scores that the players state or by the result that a solver knows.

A player states its score by the `value` of its answers, its expected return: searches and networks do, as do engines
(`info score` in UCI, thinking in XBoard, `lz-genmove_analyze` in GTP, `value` in JSON lines). One that states none
agrees to nothing.
"""

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from arena.base.checks import require_at_least
from arena.base.errors import UsageError
from arena.match.verdict import Reason, Verdict
from arena.policy.centipawns import expected_return
from arena.policy.protocol import PositionEvaluator
from arena.policy.registry import make_agent
from games.engine.game import Game

RESIGN_FORM = "movecount=3,score=0.9"
DRAW_FORM = "movenumber=40,movecount=8,score=0.05"
YES_OR_NO = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True)
class Adjudication:
    """Rules that end matches of two players early; by default none does."""

    resign: str | None = None
    """End a game as lost for a player that has stated a score this bad in each of its last moves, where the other has
    stated one as good: movecount=3,score=0.9; with twosided=no the loser's is enough. A score is an expected return, 0
    to 1, or in chess centipawns: score=600."""
    draw: str | None = None
    """End a game as drawn from a move on, once both players have stated scores this near to 0 in each of their last
    moves: movenumber=40,movecount=8,score=0.05, in chess score=20."""
    max_moves: int | None = None
    """End a game as drawn after so many moves of each player."""
    arbiter: str | None = None
    """End a game as soon as this agent knows its result: perfect, in the games and endgames that it solves."""

    def __post_init__(self) -> None:
        _ = self.resign_rule, self.draw_rule
        if self.max_moves is not None:
            require_at_least(1, max_moves=self.max_moves)

    def __bool__(self) -> bool:
        return self != Adjudication()

    @property
    def resign_rule(self) -> "ScoreRule | None":
        """The rule of `resign`; None without one."""
        return None if self.resign is None else _read("resign", self.resign, RESIGN_FORM, "twosided")

    @property
    def draw_rule(self) -> "ScoreRule | None":
        """The rule of `draw`; None without one."""
        return None if self.draw is None else _read("draw", self.draw, DRAW_FORM, "movenumber")


@dataclass(frozen=True)
class ScoreRule:
    """A rule about the scores that players state."""

    movecount: int
    """Consecutive moves of a player whose scores count."""
    score: float
    """As written: an expected return, or centipawns above 1."""
    movenumber: int = 1
    """Move, of each player, from which it holds."""
    twosided: bool = True
    """True if both players have to agree."""

    def value(self, game: Game) -> float:
        """Return the score as an expected return; `UsageError` for centipawns where the game has none."""
        if self.score <= 1:
            return self.score
        if game.name != "chess":
            raise UsageError(
                f"score={self.score:g} is not an expected return from 0 to 1; centipawns are for chess, not {game.name}"
            )
        return expected_return(self.score)


class Adjudicator:
    """Adjudicates games of one kind; `UsageError` for rules that do not fit the game."""

    def __init__(self, game: Game, rules: Adjudication):
        two_win_or_lose = game.num_players == 2 and game.zero_sum and game.wins_at_one
        if not (two_win_or_lose and game.perfect_information):
            raise UsageError(
                f"games of two players in which nothing is hidden are adjudicated, won at 1; {game.label} is none"
            )
        if rules.arbiter and game.has_chance:
            raise UsageError(
                f"arbiter={rules.arbiter}: chance decides {game.label}, and nobody knows results beforehand"
            )
        self._rules, self._resign, self._draw = rules, rules.resign_rule, rules.draw_rule
        self._resign_value = math.inf if self._resign is None else self._resign.value(game)
        self._draw_value = -math.inf if self._draw is None else self._draw.value(game)
        self._arbiter = None if rules.arbiter is None else _arbiter(rules.arbiter, game)

    def new_game(self) -> "ScoreSheet":
        """Return the sheet of a game that begins."""
        return ScoreSheet([0, 0], [0, 0], [0, 0])

    def note(self, sheet: "ScoreSheet", seat: int, value: float | None) -> None:
        """Note on a sheet what a seat states before its move; None or NaN for nothing."""
        stated = math.nan if value is None else value
        sheet.losing[seat] = sheet.losing[seat] + 1 if stated <= -self._resign_value else 0
        sheet.winning[seat] = sheet.winning[seat] + 1 if stated >= self._resign_value else 0
        sheet.quiet[seat] = sheet.quiet[seat] + 1 if abs(stated) <= self._draw_value else 0

    def verdict(self, sheet: "ScoreSheet", moves: int, state: NDArray[Any]) -> Verdict | None:
        """Return the verdict on a game after so many moves in all, in an unfinished position (); None to go on."""
        return (
            self._known(state)
            or self._resigned(sheet)
            or self._drawn(sheet, moves)
            or (_decided((0.0, 0.0), "maximum length") if moves >= 2 * (self._rules.max_moves or math.inf) else None)
        )

    def _resigned(self, sheet: "ScoreSheet") -> Verdict | None:
        rule = self._resign
        if rule is None:
            return None
        for seat in (0, 1):
            agreed = sheet.winning[1 - seat] >= rule.movecount or not rule.twosided
            if sheet.losing[seat] >= rule.movecount and agreed:
                return _decided((-1.0, 1.0) if seat == 0 else (1.0, -1.0), "resign by score")
        return None

    def _drawn(self, sheet: "ScoreSheet", moves: int) -> Verdict | None:
        rule = self._draw
        if rule is None or moves < 2 * rule.movenumber or min(sheet.quiet) < rule.movecount:
            return None
        return _decided((0.0, 0.0), "draw by score")

    def _known(self, state: NDArray[Any]) -> Verdict | None:
        if self._arbiter is None:
            return None
        value = float(self._arbiter.values(state.reshape(1))[0])
        if math.isnan(value):
            return None
        signed = value if int(state["current_player"]) == 0 else -value
        return _decided((signed + 0.0, -signed + 0.0), f"arbiter {self._rules.arbiter}")


@dataclass
class ScoreSheet:
    """Lengths of the current runs of moves, by seat, in which it has stated scores of one kind."""

    losing: list[int]
    winning: list[int]
    quiet: list[int]


def _decided(returns: tuple[float, ...], detail: str) -> Verdict:
    return Verdict(returns, Reason.ADJUDICATED, detail=detail)


def _arbiter(spec: str, game: Game) -> PositionEvaluator:
    agent = make_agent(spec, game)
    if not isinstance(agent, PositionEvaluator):
        agent.close()
        raise UsageError(f"arbiter={spec} knows no results of positions; perfect does, where it can solve the game")
    return agent


def _read(rule: str, text: str, form: str, *optional: str) -> ScoreRule:
    """Return the rule in a text of the form; settings in `optional` may be left out."""
    wrong = UsageError(f"{rule}={text} is not of the form {form}")
    pairs = [part.strip().partition("=") for part in text.split(",")]
    settings = {name: value for name, _, value in pairs}
    needed = {"movecount", "score"}
    if len(settings) < len(pairs) or not needed <= settings.keys() <= needed | set(optional):
        raise wrong
    return ScoreRule(**{name: _setting(name, value, wrong) for name, value in settings.items()})


def _setting(name: str, text: str, wrong: UsageError) -> Any:
    if name == "twosided":
        if text not in YES_OR_NO:
            raise wrong
        return YES_OR_NO[text]
    if name == "score":
        try:
            score = float(text)
        except ValueError:
            raise wrong from None
        if not 0 <= score < math.inf:
            raise wrong
        return score
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 10**6):
        raise wrong
    return int(text)
