"""The betting of limit hold'em for two as a tree, without the cards, made by the rules of the game.

Folding where checking costs nothing is left out. N nodes; actions are FOLD, STAY (a call or a check) and RAISE.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.engine import limit_betting
from games.engine.batch import Games, new_games
from games.engine.compiler import kernels
from games.engine.game import Game
from games.engine.holdem import ROUNDS
from games.engine.jit import njit
from games.engine.limit_betting import BIG_BLIND

DECISION, FOLDED, SHOWDOWN = 0, 1, 2
FOLD, STAY, RAISE = 0, 1, 2
NUM_ACTIONS = 3
ACTION_OF = np.zeros(4, np.int64)
"""Action of the tree for each of the game."""
ACTION_OF[[limit_betting.CALL, limit_betting.RAISE, limit_betting.FOLD, limit_betting.CHECK]] = STAY, RAISE, FOLD, STAY


class BettingTree(NamedTuple):
    """Nodes in an order in which each comes after its parent. Players are 0, who paid the small blind, and 1."""

    kind: NDArray[np.int8]
    """DECISION, FOLDED or SHOWDOWN, [N]."""
    player: NDArray[np.int8]
    """Who decides, or who has folded, [N]."""
    round: NDArray[np.int8]
    """Number of rounds that are over, [N]."""
    children: NDArray[np.int32]
    """Nodes that actions lead to, [N, 3]; -1 for an action that is not there."""
    paid: NDArray[np.float32]
    """Big blinds that each player has put in, [N, 2]."""


@njit(inline="always")
def match_regrets_at(children: NDArray[np.int32], regrets: NDArray[Any], out: NDArray[Any], i: int) -> None:
    """Write the probabilities of regret matching into `out` [3, K] for hand i; actions that are not there have 0."""
    total, count = np.float32(0), 0  # single precision, if the regrets [3] have it
    for action in range(NUM_ACTIONS):
        if children[action] >= 0:
            count += 1
            total += max(regrets[action], np.float32(0))
    for action in range(NUM_ACTIONS):
        if children[action] < 0:
            out[action, i] = 0
        elif total > 0:
            out[action, i] = max(regrets[action], np.float32(0)) / total
        else:
            out[action, i] = 1.0 / count


def find_nodes(tree: BettingTree, states: NDArray[Any]) -> NDArray[np.int64]:
    """Return the nodes of positions in which a seat is to move, records [n]."""
    nodes = np.zeros(len(states), np.int64)
    for actions in states["history"].reshape(len(states), -1).T:
        nodes = np.where(actions < 0, nodes, tree.children[nodes, ACTION_OF[actions]])
    return nodes


def last_roots(tree: BettingTree) -> NDArray[np.int64]:
    """Return for each node of the last round the node with which that round begins, 0 for the others: [N]."""
    roots = np.zeros(len(tree.kind), np.int64)
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        in_last = tree.round[node] == ROUNDS - 1
        if in_last and roots[node] == 0:
            roots[node] = node
        if in_last:
            children = tree.children[node]
            roots[children[children >= 0]] = roots[node]
    return roots


def line_to(tree: BettingTree, node: int) -> list[tuple[int, int]]:
    """Return the decisions before a node and the actions taken there."""
    line: list[tuple[int, int]] = []
    while node > 0:
        parent, action = (int(places[0]) for places in np.nonzero(tree.children == node))
        line.append((parent, action))
        node = parent
    return line[::-1]


def betting_tree(game: Game) -> BettingTree:
    """Return the betting of `texas_holdem` for two."""
    level = new_games(game, 1)
    kernels(game).reset(level, np.zeros(1, np.int64), game.chance_scratch())
    levels, children = [level.states], [np.zeros((0, NUM_ACTIONS), np.int32)]
    size = 1  # nodes of all levels so far
    while len(level.states):
        legal = level.mask & ~level.over[:, None]
        legal[:, limit_betting.FOLD] &= ~legal[:, limit_betting.CHECK]
        places, actions = np.nonzero(legal)
        of_level = np.full((len(legal), NUM_ACTIONS), -1, np.int32)
        of_level[places, ACTION_OF[actions]] = size + np.arange(len(places))
        children.append(of_level)
        level = _played(game, level.states[places], actions)
        levels.append(level.states)
        size += len(places)
    states = np.concatenate(levels)
    over, folded = states["current_player"] < 0, states["folded"].any(axis=1)
    blind = states["small_blind"]
    rows = np.arange(len(states))
    paid = np.stack([states["paid"][rows, blind], states["paid"][rows, 1 - blind]], axis=1) / BIG_BLIND
    seat = np.where(folded, states["folded"].argmax(axis=1), states["current_player"])
    return BettingTree(
        kind=np.where(folded, FOLDED, np.where(over, SHOWDOWN, DECISION)).astype(np.int8),
        player=np.where(over & ~folded, 0, seat ^ blind).astype(np.int8),
        round=np.minimum(states["round"], ROUNDS - 1),
        children=np.concatenate(children),
        paid=paid.astype(np.float32),
    )


def _played(game: Game, states: NDArray[Any], actions: NDArray[np.int64]) -> Games:
    """Return the games after an action in each of `states` [n]."""
    games = new_games(game, len(states))
    games.states[:], games.seats[:], games.over[:] = states, states["current_player"], False
    obs = np.empty((len(states), *game.observation_shape), game.observation_dtype)
    rewards = np.empty((len(states), game.num_players), np.float32)
    kernels(game).step(games, np.arange(len(states)), actions, obs, rewards, game.chance_scratch())
    return games
