"""A game written out once: its nodes, and for every seat the tree of its own decisions (the sequence form).

A sequence is what one seat has done on the way to a point of the game; there is one for each action of each of its
information states, and the empty one. A seat with perfect recall plays by them: how likely it does its part for an end
to be reached is one number for each sequence, and what everybody earns is a sum over the ends of products of these
numbers (B. von Stengel, "Efficient computation of behavior strategies", 1996). All that is computed here of whole trees
runs over these sums and not over nodes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from arena.equilibrium import walk
from arena.equilibrium.size import guess_size
from arena.errors import UsageError
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL, Game

MOST_POSITIONS = 2_000_000
"""How many nodes a tree may have unless somebody says otherwise; they take up to a minute and a gigabyte."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TooLargeError(UsageError):
    """A game has more positions than may be written out."""


class SequenceForm(NamedTuple):
    """What compiled code reads of a tree. P seats, S information states, Q sequences, E payoffs.

    The information states of a seat follow each other, each above those in which the seat was before it. Sequences
    0 .. P - 1 are the empty ones of the seats, then come those of each information state in turn.
    """

    first_state: Ints
    """[P + 1], seat i has the information states `first_state[i]` .. `first_state[i + 1] - 1`."""
    first_sequence: Ints
    """[S + 1], state s has the sequences `first_sequence[s]` .. `first_sequence[s + 1] - 1`, one for each action."""
    parent: NDArray[np.int32]
    """[S], the sequence of the same seat that leads to a state."""
    first_payoff: Ints
    """[Q + 1], sequence q has the payoffs `first_payoff[q]` .. `first_payoff[q + 1] - 1`."""
    others: NDArray[np.int32]
    """[E, P - 1], the sequences of all other seats with which a payoff is reached."""
    payoff: Floats
    """[E], what the sequence's seat earns there, times how likely chance does its part."""


@dataclass(frozen=True, eq=False)
class GameTree:
    """A game's tree. N nodes, Z of them ends, S information states, Q sequences, P seats, A actions.

    A strategy (of all seats) is a float array [Q]: how likely each action is in its information state; what it says of
    the empty sequences does not matter.
    """

    game: Game
    nodes: NDArray[Any]
    """[N] records of `arena.equilibrium.walk.NODE`; node 0 is the root, children have higher numbers."""
    payoffs: Floats
    """[Z, P], what each seat earns at each end."""
    known: NDArray[Any]
    """[S, I], what the seat knows in each information state; I = 0 where nothing is ever hidden."""
    seats: Ints
    """[S], whose information state it is."""
    form: SequenceForm

    @property
    def num_states(self) -> int:
        """How many information states there are, S."""
        return len(self.seats)

    @property
    def num_sequences(self) -> int:
        """How many sequences there are, Q."""
        return int(self.form.first_sequence[-1])

    @cached_property
    def state_of(self) -> Ints:
        """The information state of each sequence, [Q]; -1 for empty ones."""
        empty = np.full(self.game.num_players, -1)
        return np.concatenate([empty, np.repeat(np.arange(self.num_states), np.diff(self.form.first_sequence))])

    @cached_property
    def seat_of(self) -> Ints:
        """The seat of each sequence, [Q]."""
        return np.where(self.state_of < 0, np.arange(self.num_sequences), self.seats[self.state_of])

    @cached_property
    def example(self) -> Ints:
        """A node of each information state, [S]."""
        decisions = np.flatnonzero(self.nodes["seat"] >= 0)
        first = np.empty(self.num_states, np.int64)
        first[self.nodes["index"][decisions[::-1]]] = decisions[::-1]
        return first

    @cached_property
    def actions(self) -> Ints:
        """The action of each sequence, [Q]; -1 for empty ones."""
        place = np.arange(self.num_sequences) - np.append(self.form.first_sequence, 0)[self.state_of]
        child = self.nodes["first_child"][self.example[self.state_of]] + place
        return np.where(self.state_of < 0, -1, self.nodes["action"][np.where(self.state_of < 0, 0, child)])

    def uniform(self) -> Floats:
        """The strategy that plays any legal action with the same chance, [Q]."""
        return self.from_table(np.ones((self.num_states, self.game.num_actions)))

    def table(self, strategy: Floats) -> Floats:
        """A strategy as probabilities [S, A], 0 for illegal actions."""
        table = np.zeros((self.num_states, self.game.num_actions))
        own = self.state_of >= 0
        table[self.state_of[own], self.actions[own]] = strategy[own]
        return table

    def from_table(self, table: Floats) -> Floats:
        """The strategy of weights [S, A] that are above 0 for some legal action everywhere; others do not count."""
        own = self.state_of >= 0
        strategy = np.ones(self.num_sequences)
        strategy[own] = table[self.state_of[own], self.actions[own]]
        sums = np.bincount(self.state_of[own], strategy[own], self.num_states)
        strategy[own] /= sums[self.state_of[own]]
        return strategy

    def positions(self, nodes: Ints) -> NDArray[Any]:
        """The records [n] of the positions at these nodes."""
        states = np.empty(len(nodes), self.game.state_dtype)
        kernels = instantiate("arena.equilibrium.walk", self.game)
        kernels.replay(self.game.initial.reshape(1), self.nodes, np.asarray(nodes, np.int64), states)
        return states


