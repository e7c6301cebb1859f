"""Values of strategies, best responses to them, and their distance from an equilibrium.

NashConv is the sum over the seats of what each gains by its best response; exploitability is NashConv divided by the
number of seats (M. Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning", 2017,
arXiv 1711.00832). Both are 0 in an equilibrium and only there, and in units of the game's payoffs.
"""

from dataclasses import dataclass

import numpy as np

from arena.analysis.tree import Floats, GameTree, SequenceForm
from games.engine.jit import njit


@dataclass(frozen=True)
class Exploitability:
    """Values of a strategy and of the best responses to it. P seats."""

    values: Floats
    """[P], expected return of each seat when all play the strategy."""
    best_responses: Floats
    """[P], expected return of each seat that plays its best response to the others."""

    @property
    def nash_conv(self) -> float:
        """Sum of the gains of all seats by their best responses."""
        return float(np.maximum(self.best_responses - self.values, 0.0).sum())  # rounding can make a zero gain negative

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of seats."""
        return self.nash_conv / len(self.values)


def exploitability(tree: GameTree, strategy: Floats) -> Exploitability:
    """Return the values of a strategy [Q] and of the best responses to it."""
    players, plan = tree.game.num_players, np.empty(tree.num_sequences)
    realize(tree.form, strategy, plan)
    values, best, answer = np.empty(players), np.empty(players), np.empty(tree.num_sequences)
    for seat in range(players):
        values[seat] = earn(tree.form, seat, plan)
        best[seat] = respond(tree.form, seat, plan, answer)
    return Exploitability(values, best)


def best_response(tree: GameTree, strategy: Floats, seat: int) -> tuple[float, Floats]:
    """Return the value of `seat`'s best response to `strategy` [Q], and `strategy` with that response in it [Q]."""
    plan, answer = np.empty(tree.num_sequences), strategy.copy()
    realize(tree.form, strategy, plan)
    return float(respond(tree.form, seat, plan, answer)), answer


@njit(cache=True, nogil=True)
def realize(form: SequenceForm, strategy: Floats, plan: Floats) -> None:
    """Write into `plan` [Q] the realization plan: the probability that a seat plays all of each of its sequences."""
    for seat in range(form.first_state.shape[0] - 1):
        plan[seat] = 1.0
    for state in range(form.parent.shape[0]):
        reach = plan[form.parent[state]]
        for q in range(form.first_sequence[state], form.first_sequence[state + 1]):
            plan[q] = reach * strategy[q]


@njit(inline="always")
def immediate(form: SequenceForm, q: int, plan: Floats) -> float:
    """Return the expected payoff at ends whose last sequence of its seat is `q`, against the others' `plan` [Q]."""
    total = 0.0
    if form.others.shape[1] == 1:  # two seats: a plain product, twice as fast as the loop below
        for e in range(form.first_payoff[q], form.first_payoff[q + 1]):
            total += form.payoff[e] * plan[form.others[e, 0]]
        return total
    for e in range(form.first_payoff[q], form.first_payoff[q + 1]):
        value = form.payoff[e]
        for j in range(form.others.shape[1]):
            value *= plan[form.others[e, j]]
        total += value
    return total


@njit(cache=True, nogil=True)
def earn(form: SequenceForm, seat: int, plan: Floats) -> float:
    """Return the expected payoff of `seat` when all follow `plan` [Q]."""
    total = immediate(form, seat, plan)
    first, last = form.first_state[seat], form.first_state[seat + 1]
    for q in range(form.first_sequence[first], form.first_sequence[last]):
        total += plan[q] * immediate(form, q, plan)
    return total


@njit(cache=True, nogil=True)
def respond(form: SequenceForm, seat: int, plan: Floats, answer: Floats) -> float:
    """Return the value of `seat`'s best response to the others' `plan` [Q]; write the response into `answer` [Q]."""
    first, last = form.first_state[seat], form.first_state[seat + 1]
    values = np.zeros(plan.shape[0])
    for state in range(last - 1, first - 1, -1):  # later states of a seat have higher numbers: leaves first
        best, begin, end = -1, form.first_sequence[state], form.first_sequence[state + 1]
        for q in range(begin, end):
            values[q] += immediate(form, q, plan)
            answer[q] = 0.0
            if best < 0 or values[q] > values[best]:
                best = q
        answer[best] = 1.0
        values[form.parent[state]] += values[best]
    return values[seat] + immediate(form, seat, plan)
