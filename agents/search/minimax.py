"""Minimax with alpha-beta cuts: a template that `games.engine.compiler` turns into machine code for one game.

Shapes: n positions, A actions, C outcomes of chance, D plies of depth, S bytes of a position. A search works in a
`stack` of D + 1 positions: a move is played by copying `stack[ply]` into `stack[ply + 1]` and changing it there. Values
are those of the seat that moves, as seen from the position itself: `DECAY` takes a little off a result for every ply
that it is away, so quick wins and slow losses are preferred. They change sign only where the seat does: no order of
play is assumed.

A move of chance counts as a ply. Its position is worth the mean of all outcomes, each searched without bounds
(expectimax: Michie 1966), as the first seat sees it.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.chance import mix
from games.engine.game import CHANCE, TERMINAL
from games.engine.rules import apply, chance_outcomes, heuristic, legal_actions, returns

DECAY = 0.999
"""Factor on a result for every ply that it is further away."""
MARGIN = 1e-6
"""The first actions are searched with a window open this far below the best value, so that an equal one is exact."""
PATIENCE = 1023
"""Positions between two looks at the clock, less one; all its bits are set."""

NODE = np.dtype(
    [
        ("cursor", np.int64),  # how many of its moves have been tried
        ("count", np.int64),  # moves
        ("low", np.float64),  # the value matters between these bounds (alpha and beta)
        ("high", np.float64),
        ("best", np.float64),  # highest value so far; where chance moves, the sum of what it may bring
        ("key", np.uint64),  # of its position
        ("action", np.int16),  # that has the highest value
        ("certain", np.bool_),  # whether no line so far was broken off at the horizon
        ("by_chance", np.bool_),  # whether chance moves
    ]
)
"""One position of the line under search."""

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("value", np.float64),
        ("action", np.int16),  # that had this value
        ("depth", np.int16),  # plies that were looked ahead
        ("bound", np.int8),
        ("certain", np.bool_),
    ]
)
"""What is known of a position that has been searched before."""
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
FIRST = 1 << 62
"""Above every count of the history."""


@njit(cache=True, nogil=True)
def search_all(
    states: NDArray[Any],
    depth: int,
    order: NDArray[np.int64],
    best: NDArray[np.bool_],
    value: NDArray[np.float64],
    reached: NDArray[np.int64],
    line: NDArray[np.int32],
    table: NDArray[Any],
    history: NDArray[np.int64],
    stack: NDArray[Any],
    bytes_of_stack: NDArray[np.uint8],
    nodes: NDArray[Any],
    moves: NDArray[np.int16],
    chances: Any,
    mask: NDArray[np.bool_],
    payoff: NDArray[np.float32],
    salt: int,
    stop: NDArray[np.bool_],
) -> None:
    """Write into `best` [n, A] the actions of the highest value, that into `value` [n], the line expected into `line`.

    Each of `states` [n] is searched one ply deep, two, ... `depth` [<= D], until all is certain or `stop` [1] is set;
    `reached` [n] is how deep the last whole search was. `order` [A] says which actions are tried first as long as
    nothing is known; `salt` (+ the row) tells the entries of a search in the `table` [2^k] from older ones. In a
    finished game all actions are best and the value is 0. Scratch: `history` [2, A], `stack` [D + 1] and its bytes
    [D + 1, S], `nodes` [D], `moves` [D, max(A, C)], `chances` [D, C] (None in a game without chance), `mask` [A],
    `payoff` [2].
    """
    for i in range(states.shape[0]):
        stack[0] = states[i]
        best[i] = True
        value[i] = 0.0
        reached[i] = 0
        line[i] = -1
        if stack[0].current_player != TERMINAL:
            scratch = (
                table,
                history,
                stack,
                bytes_of_stack,
                nodes,
                moves,
                chances,
                mask,
                payoff,
                mix(np.uint64(salt + i)),
            )
            value[i], reached[i] = deepen(depth, order, best[i], line[i], *scratch, stop)


@njit
def deepen(
    depth: int,
    order: NDArray[np.int64],
    best: NDArray[np.bool_],
    line: NDArray[np.int32],
    table: NDArray[Any],
    history: NDArray[np.int64],
    stack: NDArray[Any],
    bytes_of_stack: NDArray[np.uint8],
    nodes: NDArray[Any],
    moves: NDArray[np.int16],
    chances: Any,
    mask: NDArray[np.bool_],
    payoff: NDArray[np.float32],
    salt: Any,
    stop: NDArray[np.bool_],
) -> tuple[float, int]:
    """Search `stack[0]` deeper and deeper, as `search_all` says; returns the value and the depth reached."""
    value, reached = 0.0, 0
    history[:] = 0
    worths = np.empty(order.shape[0])
    known = order.copy()  # the best of the last search first
    found = np.empty_like(best)
    for limit in range(1, depth + 1):
        found[:] = False
        highest, certain = -math.inf, True
        mask[:] = False
        legal_actions(stack[0], mask)
        legal = mask.copy()
        for action in known:
            worths[action] = -math.inf
            if not legal[action]:
                continue
            moves[0, 0] = action
            open_node(nodes[0], 1, highest - MARGIN, math.inf, np.uint64(0))
            search(limit, order, table, history, stack, bytes_of_stack, nodes, moves, chances, mask, payoff, salt, stop)
            if stop[0] and reached > 0:
                return value, reached
            worth = worths[action] = nodes[0].best
            certain = certain and nodes[0].certain
            if worth > highest:
                found[:] = False
                highest = worth
            found[action] = worth == highest
        best[:] = found
        value, reached = highest, limit
        sort_by(known, worths)
        expect(line, known[0], limit, table, stack, bytes_of_stack, salt)
        if certain or stop[0]:
            break
    return value, reached


@njit
def search(
    depth: int,
    order: NDArray[np.int64],
    table: NDArray[Any],
    history: NDArray[np.int64],
    stack: NDArray[Any],
    bytes_of_stack: NDArray[np.uint8],
    nodes: NDArray[Any],
    moves: NDArray[np.int16],
    chances: Any,
    mask: NDArray[np.bool_],
    payoff: NDArray[np.float32],
    salt: Any,
    stop: NDArray[np.bool_],
) -> None:
    """Search the moves of `nodes[0]`, which is open; its `best` is exact above its `low`, else a bound from above.

    The walk keeps its own stack of nodes, since numba does not cache a function that calls itself.
    """
    ply = 0
    visited = 0
    while True:
        node = nodes[ply]
        if node.cursor == node.count or node.best >= node.high:
            if ply == 0:
                return
            if depth - ply > 1:
                remember(table, node, depth - ply)
            ply -= 1
            hand_up(nodes, stack, ply, depth, moves, chances, history)
            continue
        visited += 1
        if visited & PATIENCE == 0 and stop[0]:
            return
        action = moves[ply, node.cursor]
        node.cursor += 1
        stack[ply + 1] = stack[ply]
        after, seat = stack[ply + 1], viewer(stack[ply])
        share = chances[ply, action] if chances is not None and node.by_chance else 1.0
        apply(after, int(action))
        ended = after.current_player == TERMINAL
        if ended or ply + 1 == depth:
            improve(node, result(after, seat, payoff) if ended else heuristic(after, seat), action, ended, share)
            continue
        same = viewer(after) == seat
        low, high = bounds_after(node, same)
        key, first = np.uint64(0), -1
        if depth - ply > 2:
            key = key_of(bytes_of_stack[ply + 1], salt)
            entry = table[np.int64(key & np.uint64(table.shape[0] - 1))]
            if entry.key == key:
                first = entry.action
                if settles(entry, depth - ply - 1, low, high):
                    improve(node, rising(entry.value, same), action, entry.certain, share)
                    continue
        ply += 1
        if chances is not None and after.current_player == CHANCE:
            open_chance(nodes[ply], list_outcomes(after, moves[ply], chances[ply]), key)
        else:
            open_node(nodes[ply], sort_moves(after, order, history, first, moves[ply], mask), low, high, key)


@njit(inline="always")
def open_node(node: Any, count: int, low: float, high: float, key: Any) -> None:
    """Begin the search of a node whose value matters between `low` and `high`."""
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
    """Begin the search of a node where chance has so many moves: all of them, whatever they bring."""
    open_node(node, count, -math.inf, math.inf, key)
    node.best = 0.0
    node.by_chance = True


@njit(inline="always")
def result(state: Any, seat: int, payoff: NDArray[np.float32]) -> float:
    """What a seat has earned in a finished game."""
    payoff[:] = 0
    returns(state, payoff)
    return np.float64(payoff[seat])


@njit(inline="always")
def bounds_after(node: Any, same: bool) -> tuple[float, float]:
    """Between which bounds the value after a move matters, as the position there has them: a ply nearer to the end."""
    if node.by_chance:
        return -math.inf, math.inf
    low, high = max(node.low, node.best) / DECAY, node.high / DECAY
    return (low, high) if same else (-high, -low)


@njit(inline="always")
def viewer(state: Any) -> int:
    """The seat whose value a position has: the one that moves; the first where chance does."""
    return max(state.current_player, 0)


@njit(inline="always")
def list_outcomes(state: Any, outcomes: NDArray[np.int16], chances: NDArray[np.float64]) -> int:
    """Write what chance may do into `outcomes`, and how likely each is into `chances` [C]; returns how many."""
    chances[:] = 0.0
    chance_outcomes(state, chances)
    count = 0
    for outcome in range(chances.shape[0]):
        if chances[outcome] > 0:
            outcomes[count] = outcome
            count += 1
    return count


@njit(inline="always")
def improve(node: Any, worth: float, action: int, certain: Any, share: float) -> None:
    """Take in what a move has turned out to be worth; one of chance by its share."""
    if node.by_chance:
        node.best += share * worth
    elif worth > node.best:
        node.best = worth
        node.action = action
    node.certain = node.certain and certain


@njit(inline="always")
def rising(value: float, same: bool) -> float:
    """A value as the position a move before has it; the difference is never a minus zero."""
    return value * DECAY if same else 0.0 - value * DECAY


@njit(inline="always")
def hand_up(
    nodes: NDArray[Any],
    stack: NDArray[Any],
    ply: int,
    depth: int,
    moves: NDArray[np.int16],
    chances: Any,
    history: NDArray[np.int64],
) -> None:
    """Give the value of the node at `ply + 1`, which is done, to the one before it."""
    node, child = nodes[ply], nodes[ply + 1]
    seat, action = viewer(stack[ply]), moves[ply, node.cursor - 1]
    share = chances[ply, action] if chances is not None and node.by_chance else 1.0
    improve(node, rising(child.best, viewer(stack[ply + 1]) == seat), action, child.certain, share)
    if not node.by_chance and node.best >= node.high:
        history[seat, node.action] += (depth - ply) ** 2


@njit(inline="always")
def settles(entry: Any, depth: int, low: float, high: float) -> bool:
    """Whether an entry makes it needless to look `depth` plies ahead for a value between these bounds."""
    if entry.depth != depth and not (entry.certain and entry.depth < depth):
        return False
    return (
        entry.bound == EXACT
        or (entry.bound == AT_LEAST and entry.value >= high)
        or (entry.bound == AT_MOST and entry.value <= low)
    )


@njit(inline="always")
def remember(table: NDArray[Any], node: Any, depth: int) -> None:
    """Enter a node that is done into the table; the newest entry of a place stays."""
    entry = table[np.int64(node.key & np.uint64(table.shape[0] - 1))]
    entry.key = node.key
    entry.value = node.best
    entry.action = node.action
    entry.depth = depth
    entry.certain = node.certain
    entry.bound = AT_LEAST if node.best >= node.high else AT_MOST if node.best <= node.low else EXACT


@njit(inline="always")
def sort_moves(
    state: Any,
    order: NDArray[np.int64],
    history: NDArray[np.int64],
    first: int,
    moves: NDArray[np.int16],
    mask: NDArray[np.bool_],
) -> int:
    """Write the legal actions into `moves` [A], those that have cut most first, `first` before them; returns how many.

    The history heuristic: Schaeffer 1989.
    """
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
def sort_by(actions: NDArray[np.int64], worths: NDArray[np.float64]) -> None:
    """Sort actions by their worth [A], the highest first, equal ones as they stand."""
    for i in range(1, actions.shape[0]):
        action, place = actions[i], i
        while place > 0 and worths[actions[place - 1]] < worths[action]:
            actions[place] = actions[place - 1]
            place -= 1
        actions[place] = action


@njit(inline="always")
def key_of(position: NDArray[np.uint8], salt: Any) -> Any:
    """64 bits that stand for a position, given as bytes [S]: eight at a time, each mixed in."""
    key = np.uint64(salt)
    whole = position.shape[0] // 8 * 8
    for at in range(0, whole, 8):
        word = np.uint64(0)
        for i in range(8):
            word |= np.uint64(position[at + i]) << np.uint64(8 * i)
        key = (key ^ word) * np.uint64(0x9FB21C651E98DF25)
        key ^= key >> np.uint64(32)
    for at in range(whole, position.shape[0]):
        key = (key ^ np.uint64(position[at])) * np.uint64(0x9FB21C651E98DF25)
        key ^= key >> np.uint64(32)
    return mix(key)


@njit
def expect(
    line: NDArray[np.int32],
    action: int,
    depth: int,
    table: NDArray[Any],
    stack: NDArray[Any],
    bytes_of_stack: NDArray[np.uint8],
    salt: Any,
) -> None:
    """Write into `line` [L] the action and what the table says of what follows, up to chance or the end; then -1.

    `stack[1]` is scratch.
    """
    line[:] = -1
    stack[1] = stack[0]
    for i in range(min(line.shape[0], depth)):
        line[i] = action
        apply(stack[1], int(action))
        key = key_of(bytes_of_stack[1], salt)
        entry = table[np.int64(key & np.uint64(table.shape[0] - 1))]
        if stack[1].current_player < 0 or entry.key != key:
            break
        action = entry.action
