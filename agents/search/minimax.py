"""Minimax with alpha-beta pruning: a template that `games.engine.compiler` turns into machine code for one game.

Shapes: n positions, A actions, C outcomes of chance, D plies of depth, S bytes of a position. The search works in the
`stack` of its `Workspace`: a move is played by copying `stack[ply]` to `stack[ply + 1]` and changing the copy. Values
are from the view of the seat to move at the position itself: `DECAY` shrinks a result at every ply, so that quick wins
and slow losses are preferred. The sign changes only where the seat does; no order of turns is assumed.

A chance event counts as a ply. Its value is the mean over all outcomes, each searched with a full window (expectimax:
Michie 1966), from the view of the first seat.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.deadline import passed
from agents.search.memory import bytes_of
from agents.search.transpositions import ENTRY, entry_of, key_of, reaches, remember, settles
from games.engine.chance import mix
from games.engine.entries import unowned
from games.engine.game import CHANCE, TERMINAL, Game
from games.engine.jit import njit
from games.engine.rules import apply, chance_outcomes, heuristic, legal_actions, returns

DECAY = 0.999
"""Factor on a result per ply of distance."""
MARGIN = 1e-6
"""Root moves are searched with a window this far below the best value, so that equal values are exact."""
STOP_CHECK_MASK = 1023
"""Positions between two checks of the deadline, less one; a power of two less one."""

NODE = np.dtype(
    [
        ("cursor", np.int64),  # moves searched so far
        ("count", np.int64),  # moves
        ("low", np.float64),  # window: alpha
        ("high", np.float64),  # window: beta
        ("best", np.float64),  # highest value so far; at chance, the weighted sum of values so far
        ("key", np.uint64),  # hash of its position
        ("action", np.int16),  # action of the highest value
        ("certain", np.bool_),  # no line so far was cut off at the horizon
        ("by_chance", np.bool_),  # chance moves
    ]
)
"""A position on the current line of the search."""

FIRST = 1 << 62
"""Larger than any count in the history table."""


class Workspace(NamedTuple):
    """The arrays that a search works in, for any number of positions one after the other."""

    order: NDArray[np.int64]
    """The actions in the order in which they are searched at first, [A]."""
    table: NDArray[Any]
    """Transposition table, records `ENTRY` [2^k]."""
    history: NDArray[np.int64]
    """History heuristic: how much each seat's action has cut off, [2, A]."""
    stack: NDArray[Any]
    """The positions of the current line, [D + 1]."""
    stack_bytes: NDArray[np.uint8]
    """The same memory as bytes, [D + 1, S]."""
    nodes: NDArray[Any]
    """Their nodes, records `NODE` [D]."""
    moves: NDArray[np.int16]
    """The moves at each, [D, max(A, C)]."""
    mask: NDArray[np.bool_]
    """Scratch, [A]."""
    payoff: NDArray[np.float32]
    """Scratch, [2]."""


class Evaluations(NamedTuple):
    """Results of a search of n positions."""

    best: NDArray[np.bool_]
    """The best actions, [n, A]; all in a finished game."""
    value: NDArray[np.float64]
    """The value for the seat to move, [n]; 0 in a finished game."""
    depth: NDArray[np.int64]
    """The depth of the last complete search, [n]."""
    pv: NDArray[np.int32]
    """The principal variation of a best action, [n, L], -1 after its end."""


def new_workspace(game: Game, plies: int, table_bits: int) -> Workspace:
    """Return the workspace of a search so many plies deep; `order` begins in the middle of the actions."""
    stack = np.empty(plies + 1, game.state_dtype)
    middle = (game.num_actions - 1) / 2
    return Workspace(
        order=np.argsort(np.abs(np.arange(game.num_actions) - middle), kind="stable"),
        table=np.zeros(1 << table_bits, ENTRY),
        history=np.empty((2, game.num_actions), np.int64),
        stack=stack,
        stack_bytes=bytes_of(stack),
        nodes=np.empty(plies, NODE),
        moves=np.empty((plies, max(game.num_actions, game.num_outcomes)), np.int16),
        mask=np.empty(game.num_actions, np.bool_),
        payoff=np.empty(2, np.float32),
    )


@njit(cache=True, nogil=True)
def search_all(
    states: NDArray[Any],
    depth: int,
    evaluations: Evaluations,
    space: Workspace,
    chances: Any,
    salt: int,
    deadline: NDArray[np.float64],
) -> None:
    """Search each of `states` [n] one ply deep, two, ... `depth` [<= D], until it is certain or `deadline` [1].

    `salt` + row separates the entries of this search in the table from older ones. `chances` (float64 [D, C]) is
    scratch for the probabilities of outcomes; None in a game without chance, whose code then has no trace of it.
    """
    space = unowned(space)
    stack = space.stack
    for i in range(states.shape[0]):
        stack[0] = states[i]
        evaluations.best[i] = True
        evaluations.value[i] = 0.0
        evaluations.depth[i] = 0
        evaluations.pv[i] = -1
        if stack[0].current_player != TERMINAL:
            evaluations.value[i], evaluations.depth[i] = deepen(
                depth, evaluations.best[i], evaluations.pv[i], space, chances, mix(np.uint64(salt + i)), deadline
            )


