"""What strategies are worth, what the best answers to them earn, and so how far they are from an equilibrium.

NashConv is what the seats could gain, each by its own best change, summed over the seats; exploitability is NashConv
divided by the number of seats (M. Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement
Learning", 2017, arXiv 1711.00832). Both are 0 in an equilibrium and only there, and in units of the game's payoffs.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from arena.equilibrium.tree import Floats, GameTree, SequenceForm


@dataclass(frozen=True)
class Exploitability:
    """How a strategy stands against the best answers to it. P seats."""

    values: Floats
    """[P], what each seat earns when all play the strategy."""
    best_responses: Floats
    """[P], what each would earn by its best answer to the others."""

    @property
    def nash_conv(self) -> float:
        """What the seats could gain, summed."""
        return float(
            np.maximum(self.best_responses - self.values, 0.0).sum()
        )  # rounding makes a hair's loss of nothing

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of seats."""
        return self.nash_conv / len(self.values)


def exploitability(tree: GameTree, strategy: Floats) -> Exploitability:
    """The values of a strategy [Q] and of the best answers to it."""
    players, plan = tree.game.num_players, np.empty(tree.num_sequences)
    realize(tree.form, strategy, plan)
    values, best, answer = np.empty(players), np.empty(players), np.empty(tree.num_sequences)
    for seat in range(players):
        values[seat] = earn(tree.form, seat, plan)
        best[seat] = respond(tree.form, seat, plan, answer)
    return Exploitability(values, best)


def best_response(tree: GameTree, strategy: Floats, seat: int) -> tuple[float, Floats]:
    """What `seat` earns by its best answer to the others' `strategy` [Q], and that answer, in the others' place."""
    plan, answer = np.empty(tree.num_sequences), strategy.copy()
    realize(tree.form, strategy, plan)
    return float(respond(tree.form, seat, plan, answer)), answer


@njit(cache=True, nogil=True)
def realize(form: SequenceForm, strategy: Floats, plan: Floats) -> None:
    """Write into `plan` [Q] how likely each seat does its part for each of its sequences."""
    for seat in range(form.first_state.shape[0] - 1):
        plan[seat] = 1.0
    for state in range(form.parent.shape[0]):
        reach = plan[form.parent[state]]
        for q in range(form.first_sequence[state], form.first_sequence[state + 1]):
            plan[q] = reach * strategy[q]


@njit(inline="always")
def immediate(form: SequenceForm, q: int, plan: Floats) -> float:
    """What the ends bring that are reached by sequence `q` and no longer one, against the others' `plan`."""
    total = 0.0
    if form.others.shape[1] == 1:  # two seats: one product, which is twice as fast as a loop of one
        for e in range(form.first_payoff[q], form.first_payoff[q + 1]):
            total += form.payoff[e] * plan[form.others[e, 0]]
        return total
    for e in range(form.first_payoff[q], form.first_payoff[q + 1]):
        worth = form.payoff[e]
        for j in range(form.others.shape[1]):
            worth *= plan[form.others[e, j]]
        total += worth
    return total


@njit(cache=True, nogil=True)
def earn(form: SequenceForm, seat: int, plan: Floats) -> float:
    """What `seat` earns where everybody follows `plan`."""
    total = immediate(form, seat, plan)
    first, last = form.first_state[seat], form.first_state[seat + 1]
    for q in range(form.first_sequence[first], form.first_sequence[last]):
        total += plan[q] * immediate(form, q, plan)
    return total


@njit(cache=True, nogil=True)
def respond(form: SequenceForm, seat: int, plan: Floats, answer: Floats) -> float:
    """What `seat` earns by its best answer to the others' `plan`, which is written into `answer` [Q]."""
    first, last = form.first_state[seat], form.first_state[seat + 1]
    worth = np.zeros(plan.shape[0])
    for state in range(last - 1, first - 1, -1):
        best, begin, end = -1, form.first_sequence[state], form.first_sequence[state + 1]
        for q in range(begin, end):
            worth[q] += immediate(form, q, plan)
            answer[q] = 0.0
            if best < 0 or worth[q] > worth[best]:
                best = q
        answer[best] = 1.0
        worth[form.parent[state]] += worth[best]
    return worth[seat] + immediate(form, seat, plan)