def build_tree(game: Game, most_positions: int = MOST_POSITIONS) -> GameTree:
    """Write out `game`; `TooLargeError` if it has more than `most_positions`, `UsageError` if its seats forget."""
    nodes, payoffs, known, seats = _walk(game, most_positions)
    order = np.argsort(seats, kind="stable")  # those of a seat follow each other, in the order in which they were met
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    own = nodes["seat"] >= 0
    nodes["index"][own] = rank[nodes["index"][own]]
    known, seats = known[order], seats[order]
    return GameTree(game, nodes, payoffs, known, seats, _sequence_form(game, nodes, payoffs, seats))


def _walk(game: Game, most: int) -> tuple[NDArray[Any], Floats, NDArray[Any], Ints]:
    """The nodes, payoffs and information states of a game: counted first, line by line deeper, and then written."""
    depth, found = 16, _written(game, most, 16, 0, 0)[-1]
    while found[walk.CUTS] and found[walk.NODES] <= most:
        depth *= 4
        found = _written(game, most, depth, 0, 0)[-1]
    if found[walk.NODES] > most:
        about = f"about 10^{guess_size(game):.0f}{' for each way that chance may go' if game.has_chance else ''}"
        raise TooLargeError(
            f"{game.label} has more than {most:,} positions in its tree ({about}): too many to compute with all of them"
        )
    tree, payoffs, known, known_by, found = _written(game, most, depth, int(found[walk.NODES]), int(found[walk.ENDS]))
    if found[walk.MISFITS]:
        raise UsageError(f"{game.label}: a seat that knows the same may do different things; it cannot be solved")
    count = found[walk.STATES]
    return tree, payoffs, known[:count].copy(), known_by[:count, 0].copy()


def _written(game: Game, most: int, depth: int, nodes: int, ends: int) -> tuple[Any, ...]:
    """What a walk to some `depth` writes with room for so many `nodes`; without any it only counts."""
    kernels = instantiate("arena.equilibrium.walk", game)
    decisions = nodes - ends  # memory that is not needed is never touched
    arrays = (
        np.zeros(nodes, kernels.NODE),
        np.zeros((ends, game.num_players)),
        np.zeros((decisions, int(np.prod(game.information_shape or (0,)))), game.observation_dtype),
        np.zeros((decisions, 2), np.int64),
    )
    slots = np.full(2 << decisions.bit_length(), -1, np.int32)
    found = np.zeros(5, np.int64)
    width = max(game.num_actions, game.num_outcomes)
    scratch = np.empty((depth, width), np.bool_), np.empty((depth, game.num_outcomes)), np.empty((depth, 3), np.int64)
    stack = np.empty(depth, game.state_dtype)
    kernels.walk(game.initial.reshape(1), most, stack, *scratch, *arrays, slots, found)
    return *arrays, found


def _sequence_form(game: Game, nodes: NDArray[Any], payoffs: Floats, seats: Ints) -> SequenceForm:
    players, own = game.num_players, nodes["seat"] >= 0
    num_actions = np.zeros(len(seats), np.int64)
    num_actions[nodes["index"][own]] = nodes["num_children"][own]
    first_sequence = players + np.concatenate([[0], np.cumsum(num_actions)])
    sequences = np.empty((len(nodes), players), np.int32)
    chance = np.empty(len(nodes))
    follow(nodes, first_sequence, sequences, chance)
    parent = np.empty(len(seats), np.int32)
    before = sequences[own, nodes["seat"][own]]
    parent[nodes["index"][own]] = before
    if (parent[nodes["index"][own]] != before).any():
        raise UsageError(f"{game.label}: a seat forgets what it did before; only games with perfect recall are solved")
    ends = np.flatnonzero(nodes["seat"] == TERMINAL)
    reached = sequences[ends][np.argsort(nodes["index"][ends])]
    weights = payoffs * chance[ends][:, None]
    holders = reached.T.ravel()  # seat by seat, all ends
    order = np.argsort(holders, kind="stable")
    others = [np.delete(reached, seat, axis=1) for seat in range(players)]
    first_payoff = np.searchsorted(holders[order], np.arange(first_sequence[-1] + 1))
    first_state = np.searchsorted(seats, np.arange(players + 1))
    return SequenceForm(
        first_state, first_sequence, parent, first_payoff, np.concatenate(others)[order], weights.T.ravel()[order]
    )


@njit(cache=True, nogil=True)
def follow(nodes: NDArray[Any], first_sequence: Ints, sequences: NDArray[np.int32], chance: Floats) -> None:
    """Write the sequences [N, P] that lead to each node, and how likely chance does its part there [N]."""
    for seat in range(sequences.shape[1]):
        sequences[0, seat] = seat
    chance[0] = 1.0
    for number in range(1, nodes.shape[0]):
        parent = nodes[number].parent
        sequences[number] = sequences[parent]
        chance[number] = chance[parent] * nodes[number].probability
        mover = nodes[parent].seat
        if mover >= 0:
            place = number - nodes[parent].first_child
            sequences[number, mover] = first_sequence[nodes[parent].index] + place
