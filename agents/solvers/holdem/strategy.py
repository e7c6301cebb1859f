"""`buckets:DIR`: plays limit hold'em by a strategy for hands in buckets, saved by `arena solve`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.positions import positions
from agents.solvers.holdem.betting import (
    ACTION_OF,
    DECISION,
    FOLD,
    NUM_ACTIONS,
    RAISE,
    STAY,
    BettingTree,
    betting_tree,
    find_nodes,
)
from agents.solvers.holdem.buckets import KINDS, NUM_HANDS, NUM_KINDS, NUMBER, write_buckets
from arena.analysis.local_response import require_limit_holdem
from arena.analysis.solution import load_solution, require_arrays, save_solution
from arena.base.errors import CheckpointError, UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from games.engine.game import Game
from games.engine.holdem import HAND, NUM_CARDS, OPEN, ROUNDS, SHOWN

BUCKETED, WEIGHTS = "buckets", "weights.safetensors"
ONE = 255
"""A probability of 1, as it is stored."""
BOARDS_KEPT = 1024
"""Boards whose buckets are kept, of those asked for last."""


@dataclass(frozen=True, eq=False)
class BucketStrategy:
    """Probabilities of actions for each decision and bucket. B buckets in each round after the first, R rows."""

    cuts: NDArray[np.float32]
    """Borders of the buckets in each round after the first, [3, B - 1]."""
    probs: NDArray[np.uint8]
    """Probabilities of folding and of raising, of `ONE`, [R, 2]; the rest is that of calling or checking."""

    @classmethod
    def of_average(cls, cuts: NDArray[np.float32], average: NDArray[np.float32]) -> "BucketStrategy":
        """Return the strategy of cumulative probabilities [R, 3]; it calls or checks where they are all 0."""
        total = np.maximum(average.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
        return cls(cuts, np.rint(ONE * average[:, [FOLD, RAISE]] / total).astype(np.uint8))

    @property
    def buckets(self) -> int:
        """Number of buckets in each round after the first."""
        return self.cuts.shape[1] + 1


def first_rows(tree: BettingTree, buckets: int) -> NDArray[np.int64]:
    """Return the row of each decision's first bucket, and the number of rows: [N + 1]."""
    sizes = np.where(tree.round == 0, NUM_KINDS, buckets) * (tree.kind == DECISION)
    return np.concatenate([[0], np.cumsum(sizes)])


class BucketPolicy(Policy):
    """Draws actions with the probabilities that a strategy gives to the bucket of the seat's hand.

    Raises `UsageError` for another game than limit hold'em for two.
    """

    needs_state = True

    def __init__(self, game: Game, strategy: BucketStrategy, seed: int | np.random.Generator | None = None):
        require_limit_holdem(game, f"{BUCKETED} plays")
        self._game, self._strategy, self._tree = game, strategy, betting_tree(game)
        self._first = first_rows(self._tree, strategy.buckets)
        self._rng = make_rng(seed)
        self._on_board = lru_cache(BOARDS_KEPT)(self._buckets_of)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n] with the probabilities `probs` [n, A]."""
        states, mask = positions(batch, self._game, BUCKETED), np.asarray(batch.obs.mask)
        rows = self._first[find_nodes(self._tree, states)] + self._own_buckets(states)
        likely = np.zeros((len(states), NUM_ACTIONS))
        likely[:, [FOLD, RAISE]] = self._strategy.probs[rows] / ONE
        likely[:, STAY] = 1 - np.minimum(likely.sum(axis=1), 1)  # rounding may make the others more than 1
        probs = likely[:, ACTION_OF] * mask
        probs /= probs.sum(axis=1, keepdims=True)
        drawn = self._rng.random((len(probs), 1))
        return Batch(act=(np.cumsum(probs, axis=1) > drawn).argmax(axis=1), probs=probs)

    def _own_buckets(self, states: NDArray[Any]) -> NDArray[np.int64]:
        """Return the bucket of the hand of the seat to move in each position, [n]."""
        places = HAND * states["current_player"].astype(np.int64)[:, None] + np.arange(HAND)
        hands = NUMBER[tuple(np.take_along_axis(states["cards"], places, axis=1).T)]
        boards = states["cards"][:, 2 * HAND :].astype(np.int64)
        keys = boards @ (NUM_CARDS + 1) ** np.arange(OPEN)  # a number for each board, faster to sort than its cards
        _, rows, which = np.unique(keys, return_index=True, return_inverse=True)
        of_hands = np.array([self._on_board(tuple(board[board >= 0].tolist())) for board in boards[rows]])
        return of_hands[which, hands]

    def _buckets_of(self, board: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the bucket of every hand [H] with these open cards."""
        if not board:
            return KINDS
        buckets = np.empty(NUM_HANDS, np.int64)
        which = SHOWN.tolist().index(len(board))
        write_buckets(np.array(board), self._strategy.cuts[which - 1], buckets)
        return buckets

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream if a seed is given."""
        if seed is not None:
            self._rng = make_rng(seed)


def save_strategy(folder: Path, game: Game, strategy: BucketStrategy, config: Mapping[str, Any]) -> None:
    """Write a strategy as a checkpoint into `folder`, atomically; `config` records how it was made."""
    save_solution(folder / WEIGHTS, game, BUCKETED, {"cuts": strategy.cuts, "probs": strategy.probs}, config)


def load_strategy(folder: Path, game: Game) -> BucketStrategy:
    """Return the newest strategy in a folder; `CheckpointError` if there is none for `game`, or it is damaged."""
    path, arrays = load_solution(folder, WEIGHTS, game, BUCKETED, "strategy for buckets")
    borders = arrays["cuts"].shape[-1] if "cuts" in arrays and arrays["cuts"].ndim == 2 else 0
    tree = betting_tree(game)
    first = first_rows(tree, borders + 1)
    expected = {
        "cuts": ((ROUNDS - 1, borders), np.dtype(np.float32)),
        "probs": ((int(first[-1]), NUM_ACTIONS - 1), np.dtype(np.uint8)),
    }
    require_arrays(path, game, "strategy for buckets", arrays, expected)
    if not (np.diff(arrays["cuts"], axis=1) >= 0).all():  # not a number is never in order
        raise CheckpointError(f"{path}: the borders of its buckets are not in order")
    possible = np.repeat(tree.children[:, [FOLD, RAISE]] >= 0, np.diff(first), axis=0)
    if arrays["probs"][~possible].any():
        raise CheckpointError(f"{path}: it folds where checking is free, or raises beyond the limit")
    return BucketStrategy(arrays["cuts"], arrays["probs"])


def make(game: Game, argument: str) -> BucketPolicy:
    """Make an agent that plays by a strategy for buckets; the argument is its folder."""
    if not argument:
        raise UsageError(f"'{BUCKETED}' needs a folder: {BUCKETED}:runs/NAME, which 'arena solve' writes")
    require_limit_holdem(game, f"{BUCKETED} plays")
    return BucketPolicy(game, load_strategy(Path(argument), game), seed=0)
