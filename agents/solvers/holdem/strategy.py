"""`buckets:DIR`: plays limit hold'em by a strategy for hands in buckets, saved by `arena solve`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
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
    last_roots,
    line_to,
)
from agents.solvers.holdem.buckets import KINDS, NUM_HANDS, NUM_KINDS, NUMBER, write_buckets
from agents.solvers.holdem.endgame import nodes_below, part_of, solve_endgame
from arena.analysis.local_response import require_limit_holdem
from arena.analysis.solution import load_solution, require_arrays, save_solution
from arena.base.errors import CheckpointError, UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.policy.protocol import Policy
from games.engine.game import TERMINAL, Game
from games.engine.holdem import HAND, NUM_CARDS, OPEN, SHOWN

BUCKETED, WEIGHTS = "buckets", "weights.safetensors"
ONE = 255
"""A probability of 1, as it is stored."""
BOARDS_KEPT, ENDGAMES_KEPT = 1024, 64
"""Boards whose buckets are kept, and endgames whose solutions are, of those asked for last."""
TREMBLE = 0.01
"""Share of each action that players are thought to take with any hand, where hands are judged by what was played."""
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BucketStrategy:
    """Probabilities of actions for each decision before the last round, and each bucket. R rows."""

    cuts: tuple[NDArray[np.float32], NDArray[np.float32]]
    """Borders of the B buckets on the flop and on the turn, each [B - 1]."""
    probs: NDArray[np.uint8]
    """Probabilities of folding and of raising, of `ONE`, [R, 2]; the rest is that of calling or checking."""

    @classmethod
    def of_average(
        cls, cuts: tuple[NDArray[np.float32], NDArray[np.float32]], average: NDArray[np.float32]
    ) -> "BucketStrategy":
        """Return the strategy of cumulative probabilities [R, 3]; it calls or checks where they are all 0."""
        total = np.maximum(average.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
        return cls(cuts, np.rint(ONE * average[:, [FOLD, RAISE]] / total).astype(np.uint8))

    def first_rows(self, tree: BettingTree) -> Numbers:
        """Return the row of each decision's first bucket, and the number of rows: [N + 1]."""
        sizes = table_sizes(tree, (*(len(cuts) + 1 for cuts in self.cuts), 0))
        return np.concatenate([[0], np.cumsum(sizes)])


def table_sizes(tree: BettingTree, buckets: Sequence[int]) -> Numbers:
    """Return the number of buckets at each node, where there are so many in the rounds after the first: [N]."""
    return np.array([NUM_KINDS, *buckets])[tree.round] * (tree.kind == DECISION)


def own_hands(states: NDArray[Any]) -> Numbers:
    """Return the number of the hand of the seat to move in each position, [n]."""
    places = HAND * states["current_player"].astype(np.int64)[:, None] + np.arange(HAND)
    return NUMBER[tuple(np.take_along_axis(states["cards"], places, axis=1).T)]


def rows_by_board(boards: Numbers, roots: Numbers) -> list[Numbers]:
    """Return the rows of each combination of open cards [n, 5] and a node [n]."""
    keys = boards @ (NUM_CARDS + 1) ** np.arange(OPEN) + roots * (NUM_CARDS + 1) ** OPEN  # one number sorts faster
    order = np.argsort(keys, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(keys[order])) + 1)


