"""Information set tree search: a template that `games.engine.compiler` turns into machine code for one game.

The tree has a node for each information state in which a seat has decided, found by its hash. Every simulation begins
with a new determinization for the searching seat, so that nothing in the tree depends on hidden information.
Simultaneous choices are treated as hidden choices one after the other. Each seat has its own node for them, which
decouples the choices. Choices already made but not yet revealed are taken back before the search.

Shapes: N nodes, A actions, P seats, I information state, H = 2^k slots of the hash table, D the longest path.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.budget import LONGEST_PATH
from agents.search.deadline import passed
from agents.search.nodes import TREE, SearchLimits
from games.engine.chance import GAMMA, below, mix
from games.engine.entries import unowned
from games.engine.game import TERMINAL, Game
from games.engine.jit import njit
from games.engine.joint import NOT_YET, await_choices
from games.engine.moves import play_out, settle
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
        ("mean", np.float64),  # mean result of the seat that chooses it
        ("regret", np.float64),  # sampled regret: gain of always taking it over the strategy
        ("share", np.float64),  # sum of the probabilities given to the action
        ("visits", np.int32),
        ("legal", np.int32),  # simulations in which it was legal
    ]
)
UNIFORM_SHARE = 0.1
"""Share of uniformly random choices in regret matching, so that every action continues to be sampled."""


STEP = np.dtype([("node", np.int32), ("seat", np.int32), ("action", np.int32), ("chance", np.float64)])
"""One decision of a simulation: its node, seat and action, and the probability of that action."""


class Tree(NamedTuple):
    """The nodes of a search; when all are in use, no more are added."""

    head: NDArray[Any]
    """Its counts, record `TREE` [1]."""
    edges: NDArray[Any]
    """Statistics of the actions at node n in row n, records `EDGE` [N, A]; node 0 is that of the root."""
    keys: NDArray[np.uint64]
    """Hash table: the information states, [H]; 0 where a slot is free."""
    places: NDArray[np.int32]
    """Their nodes, [H]."""


class InformationScratch(NamedTuple):
    """The arrays that simulations work in."""

    work: NDArray[Any]
    """The position, record [1]."""
    path: NDArray[Any]
    """The decisions on the way, records `STEP` [D]."""
    mask: NDArray[np.bool_]
    """Legal actions, [A]."""
    payoff: NDArray[np.float32]
    """Payoff of each seat, [P]."""
    observation: NDArray[Any]
    """What the mover sees, [O]."""


def new_tree(game: Game, nodes: int) -> Tree:
    """Return an empty tree of at most so many nodes."""
    slots = 1 << (2 * nodes - 1).bit_length()
    edges = np.empty((nodes, game.num_actions), EDGE)
    return Tree(np.zeros(1, TREE), edges, np.empty(slots, np.uint64), np.empty(slots, np.int32))


def new_scratch(game: Game) -> InformationScratch:
    """Return the scratch of simulations."""
    return InformationScratch(
        work=np.empty(1, game.state_dtype),
        path=np.empty(min(game.max_length, LONGEST_PATH), STEP),
        mask=np.empty(game.num_actions, np.bool_),
        payoff=np.empty(game.num_players, np.float32),
        observation=np.empty(game.observation_shape, game.observation_dtype),
    )


@njit(cache=True, nogil=True)
def simulate(
    tree: Tree,
    root: NDArray[Any],
    seat: int,
    scratch: InformationScratch,
    information: Any,
    chances: Any,
    mixes: bool,
    limits: SearchLimits,
) -> None:
    """Simulate from `root` [1] for `seat` until as many simulations are done as `limits` say, at least once.

    If `mixes` is set, seats choose by regret matching, otherwise by upper confidence bounds. `information` [I] is
    scratch, None in a game without information states: its seats know only their current observation. So is
    `chances` [C], None in a game without chance.
    """
    tree, scratch = unowned(tree), unowned(scratch)
    keys, head = tree.keys, tree.head[0]
    work, mask, payoff = scratch.work, scratch.mask, scratch.payoff
    until, deadline = limits.simulations, limits.deadline
    for place in range(keys.shape[0]):
        keys[place] = 0
    look_up(tree, head, root[0], seat, scratch, 0, information)
    while head.done < until and not (passed(deadline) and head.done > 0):
        stream = mix(head.seed + np.uint64(head.done) * GAMMA)
        work[0] = root[0]
        reseed(work[0], stream)
        determinize(work[0], seat)
        depth = descend(tree, scratch, information, chances, mixes, limits.exploration, ~stream)
        play_out(work[0], mask, chances, mix(stream + GAMMA))
        payoff[:] = 0
        returns(work[0], payoff)
        back_up(tree.edges, head, scratch.path, depth, payoff, mixes)
        head.done += 1


@njit(inline="always")
def descend(
    tree: Tree, scratch: InformationScratch, information: Any, chances: Any, mixes: bool, exploration: float, bits: Any
) -> int:
    """Play `scratch.work` by the tree until a node is new; write the decisions to the path and return their number."""
    work, path, mask, head = scratch.work, scratch.path, scratch.mask, tree.head[0]
    depth, new = 0, False
    while work[0].current_player != TERMINAL and not new and depth < path.shape[0]:
        mover = work[0].current_player
        node, new = look_up(tree, head, work[0], mover, scratch, depth, information)
        if node < 0:
            break
        mask[:] = False
        legal_actions(work[0], mask)
        bits = mix(bits + GAMMA)
        step = path[depth]
        step.node, step.seat = node, mover
        if mixes:
            step.action, step.chance = match_regrets(tree.edges[node], mask, bits)
        else:
            step.action, step.chance = select_ucb(tree.edges[node], mask, bits, exploration * head.scale), 1.0
        apply(work[0], int(step.action))
        settle(work[0], chances)
        depth += 1
    return depth


@njit(cache=True, nogil=True)
def reopen(root: NDArray[Any]) -> None:
    """Take back the choices of a simultaneous game that are not yet revealed, so that the search makes them again."""
    for seat in range(NUM_PLAYERS):
        if root[0].chosen[seat] >= 0:
            root[0].chosen[seat] = NOT_YET
    await_choices(root[0])


@njit(inline="always")
def look_up(
    tree: Tree, head: Any, state: Any, seat: int, scratch: InformationScratch, depth: int, information: Any
) -> tuple[int, bool]:
    """Return the node of what `seat` knows in `state` after the first `depth` steps of the path; see `find`."""
    if information is not None:  # decided at compile time
        information_state(state, seat, information)
        key = key_of(information, seat, 0)
    else:
        observe(state, seat, scratch.observation)
        key = key_of(scratch.observation, seat, decisions(scratch.path, depth, seat))
    return find(tree, head, key)


@njit(inline="always")
def decisions(path: NDArray[Any], depth: int, seat: int) -> int:
    """Count the decisions of `seat` among the first `depth` steps."""
    count = 0
    for i in range(depth):
        count += path[i].seat == seat
    return count


@njit(inline="always")
def key_of(information: NDArray[Any], seat: int, turn: int) -> Any:
    """Return a 64-bit hash of a seat's information in its decision number `turn`; never 0."""
    key = mix(np.uint64(seat + 1) * GAMMA + np.uint64(turn))
    for entry in information.flat:
        key = (key ^ np.uint64(entry)) * np.uint64(0x9FB21C651E98DF25)
        key ^= key >> np.uint64(32)
    return mix(key) | np.uint64(1)


