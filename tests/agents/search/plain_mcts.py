"""Textbook Monte Carlo tree search, with objects and recursion, and with the same random numbers."""

import math

import numpy as np
import pytest

from games.engine.compiler import instantiate
from games.engine.game import CHANCE, TERMINAL

GAMMA = 0x9E3779B97F4A7C15


def mix(z):
    """splitmix64's 64 bits from a counter."""
    z %= 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


class Node:
    def __init__(self, action):
        self.action = action
        self.children = []
        self.results = []  # of the seat that chose this node
        self.mean = 0.0
        self.visits = 0
        self.proven = None
        self.seat = None


class PlainMCTS:
    def __init__(self, game, exploration, seed):
        self.game, self.exploration, self.seed = game, exploration, seed
        self.rules = instantiate("tests.agents.search.one_position", game)
        self.scale = 0.0
        self.proves = game.num_players == 2 and game.zero_sum and not game.has_chance

    def search(self, state, simulations):
        root = Node(None)
        for number in range(simulations):
            if root.proven is not None:
                break
            self.stream = mix(self.seed + number * GAMMA)
            position = state.reshape(1).copy()
            self.rules.begin_stream(position, np.uint64(self.stream))
            root.seat = int(position[0]["current_player"])
            self.simulate(root, position, is_root=True, chooser=root.seat)
        return root

    def simulate(self, node, position, is_root, chooser):
        """Results of all seats."""
        node.seat = int(position[0]["current_player"])
        if node.proven is not None:
            results = self.proven_results(node, chooser)
        elif node.seat == TERMINAL or (node.visits == 0 and not is_root):
            results = self.rollout(position)
            if self.proves and node.seat == TERMINAL:
                node.proven = results[chooser]
        else:
            if not node.children:
                node.children = self.expand(position)
            child = self.chosen(node, position)
            self.rules.play(position, child.action)
            results = self.simulate(child, position, False, node.seat)
            if child.proven is not None and self.settled(node, chooser):
                results = self.proven_results(node, chooser)
        node.visits += 1
        if not is_root and chooser >= 0:
            node.mean += (results[chooser] - node.mean) / node.visits
            if node.proven is not None:
                node.mean = node.proven
        return results

    def proven_results(self, node, chooser):
        return {chooser: node.proven, 1 - chooser: -node.proven}

    def settled(self, node, chooser):
        known = [child.proven for child in node.children if child.proven is not None]
        if len(known) == len(node.children) or max(known) >= 1:
            node.proven = max(known) if chooser == node.seat else -max(known)
        return node.proven is not None

    def expand(self, position):
        if position[0]["current_player"] == CHANCE:
            return [Node(outcome) for outcome in range(self.game.num_outcomes)]
        mask = np.zeros(self.game.num_actions, np.bool_)
        self.rules.legal(position, mask)
        order, bits = [], self.stream ^ (2**64 - 1)
        for action in np.flatnonzero(mask).tolist():
            bits = mix(bits + GAMMA)
            place = (bits >> 32) * (len(order) + 1) >> 32
            order.append(action)
            order[place], order[-1] = order[-1], order[place]
        return [Node(action) for action in order]

    def chosen(self, node, position):
        if node.seat == CHANCE:
            return node.children[self.rules.outcome(position, self.game.chance_scratch())]
        for child in node.children:
            if child.visits == 0:
                return child
        return max(node.children, key=lambda child: self.bound(node, child))

    def bound(self, node, child):
        if child.proven is not None:
            return child.proven
        exploration = math.sqrt(math.log(node.visits)) * (1 / math.sqrt(child.visits))
        return child.mean + self.exploration * self.scale * exploration

    def rollout(self, position):
        payoff = np.zeros(self.game.num_players, np.float32)
        mask = np.zeros(self.game.num_actions, np.bool_)
        seed = np.uint64(mix(self.stream + GAMMA))
        self.rules.finish(position, mask, self.game.chance_scratch(), seed, payoff)
        self.scale = max([self.scale, *np.abs(payoff).tolist()])
        return payoff.tolist()


class FirstSeed:
    """A random stream of one number."""

    def integers(self, *_, **__):
        return np.uint64(77)


def assert_same(nodes, place, plain, also=lambda node, plain: None):
    """A tree of nodes is the plain one below a place; `also` compares what searches of one kind have besides."""
    node = nodes[place]
    assert node["visits"] == plain.visits
    if plain.visits and place:
        assert node["mean"] == pytest.approx(plain.mean, abs=1e-9)
        assert (plain.proven is None) == math.isnan(node["proven_value"])
        assert plain.proven is None or plain.proven == node["proven_value"]
    if place:
        also(node, plain)
    assert node["num_children"] == len(plain.children)
    for i, child in enumerate(plain.children):
        assert nodes[node["first_child"] + i]["action"] == child.action
        assert_same(nodes, node["first_child"] + i, child, also)
