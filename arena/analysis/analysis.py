"""Share of an agent's moves that keep the value of a position, by phase of the game.

The seed fixes the positions. With `perfect` as the judge, values are game-theoretic: won, drawn or lost. Any other
judge contributes its own estimates.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from arena.analysis.judging import Judge, move_values, require_judgeable
from arena.base.checks import require_at_least
from arena.base.errors import UsageError
from arena.base.intervals import wilson
from arena.match.ask import ask, begin, view
from arena.match.lines import Line, PlayedLines, drawn_lines
from arena.match.verdict import Reason
from arena.policy.protocol import Policy
from arena.policy.transcript import AnswerCounts, Transcript, counted
from games.engine.game import Game

TOLERANCE = 0.05
"""Moves whose values differ by less count as equal: alphabeta values the nearer of two wins a little higher."""
PHASES = 5
CHUNK = 50
"""Positions evaluated in one batch."""
MAX_UNKNOWN_IN_A_ROW = 5000
"""Positions in a row without a value from the judge after which drawing gives up."""
ProgressCallback = Callable[[str, int, int], None]
"""Called with a description of the work, the amount done, and the total."""


@dataclass(frozen=True)
class JudgedPositions:
    """Positions with the value of every move."""

    game: Game
    judge: str
    seed: int
    lines: tuple[Line, ...]
    move_values: NDArray[np.float64]
    """Value of each move for the seat that makes it [n, A]; -inf where it is illegal."""
    left_out: int
    """Positions drawn but dropped, because the judge does not know the value of every move."""

    @property
    def plies(self) -> NDArray[np.int64]:
        """Moves made before each position, [n]."""
        return np.array([len(line) for line in self.lines])

    @property
    def best(self) -> NDArray[np.float64]:
        """Value of each position: that of its best move [n]."""
        highest: NDArray[np.float64] = self.move_values.max(axis=1)
        return highest

    @property
    def keeping(self) -> NDArray[np.bool_]:
        """True for moves that keep the position's value [n, A]."""
        return self.move_values > self.best[:, None] - TOLERANCE

    @property
    def decides(self) -> NDArray[np.bool_]:
        """True for positions with a legal move that loses value [n]."""
        some: NDArray[np.bool_] = np.any(~self.keeping & np.isfinite(self.move_values), axis=1)
        return some


