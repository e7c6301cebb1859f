"""How many moves of agents keep what a position is worth, by phase of the game, over positions that a seed holds fixed.

With `perfect` as the judge, worth is the game-theoretic value: won, drawn or lost. With another one that tells values,
it is what that one thinks.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from arena.analysis.judging import Judge, require_judgeable, worths
from arena.analysis.lines import Line, Played, drawn_lines
from arena.errors import UsageError
from arena.match.ask import ask, begin, view
from arena.policy.protocol import Policy
from games.engine.game import Game

TOLERANCE = 0.05
"""Moves whose worth differs by less are equally good: the nearer of two wins counts a little more for alphabeta."""
PHASES = 5
CHUNK = 50
"""Positions that are judged, or asked about, at once."""
PATIENCE = 5000
"""Positions in a row that the judge may not know before it is taken not to know any."""
Watch = Callable[[str, int, int], None]
"""Told what is being done, how much of it has been, and how much there is."""


@dataclass(frozen=True)
class Held:
    """Positions, and what the moves in them are worth."""

    game: Game
    judge: str
    seed: int
    lines: tuple[Line, ...]
    worth: NDArray[np.float64]
    """[n, A]; -inf where a move is illegal."""
    left_out: int
    """Positions that were drawn, but of which the judge does not know all moves."""

    @property
    def plies(self) -> NDArray[np.int64]:
        """Moves made before each position, [n]."""
        return np.array([len(line) for line in self.lines])

    @property
    def best(self) -> NDArray[np.float64]:
        """What the positions are worth, [n]."""
        highest: NDArray[np.float64] = self.worth.max(axis=1)
        return highest

    @property
    def keeping(self) -> NDArray[np.bool_]:
        """Moves that keep that, [n, A]."""
        return self.worth > self.best[:, None] - TOLERANCE

    @property
    def decides(self) -> NDArray[np.bool_]:
        """Positions [n] in which some legal move does not."""
        some: NDArray[np.bool_] = np.any(~self.keeping & np.isfinite(self.worth), axis=1)
        return some


@dataclass(frozen=True)
class Phase:
    """A part of the game, or all of it."""

    first_ply: int
    last_ply: int
    positions: int
    kept: int
    """Moves that keep the value."""
    deciding: int
    """Positions where not every move does so."""
    kept_deciding: int
    """Moves that keep the value there."""
    regret: float
    """What a move loses, on average, of what the position is worth."""
    by_chance: float
    """Share of moves that would keep the value if each legal one were as likely."""

    @property
    def share(self) -> float:
        """Share of moves that keep the value."""
        return self.kept / self.positions

    @property
    def interval(self) -> tuple[float, float]:
        """Of that share: 95 %, Wilson 1927."""
        return wilson(self.kept, self.positions)


@dataclass(frozen=True)
class Analysis:
    """How one agent did."""

    agent: str
    phases: tuple[Phase, ...]
    total: Phase
    failures: int
    """Positions in which it gave no legal move; they count as moves that lose everything there is to lose."""


def hold(game: Game, judge: Judge, count: int, seed: int = 0, watch: Watch | None = None) -> Held:
    """Draw positions of games of mixed strength, see `drawn_lines`, until the judge knows `count` of them."""
    require_judgeable(game)
    if count < 1:
        raise UsageError(f"positions={count} is not at least 1")
    stream = drawn_lines(game, seed)
    lines: list[Line] = []
    found: list[NDArray[np.float64]] = []
    left_out = unknown = 0
    while len(lines) < count:
        if watch is not None:
            watch(f"{judge.spec} judges", len(lines), count)
        some = list(islice(stream, CHUNK))
        if not some:
            raise UsageError(f"only {len(lines)} different positions of {game.label} were found: ask for fewer")
        worth = worths(game, judge, some, seed)
        known = np.flatnonzero(~np.isnan(worth).any(axis=1))[: count - len(lines)]
        left_out += (len(some) if len(known) + len(lines) < count else int(known[-1]) + 1) - len(known)
        unknown = 0 if len(known) else unknown + CHUNK
        if unknown >= PATIENCE:
            raise UsageError(f"{judge.spec} knows the worth of no position that was drawn of {game.label}")
        lines += [some[row] for row in known.tolist()]
        found.append(worth[known])
    return Held(game, judge.spec, seed, tuple(lines), np.concatenate(found), left_out)


def analyse(held: Held, spec: str, agent: Policy, seed: int = 0, watch: Watch | None = None) -> Analysis:
    """Ask an agent for its move in every position, and compare it with the best."""
    if (failure := begin(agent, seed)) is not None:
        raise UsageError(f"{spec} cannot play: {failure.detail}")
    played = Played(held.game, held.lines)
    actions = np.empty(len(held.lines), np.int64)
    for first in range(0, len(actions), CHUNK):
        if watch is not None:
            watch(f"{spec} moves", first, len(actions))
        rows = np.arange(first, min(first + CHUNK, len(actions)))
        actions[rows] = ask(agent, view(played.env, rows, agent, played.history, played.lengths)).actions
    every = np.arange(len(actions))
    legal = (actions >= 0) & (actions < held.game.num_actions)
    legal &= played.env.mask[every, np.where(legal, actions, 0)]
    lowest = np.where(np.isfinite(held.worth), held.worth, np.inf).min(axis=1)
    worth = np.where(legal, held.worth[every, np.where(legal, actions, 0)], lowest)
    kept = legal & (worth > held.best - TOLERANCE)
    spans = [np.flatnonzero((held.plies >= low) & (held.plies <= high)) for low, high in phases_of(held.plies)]
    parts = tuple(_phase(held, rows, kept, worth) for rows in spans if len(rows))
    return Analysis(spec, parts, _phase(held, every, kept, worth), int((~legal).sum()))


def _phase(held: Held, rows: NDArray[np.int64], kept: NDArray[np.bool_], worth: NDArray[np.float64]) -> Phase:
    plies, decides = held.plies[rows], held.decides[rows]
    shares = held.keeping[rows].sum(axis=1) / np.isfinite(held.worth[rows]).sum(axis=1)
    return Phase(
        int(plies.min()),
        int(plies.max()),
        len(rows),
        int(kept[rows].sum()),
        int(decides.sum()),
        int((kept[rows] & decides).sum()),
        float((held.best[rows] - worth[rows]).clip(min=0).mean()),
        float(shares.mean()),
    )


def phases_of(plies: NDArray[np.int64], count: int = PHASES) -> Sequence[tuple[int, int]]:
    """The first and last ply of `count` phases (or fewer) of equal length, from the earliest position to the latest."""
    edges = np.unique(np.linspace(plies.min(), plies.max() + 1, count + 1).round().astype(int)).tolist()
    return [(low, high - 1) for low, high in pairwise(edges)]


def wilson(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """The interval of a share that Wilson gives (1927, "Probable inference"), by default of 95 %."""
    share, square = successes / trials, z * z / trials
    middle = (share + square / 2) / (1 + square)
    width = z / (1 + square) * math.sqrt(share * (1 - share) / trials + square / (4 * trials))
    return min(middle - width, share), max(middle + width, share)  # rounding aside, never beyond