@njit
def deepen(
    depth: int,
    best: NDArray[np.bool_],
    pv: NDArray[np.int32],
    space: Workspace,
    chances: Any,
    salt: Any,
    deadline: NDArray[np.float64],
) -> tuple[float, int]:
    """Search `space.stack[0]` by iterative deepening; write its best actions [A] and the line [L].

    Returns the value and the depth reached.
    """
    value, reached = 0.0, 0
    space.history[:] = 0
    scores = np.empty(space.order.shape[0])
    move_order = space.order.copy()  # by the values of the last complete search
    for limit in range(1, depth + 1):
        highest, certain = search_root(limit, move_order, scores, space, chances, salt, deadline)
        if passed(deadline) and reached > 0:
            return value, reached
        best[:] = scores == highest
        value, reached = highest, limit
        sort_by(move_order, scores)
        expect(pv, move_order[0], limit, space, salt)
        if certain or passed(deadline):
            break
    return value, reached


@njit
def search_root(
    limit: int,
    move_order: NDArray[np.int64],
    scores: NDArray[np.float64],
    space: Workspace,
    chances: Any,
    salt: Any,
    deadline: NDArray[np.float64],
) -> tuple[float, bool]:
    """Search the moves of `space.stack[0]`, in this order, `limit` plies deep; write their values to `scores` [A].

    Returns the highest value and whether it is certain. If `deadline` has passed, moves after the first may be left
    out: the result is then of use only where there is none of a lower limit.
    """
    nodes, mask = space.nodes, space.mask
    highest, certain = -math.inf, True
    mask[:] = False
    legal_actions(space.stack[0], mask)
    legal = mask.copy()
    scores[:] = -math.inf
    for action in move_order:
        if not legal[action]:
            continue
        space.moves[0, 0] = action
        open_node(nodes[0], 1, highest - MARGIN, math.inf, np.uint64(0))
        search(limit, space, chances, salt, deadline)
        if passed(deadline) and limit > 1:
            return highest, False
        scores[action] = nodes[0].best
        certain = certain and nodes[0].certain
        highest = max(highest, scores[action])
    return highest, certain


@njit
def search(depth: int, space: Workspace, chances: Any, salt: Any, deadline: NDArray[np.float64]) -> None:
    """Search the moves of the open node `space.nodes[0]`.

    Its `best` is exact above its `low`, else an upper bound. A stack of nodes: numba caches no recursive functions.
    """
    table, nodes, moves = space.table, space.nodes, space.moves
    stack, stack_bytes, payoff = space.stack, space.stack_bytes, space.payoff
    ply = visited = 0
    while True:
        node = nodes[ply]
        if node.cursor == node.count or node.best >= node.high:
            if ply == 0:
                return
            if depth - ply > 1:
                remember(table, node, depth - ply)
            ply -= 1
            hand_up(space, ply, depth, chances)
            continue
        visited += 1
        if visited & STOP_CHECK_MASK == 0 and passed(deadline):
            return
        action = moves[ply, node.cursor]
        node.cursor += 1
        stack[ply + 1] = stack[ply]
        after, seat = stack[ply + 1], viewer(stack[ply])
        share = chances[ply, action] if chances is not None and node.by_chance else 1.0
        apply(after, int(action))
        ended = after.current_player == TERMINAL
        if ended or ply + 1 == depth:
            value = result(after, seat, payoff) if ended else heuristic(after, seat)
            improve(node, value, action, ended, share)
            continue
        same = viewer(after) == seat
        low, high = bounds_after(node, same)
        key, first = np.uint64(0), -1
        if depth - ply > 2:
            key = key_of(stack_bytes[ply + 1], salt)
            entry = entry_of(table, key)
            if entry.key == key:
                first = entry.action
                if reaches(entry, depth - ply - 1) and settles(entry.bound, entry.value, low, high):
                    improve(node, rising(entry.value, same), action, entry.certain, share)
                    continue
        ply += 1
        enter(space, ply, low, high, key, first, chances)


@njit(inline="always")
def enter(space: Workspace, ply: int, low: float, high: float, key: Any, first: int, chances: Any) -> None:
    """Open the node of `space.stack[ply]`, with its moves, `first` first, or the outcomes of chance there."""
    position, node, moves = space.stack[ply], space.nodes[ply], space.moves[ply]
    if chances is not None and position.current_player == CHANCE:
        open_chance(node, list_outcomes(position, moves, chances[ply]), key)
    else:
        open_node(node, sort_moves(position, space, first, moves), low, high, key)