@dataclass(frozen=True)
class Phase:
    """Figures for one phase of the game, or for all of it."""

    first_ply: int
    last_ply: int
    positions: int
    kept: int
    """Moves that keep the value."""
    deciding: int
    """Positions with a legal move that loses value."""
    kept_deciding: int
    """Moves that keep the value in deciding positions."""
    regret: float
    """Average loss of value per move."""
    by_chance: float
    """Share of moves that keep the value under uniformly random legal play."""

    @property
    def share(self) -> float:
        """Share of moves that keep the value."""
        return self.kept / self.positions

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of `share` (Wilson 1927)."""
        return wilson(self.kept, self.positions)


@dataclass(frozen=True)
class Analysis:
    """Results of one agent."""

    agent: str
    phases: tuple[Phase, ...]
    total: Phase
    failures: int
    """Positions without a legal answer; each counts as the worst legal move."""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """Those positions by what was wrong: illegal, late, crashed; of an agent that thinks in words, what became of its
    last answer (unreadable, illegal, truncated, ...)."""
    answers: AnswerCounts | None = None
    """Counts of its answers in words; None if it gave none."""


def judge_positions(
    game: Game, judge: Judge, count: int, seed: int = 0, watch: ProgressCallback | None = None
) -> JudgedPositions:
    """Draw positions with `drawn_lines` until the judge has valued `count` of them.

    Raises `UsageError` if the game cannot be judged, has too few positions, or the judge knows none of them.
    """
    require_judgeable(game)
    require_at_least(1, positions=count)
    stream = drawn_lines(game, seed)
    lines: list[Line] = []
    known_values: list[NDArray[np.float64]] = []
    left_out = unknown = 0
    while len(lines) < count:
        if watch is not None:
            watch(f"{judge.spec} judges", len(lines), count)
        some = list(islice(stream, CHUNK))
        if not some:
            raise UsageError(f"only {len(lines)} different positions of {game.label} were found: ask for fewer")
        values = move_values(game, judge, some, seed)
        known = np.flatnonzero(~np.isnan(values).any(axis=1))[: count - len(lines)]
        left_out += (len(some) if len(known) + len(lines) < count else int(known[-1]) + 1) - len(known)
        unknown = 0 if len(known) else unknown + CHUNK
        if unknown >= MAX_UNKNOWN_IN_A_ROW:
            raise UsageError(f"{judge.spec} cannot value any of the positions drawn from {game.label}")
        lines += [some[row] for row in known.tolist()]
        known_values.append(values[known])
    return JudgedPositions(game, judge.spec, seed, tuple(lines), np.concatenate(known_values), left_out)


def analyse(
    judged: JudgedPositions, spec: str, agent: Policy, seed: int = 0, watch: ProgressCallback | None = None
) -> Analysis:
    """Compare an agent's move in every position with the best one.

    Raises `UsageError` if the agent cannot start a game.
    """
    if (failure := begin(agent, seed)) is not None:
        raise UsageError(f"{spec} cannot play: {failure.detail}")
    played = PlayedLines(judged.game, judged.lines)
    actions = np.empty(len(judged.lines), np.int64)
    failed, transcripts = dict[int, str](), dict[int, Transcript]()
    for first in range(0, len(actions), CHUNK):
        if watch is not None:
            watch(f"{spec} moves", first, len(actions))
        rows = np.arange(first, min(first + CHUNK, len(actions)))
        answers = ask(played.env.game, agent, view(played.env, rows, agent, played.history, played.lengths))
        actions[rows] = answers.actions
        failed |= {first + row: failure.reason.value for row, failure in answers.failures.items()}
        transcripts |= {
            first + row: Transcript.from_json(json.loads(text)) for row, text in answers.transcripts.items()
        }
    every = np.arange(len(actions))
    legal = (actions >= 0) & (actions < judged.game.num_actions)
    legal &= played.env.mask[every, np.where(legal, actions, 0)]
    lowest = np.where(np.isfinite(judged.move_values), judged.move_values, np.inf).min(axis=1)
    values = np.where(legal, judged.move_values[every, np.where(legal, actions, 0)], lowest)
    kept = legal & (values > judged.best - TOLERANCE)
    spans = [np.flatnonzero((judged.plies >= low) & (judged.plies <= high)) for low, high in phases_of(judged.plies)]
    parts = tuple(_phase(judged, rows, kept, values) for rows in spans if len(rows))
    wrong = [_kind(row, failed, transcripts) for row in np.flatnonzero(~legal).tolist()]
    counts = counted(one.without_texts() for one in transcripts.values()) if transcripts else None
    return Analysis(spec, parts, _phase(judged, every, kept, values), len(wrong), Counter(wrong), counts)


def _kind(row: int, failed: Mapping[int, str], transcripts: Mapping[int, Transcript]) -> str:
    """Return what was wrong with the answer in a position."""
    if row in transcripts and transcripts[row].answers and transcripts[row].answers[-1].outcome != "move":
        return transcripts[row].answers[-1].outcome
    return failed.get(row, Reason.ILLEGAL.value)


def _phase(
    judged: JudgedPositions, rows: NDArray[np.int64], kept: NDArray[np.bool_], values: NDArray[np.float64]
) -> Phase:
    plies, decides = judged.plies[rows], judged.decides[rows]
    shares = judged.keeping[rows].sum(axis=1) / np.isfinite(judged.move_values[rows]).sum(axis=1)
    return Phase(
        int(plies.min()),
        int(plies.max()),
        len(rows),
        int(kept[rows].sum()),
        int(decides.sum()),
        int((kept[rows] & decides).sum()),
        float((judged.best[rows] - values[rows]).clip(min=0).mean()),
        float(shares.mean()),
    )


def phases_of(plies: NDArray[np.int64], count: int = PHASES) -> Sequence[tuple[int, int]]:
    """Return first and last ply of at most `count` phases of equal length, which together span all `plies`."""
    edges = np.unique(np.linspace(plies.min(), plies.max() + 1, count + 1).round().astype(int)).tolist()
    return [(low, high - 1) for low, high in pairwise(edges)]