@njit(inline="always")
def find(tree: Tree, head: Any, key: Any) -> tuple[int, bool]:
    """Return the node of a key, and whether it is new; -1 if a new node does not fit."""
    edges, keys, places = tree.edges, tree.keys, tree.places
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
def select_ucb(edges: NDArray[Any], mask: NDArray[np.bool_], bits: Any, exploration: float) -> int:
    """Choose a random legal action without visits or, if there is none, the one of the highest upper confidence bound.

    The bound counts how often an action was available, which differs between determinizations (Cowling, Powley,
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
    """Draw a legal action by regret matching, mixed with uniform choice; return the action and its probability.

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
            chance = (1 - UNIFORM_SHARE) * share + UNIFORM_SHARE / count
            if uniform >= 0:
                chosen, likely = action, chance
            uniform -= chance
    return chosen, likely


@njit(inline="always")
def back_up(
    edges: NDArray[Any], head: Any, path: NDArray[Any], depth: int, payoff: NDArray[np.float32], mixes: bool
) -> None:
    """Add a result to all decisions of a simulation, each from the view of its seat."""
    for seat in range(NUM_PLAYERS):
        head.scale = max(head.scale, abs(payoff[seat]))
    for i in range(depth):
        step = path[i]
        result = np.float64(payoff[step.seat])
        if mixes:
            regret(edges[step.node], step.action, step.chance, result)
        edge = edges[step.node, step.action]
        edge.visits += 1
        edge.mean += (result - edge.mean) / edge.visits


@njit(inline="always")
def regret(edges: NDArray[Any], chosen: int, chance: float, result: float) -> None:
    """Add to each action's regret the sampled difference between its value and that of the strategy.

    The sampled value of the chosen action is its mean plus (payoff - mean) / `chance`; of any other action it is the
    mean. Using the means as a baseline is unbiased and lowers the variance (Schmid et al., "Variance Reduction in Monte
    Carlo CFR", 2019).
    """
    total, count = 0.0, 0
    for action in range(NUM_ACTIONS):
        if edges[action].legal > 0:
            total += max(edges[action].regret, 0.0)
            count += 1
    surprise = (result - edges[chosen].mean) / chance
    expected = 0.0
    for action in range(NUM_ACTIONS):
        if edges[action].legal > 0:
            share = max(edges[action].regret, 0.0) / total if total > 0 else 1.0 / count
            expected += share * (edges[action].mean + (surprise if action == chosen else 0.0))
    for action in range(NUM_ACTIONS):
        edges[action].regret += edges[action].mean - expected
    edges[chosen].regret += surprise
