"""A search over what players know: a template that `games.engine.compiler` turns into machine code for one game.

There is a node for each information state that a seat was seen to decide in, found by its hash; at it the seat chooses
without knowing more. Every simulation begins with a fresh guess at what is hidden from the seat that searches, so that
nothing in the tree depends on it. Choices made at the same time are hidden choices one after the other: each seat has a
node of its own for them, which decouples them; those that are made but not yet played are taken back before the search.

Shapes: N nodes, A actions, P seats, I information state, H = 2^k places of the hash table, D the longest path.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.chance import GAMMA, below, mix
from games.engine.game import TERMINAL
from games.engine.joint import NOT_YET, await_choices
from games.engine.kernels import play_out, settle
from games.engine.rules import (
    NUM_ACTIONS,
    NUM_PLAYERS,
    apply,
    determinize,
    information_state,
    legal_actions,
    observe,
    reseed,
    returns,
)

EDGE = np.dtype(
    [
        ("mean", np.float64),  # result of the seat that chooses, over the simulations that took this action
        ("regret", np.float64),  # how much more it would have earned by always taking it, as sampled
        ("share", np.float64),  # chances that the action was given, summed
        ("visits", np.int32),
        ("legal", np.int32),  # simulations in which it could have been chosen
    ]
)
TREE = np.dtype(
    [
        ("size", np.int64),  # nodes in use
        ("done", np.int64),  # simulations
        ("seed", np.uint64),
        ("scale", np.float64),  # largest result so far, in absolute value: exploration is measured in it
    ]
)
CURIOSITY = 0.1
"""Share of the choices that regret matching makes at random, so that every action goes on being tried."""


@njit(cache=True, nogil=True)
def simulate(
    edges: NDArray[Any],
    keys: NDArray[np.uint64],
    places: NDArray[np.int32],
    tree: NDArray[Any],
    root: NDArray[Any],
    seat: int,
    work: NDArray[Any],
    path: NDArray[Any],
    mask: NDArray[np.bool_],
    payoff: NDArray[np.float32],
    known: Any,
    seen: NDArray[Any],
    chances: Any,
    exploration: float,
    mixes: bool,
    until: int,
    stop: NDArray[np.bool_],
) -> None:
    """Simulate from `root` [1], for `seat`, until `until` simulations are done or `stop` [1] is set, at least once.

    Where `mixes` is set, seats choose by regret matching, else by upper confidence bounds. The statistics of node n
    stand in `edges` [N, A], node 0 being that of `seat` at the root. Information states are kept as `keys` [H] (0:
    free) with their nodes `places` [H]; when all nodes are in use no more are added. Scratch: `work` [1], `path`
    records [D] of `STEP`, `mask` [A], `payoff` [P], `known` [I] (None in a game without information states: its seats
    know what they see and forget what they saw), `seen` [O], `chances` [C] or None.
    """
    head = tree[0]
    for place in range(keys.shape[0]):
        keys[place] = 0
    if known is not None:  # known when compiling
        information_state(root[0], seat, known)
        find(edges, keys, places, head, key_of(known, seat, 0))
    else:
        observe(root[0], seat, seen)
        find(edges, keys, places, head, key_of(seen, seat, 0))
    while head.done < until and not (stop[0] and head.done > 0):
        stream = mix(head.seed + np.uint64(head.done) * GAMMA)
        work[0] = root[0]
        reseed(work[0], stream)
        determinize(work[0], seat)
        depth, bits = 0, ~stream
        new = False
        while work[0].current_player != TERMINAL and not new and depth < path.shape[0]:
            mover = work[0].current_player
            if known is not None:
                information_state(work[0], mover, known)
                key = key_of(known, mover, 0)
            else:
                observe(work[0], mover, seen)
                key = key_of(seen, mover, decisions(path, depth, mover))
            node, new = find(edges, keys, places, head, key)
            if node < 0:
                break
            mask[:] = False
            legal_actions(work[0], mask)
            bits = mix(bits + GAMMA)
            step = path[depth]
            step.node, step.seat = node, mover
            if mixes:
                step.action, step.chance = match_regrets(edges[node], mask, bits)
            else:
                step.action, step.chance = bounded(edges[node], mask, bits, exploration * head.scale), 1.0
            apply(work[0], int(step.action))
            settle(work[0], chances)
            depth += 1
        play_out(work[0], mask, chances, mix(stream + GAMMA))
        payoff[:] = 0
        returns(work[0], payoff)
        back_up(edges, head, path, depth, payoff, mixes)
        head.done += 1


STEP = np.dtype([("node", np.int32), ("seat", np.int32), ("action", np.int32), ("chance", np.float64)])
"""A decision of a simulation: where, whose, which, and how likely that was."""


@njit(cache=True, nogil=True)
def reopen(root: NDArray[Any]) -> None:
    """Take back what others have chosen but not yet played, so that they choose anew, in a simultaneous game."""
    for seat in range(NUM_PLAYERS):
        if root[0].chosen[seat] >= 0:
            root[0].chosen[seat] = NOT_YET
    await_choices(root[0])


@njit(inline="always")
def decisions(path: NDArray[Any], depth: int, seat: int) -> int:
    """How many of the first `depth` steps are those of `seat`."""
    count = 0
    for i in range(depth):
        count += path[i].seat == seat
    return count


@njit(inline="always")
def key_of(known: NDArray[Any], seat: int, turn: int) -> Any:
    """64 bits that stand for what a seat knows in one of its turns; never 0."""
    key = mix(np.uint64(seat + 1) * GAMMA + np.uint64(turn))
    for entry in known.flat:
        key = (key ^ np.uint64(entry)) * np.uint64(0x9FB21C651E98DF25)
        key ^= key >> np.uint64(32)
    return mix(key) | np.uint64(1)


@njit(inline="always")
def find(
    edges: NDArray[Any], keys: NDArray[np.uint64], places: NDArray[np.int32], head: Any, key: Any
) -> tuple[int, bool]:
    """The node of a key, and whether it is new; -1 if there is no room for another one."""
    last = np.uint64(keys.shape[0] - 1)
    at = (key >> np.uint64(1)) & last
    while keys[at] != 0 and keys[at] != key:
        at = (at + np.uint64(1)) & last
    if keys[at] == key:
        return places[at], False
    if head.size == edges.shape[0]:
        return -1, False
    node = head.size
    keys[at] = key
    places[at] = node
    head.size += 1
    for action in range(NUM_ACTIONS):
        edge = edges[node, action]
        edge.mean = edge.regret = edge.share = 0.0
        edge.visits = edge.legal = 0
    return node, True


@njit(inline="always")
def bounded(edges: NDArray[Any], mask: NDArray[np.bool_], bits: Any, exploration: float) -> int:
    """A legal action never taken before, at random, else the one of the highest upper confidence bound.

    The bound knows how often an action could have been taken, which differs from guess to guess (Cowling, Powley,
    Whitehouse, "Information Set Monte Carlo Tree Search", 2012).
    """
    untried, chosen, best, highest = 0, 0, 0, -math.inf
    for action in range(NUM_ACTIONS):
        if not mask[action]:
            continue
        edge = edges[action]
        edge.legal += 1
        if edge.visits == 0:
            untried += 1
            bits = mix(bits + GAMMA)
            if below(bits, untried) == 0:
                chosen = action
        elif untried == 0:
            bound = edge.mean + exploration * math.sqrt(math.log(edge.legal) / edge.visits)
            if bound > highest:
                best, highest = action, bound
    return chosen if untried > 0 else best


@njit(inline="always")
def match_regrets(edges: NDArray[Any], mask: NDArray[np.bool_], bits: Any) -> tuple[int, float]:
    """Draw a legal action in proportion to what is regretted of it, now and then any; returns its chance as well.

    Regret matching (Hart and Mas-Colell 2000) at each seat's own node, as in simultaneous-move search (Lisy, Kovarik,
    Lanctot, Bosansky, "Convergence of Monte Carlo Tree Search in Simultaneous Move Games", 2013).
    """
    total, count = 0.0, 0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            count += 1
            total += max(edges[action].regret, 0.0)
    uniform = np.float64(bits >> np.uint64(11)) * 2.0**-53
    chosen, likely = 0, 1.0
    for action in range(NUM_ACTIONS):
        if mask[action]:
            edge = edges[action]
            share = max(edge.regret, 0.0) / total if total > 0 else 1.0 / count
            edge.share += share
            edge.legal += 1
            chance = (1 - CURIOSITY) * share + CURIOSITY / count
            if uniform >= 0:
                chosen, likely = action, chance
            uniform -= chance
    return chosen, likely


@njit(inline="always")
def back_up(
    edges: NDArray[Any], head: Any, path: NDArray[Any], depth: int, payoff: NDArray[np.float32], mixes: bool
) -> None:
    """Add a result to all decisions of a simulation, each for the seat that took it."""
    for seat in range(NUM_PLAYERS):
        head.scale = max(head.scale, abs(payoff[seat]))
    for i in range(depth):
        step = path[i]
        earned = np.float64(payoff[step.seat])
        if mixes:
            regret(edges[step.node], step.action, step.chance, earned)
        edge = edges[step.node, step.action]
        edge.visits += 1
        edge.mean += (earned - edge.mean) / edge.visits


@njit(inline="always")
def regret(edges: NDArray[Any], chosen: int, chance: float, earned: float) -> None:
    """Add to the regret of each action what it would have earned more than the strategy, both as sampled.

    Where an action was taken by `chance`, that is its mean so far plus the difference / chance, else its mean: unbiased
    as without the means, but steadier (Schmid et al., "Variance Reduction in Monte Carlo CFR", 2019).
    """
    total, count = 0.0, 0
    for action in range(NUM_ACTIONS):
        if edges[action].legal > 0:
            total += max(edges[action].regret, 0.0)
            count += 1
    surprise = (earned - edges[chosen].mean) / chance
    expected = 0.0
    for action in range(NUM_ACTIONS):
        if edges[action].legal > 0:
            share = max(edges[action].regret, 0.0) / total if total > 0 else 1.0 / count
            expected += share * (edges[action].mean + (surprise if action == chosen else 0.0))
    for action in range(NUM_ACTIONS):
        edges[action].regret += edges[action].mean - expected
    edges[chosen].regret += surprise