class BucketPolicy(Policy):
    """Draws actions with the probabilities that a strategy gives to the bucket of the seat's hand.

    The last round of betting is solved when it is reached, for all hands apart (`agents.solvers.holdem.endgame`), with
    the probabilities of hands that follow from the strategy and the bets before it. Raises `UsageError` for another
    game than limit hold'em for two.
    """

    needs_state = True

    def __init__(self, game: Game, strategy: BucketStrategy, seed: int | np.random.Generator | None = None):
        require_limit_holdem(game, f"{BUCKETED} plays")
        self._game, self._strategy, self._tree = game, strategy, betting_tree(game)
        self._first = strategy.first_rows(self._tree)
        self._rng = make_rng(seed)
        self._roots = last_roots(self._tree)
        self._below = lru_cache(maxsize=None)(partial(nodes_below, self._tree))
        self._on_board = lru_cache(BOARDS_KEPT)(self._buckets_of)
        self._endgame = lru_cache(ENDGAMES_KEPT)(self._solved)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Draw `act` [n] with the probabilities `probs` [n, A]."""
        states, mask = positions(batch, self._game, BUCKETED), np.asarray(batch.obs.mask)
        likely = np.ones((len(states), NUM_ACTIONS))
        under_way = np.flatnonzero(states["current_player"] != TERMINAL)
        likely[under_way] = self._likely(states[under_way])
        probs = likely[:, ACTION_OF] * mask
        probs /= probs.sum(axis=1, keepdims=True)
        drawn = self._rng.random((len(probs), 1))
        return Batch(act=(np.cumsum(probs, axis=1) > drawn).argmax(axis=1), probs=probs)

    def _likely(self, states: NDArray[Any]) -> NDArray[np.float64]:
        """Return the probabilities of actions in positions [n] of games under way, [n, 3]."""
        nodes, hands = find_nodes(self._tree, states), own_hands(states)
        boards = states["cards"][:, 2 * HAND :].astype(np.int64)
        likely = np.empty((len(states), NUM_ACTIONS))
        for rows in rows_by_board(boards, self._roots[nodes]):
            board = tuple(card for card in boards[rows[0]].tolist() if card >= 0)
            root = int(self._roots[nodes[rows[0]]])
            if root > 0:
                below = self._below(root)
                likely[rows] = self._endgame(root, board)[np.searchsorted(below, nodes[rows]), :, hands[rows]]
            else:
                likely[rows] = self._in_rows(self._first[nodes[rows]] + self._on_board(board)[hands[rows]])
        return likely

    def _in_rows(self, rows: Numbers) -> NDArray[np.float64]:
        """Return the strategy's probabilities in rows of its table, [n, 3]."""
        likely = np.empty((len(rows), NUM_ACTIONS))
        likely[:, [FOLD, RAISE]] = self._strategy.probs[rows] / ONE
        likely[:, STAY] = 1 - np.minimum(likely[:, FOLD] + likely[:, RAISE], 1)  # rounding may make it more than 1
        return likely

    def _solved(self, root: int, board: tuple[int, ...]) -> NDArray[np.float32]:
        """Return the solution of the endgame that begins at a node: [M, 3, H]."""
        return solve_endgame(part_of(self._tree, self._below(root)), np.array(board), self.ranges(root, board))

    def ranges(self, node: int, board: tuple[int, ...]) -> NDArray[np.float64]:
        """Return how likely each hand of either player is at a node, by the strategy, in any unit: [2, H].

        `board` are the open cards, at least those of the rounds before the node's.
        """
        ranges = np.ones((2, NUM_HANDS))
        for decision, action in line_to(self._tree, node):
            shown = board[: SHOWN[self._tree.round[decision]]]
            likely = self._in_rows(self._first[decision] + self._on_board(shown))[:, action]
            ranges[self._tree.player[decision]] *= TREMBLE + (1 - TREMBLE) * likely
        return ranges

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
    flop, turn = strategy.cuts
    save_solution(folder / WEIGHTS, game, BUCKETED, {"flop": flop, "turn": turn, "probs": strategy.probs}, config)


def load_strategy(folder: Path, game: Game) -> BucketStrategy:
    """Return the newest strategy in a folder; `CheckpointError` if there is none for `game`, or it is damaged."""
    path, arrays = load_solution(folder, WEIGHTS, game, BUCKETED, "strategy for buckets")
    lengths = [arrays[name].size if name in arrays else 0 for name in ("flop", "turn")]
    tree = betting_tree(game)
    sizes = table_sizes(tree, (*(length + 1 for length in lengths), 0))
    expected = {
        "flop": ((lengths[0],), np.dtype(np.float32)),
        "turn": ((lengths[1],), np.dtype(np.float32)),
        "probs": ((int(sizes.sum()), NUM_ACTIONS - 1), np.dtype(np.uint8)),
    }
    require_arrays(path, game, "strategy for buckets", arrays, expected)
    cuts = arrays["flop"], arrays["turn"]
    if not all((np.diff(borders) >= 0).all() for borders in cuts):  # not a number is never in order
        raise CheckpointError(f"{path}: the borders of its buckets are not in order")
    possible = np.repeat(tree.children[:, [FOLD, RAISE]] >= 0, sizes, axis=0)
    if arrays["probs"][~possible].any():
        raise CheckpointError(f"{path}: it folds where checking is free, or raises beyond the limit")
    return BucketStrategy(cuts, arrays["probs"])


def make(game: Game, argument: str) -> BucketPolicy:
    """Make an agent that plays by a strategy for buckets; the argument is its folder."""
    if not argument:
        raise UsageError(f"'{BUCKETED}' needs a folder: {BUCKETED}:runs/NAME, which 'arena solve' writes")
    require_limit_holdem(game, f"{BUCKETED} plays")
    return BucketPolicy(game, load_strategy(Path(argument), game), seed=0)
