"""Search with rapid action value estimates, with objects and recursion, and with the same random numbers."""

import numpy as np

from games.engine.game import TERMINAL
from tests.agents.search.plain_mcts import GAMMA, Node, PlainMCTS, mix

EVEN, EQUIVALENCE = 10, 3500


class RaveNode(Node):
    def __init__(self, action):
        super().__init__(action)
        self.amaf_mean, self.amaf_visits = 0.0, float(EVEN)  # of simulations in which the action was played later


class PlainRave(PlainMCTS):
    """For games whose `prior` knows nothing."""

    def __init__(self, game, seed):
        super().__init__(game, 0.0, seed)

    def simulate(self, node, position, is_root, chooser):
        results, _ = self.simulated(node, position, is_root, chooser)
        return results

    def simulated(self, node, position, is_root, chooser):
        """Results of all seats, and the moves from here on, as pairs of a seat and an action."""
        node.seat = int(position[0]["current_player"])
        line = []
        if node.proven is not None:
            results = self.proven_results(node, chooser)
        elif node.seat == TERMINAL or (node.visits == 0 and not is_root):
            results, line = self.played_out(position)
            if node.seat == TERMINAL:
                node.proven = results[chooser]
        else:
            if not node.children:
                node.children = self.expand(position)
            child = max(node.children, key=self.estimate)
            self.rules.play(position, child.action)
            results, line = self.simulated(child, position, False, node.seat)
            line = [(node.seat, child.action), *line]
            for other in node.children:
                if next((seat for seat, action in line if action == other.action), None) == node.seat:
                    other.amaf_visits += 1
                    other.amaf_mean += (results[node.seat] - other.amaf_mean) / other.amaf_visits
            if child.proven is not None and self.settled(node, chooser):
                results = self.proven_results(node, chooser)
        node.visits += 1
        if not is_root:
            node.mean += (results[chooser] - node.mean) / node.visits
            if node.proven is not None:
                node.mean = node.proven
        return results, line

    def expand(self, position):
        mask = np.zeros(self.game.num_actions, np.bool_)
        self.rules.legal(position, mask)
        start = (mix(self.stream ^ (2**64 - 1)) >> 32) * len(mask) >> 32
        order = [*range(start, len(mask)), *range(start)]
        return [RaveNode(action) for action in order if mask[action]]

    def estimate(self, child):
        if child.proven is not None:
            return child.proven
        visits, amaf = child.visits + EVEN, child.amaf_visits
        own = child.mean * child.visits / visits
        weight = amaf / (amaf + visits + amaf * visits / EQUIVALENCE)
        return own + weight * (child.amaf_mean - own)

    def played_out(self, position):
        line, number = [], mix(self.stream + GAMMA)
        mask = np.zeros(self.game.num_actions, np.bool_)
        while position[0]["current_player"] != TERMINAL:
            number = (number + GAMMA) % 2**64
            action = self.rules.playout_choice(position, mask, np.uint64(mix(number)))
            line.append((int(position[0]["current_player"]), action))
            self.rules.play(position, action)
        payoff = np.zeros(2, np.float32)
        self.rules.earned(position, payoff)
        return payoff.tolist(), line