@njit(inline="always")
def open_node(node: Any, count: int, low: float, high: float, key: Any) -> None:
    """Start the search of a node with the window from `low` to `high`."""
    node.cursor = 0
    node.count = count
    node.low = low
    node.high = high
    node.best = -math.inf
    node.key = key
    node.action = -1
    node.certain = True
    node.by_chance = False


@njit(inline="always")
def open_chance(node: Any, count: int, key: Any) -> None:
    """Start the search of a chance node with `count` outcomes, all of which are searched."""
    open_node(node, count, -math.inf, math.inf, key)
    node.best = 0.0
    node.by_chance = True


@njit(inline="always")
def result(state: Any, seat: int, payoff: NDArray[np.float32]) -> float:
    """Return the payoff of a seat in a finished game."""
    payoff[:] = 0
    returns(state, payoff)
    return np.float64(payoff[seat])


@njit(inline="always")
def bounds_after(node: Any, same: bool) -> tuple[float, float]:
    """Return the window of the position after a move: from its seat's view, and one ply nearer to the end."""
    if node.by_chance:
        return -math.inf, math.inf
    low, high = max(node.low, node.best) / DECAY, node.high / DECAY
    return (low, high) if same else (-high, -low)


@njit(inline="always")
def viewer(state: Any) -> int:
    """Return the seat whose value a position has: the seat to move, or the first seat at chance."""
    return max(state.current_player, 0)


@njit(inline="always")
def list_outcomes(state: Any, outcomes: NDArray[np.int16], chances: NDArray[np.float64]) -> int:
    """Write the outcomes of chance and their probabilities `chances` [C]; return their number."""
    chances[:] = 0.0
    chance_outcomes(state, chances)
    count = 0
    for outcome in range(chances.shape[0]):
        if chances[outcome] > 0:
            outcomes[count] = outcome
            count += 1
    return count


@njit(inline="always")
def improve(node: Any, value: float, action: int, certain: Any, share: float) -> None:
    """Update a node by the value of a move; at chance, add it in proportion to its probability."""
    if node.by_chance:
        node.best += share * value
    elif value > node.best:
        node.best = value
        node.action = action
    node.certain = node.certain and certain


@njit(inline="always")
def rising(value: float, same: bool) -> float:
    """Return a value as the position one move earlier has it. Subtraction avoids a negative zero."""
    return value * DECAY if same else 0.0 - value * DECAY


@njit(inline="always")
def hand_up(space: Workspace, ply: int, depth: int, chances: Any) -> None:
    """Back up the value of the completed node at `ply + 1` to its parent."""
    node, child, seat = space.nodes[ply], space.nodes[ply + 1], viewer(space.stack[ply])
    action = space.moves[ply, node.cursor - 1]
    share = chances[ply, action] if chances is not None and node.by_chance else 1.0
    improve(node, rising(child.best, viewer(space.stack[ply + 1]) == seat), action, child.certain, share)
    if not node.by_chance and node.best >= node.high:
        space.history[seat, node.action] += (depth - ply) ** 2


@njit(inline="always")
def sort_moves(state: Any, space: Workspace, first: int, moves: NDArray[np.int16]) -> int:
    """Write the legal actions into `moves` [A], `first` first, then by the history heuristic; return their number.

    The history heuristic: Schaeffer 1989.
    """
    order, history, mask = space.order, space.history, space.mask
    mask[:] = False
    legal_actions(state, mask)
    seat, count = state.current_player, 0
    for action in order:
        if mask[action]:
            score = history[seat, action] if action != first else FIRST
            place = count
            while place > 0 and moves[place - 1] != first and history[seat, moves[place - 1]] < score:
                moves[place] = moves[place - 1]
                place -= 1
            moves[place] = action
            count += 1
    return count


@njit(inline="always")
def sort_by(actions: NDArray[np.int64], values: NDArray[np.float64]) -> None:
    """Sort actions by their values [A] in descending order; stable."""
    for i in range(1, actions.shape[0]):
        action, place = actions[i], i
        while place > 0 and values[actions[place - 1]] < values[action]:
            actions[place] = actions[place - 1]
            place -= 1
        actions[place] = action


@njit
def expect(pv: NDArray[np.int32], action: int, depth: int, space: Workspace, salt: Any) -> None:
    """Write the action and its principal variation from the table into `pv` [L], up to chance or the end; then -1.

    `space.stack[1]` is scratch.
    """
    table, stack = space.table, space.stack
    pv[:] = -1
    stack[1] = stack[0]
    for i in range(min(pv.shape[0], depth)):
        pv[i] = action
        apply(stack[1], int(action))
        key = key_of(space.stack_bytes[1], salt)
        entry = entry_of(table, key)
        if stack[1].current_player < 0 or entry.key != key:
            break
        action = entry.action
