"""A game's tree in arrays: its nodes, and for every seat the tree of its own decisions (the sequence form).

A sequence is the list of a seat's own actions on the way to a node. There is one for each action of each of its
information states, and the empty one. With perfect recall, a strategy gives each sequence one number: the probability
that the seat plays all of it. Expected payoffs are sums over the ends of products of these numbers (B. von Stengel,
"Efficient computation of behavior strategies", 1996). Computations on whole trees run over these sums, not over nodes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.analysis import walk
from arena.base.errors import UsageError
from arena.match.tree_size import guess_size
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL, Game
from games.engine.jit import njit

MOST_POSITIONS = 2_000_000
"""Default limit on the nodes of a tree; so many take up to a minute and a gigabyte."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TooLargeError(UsageError):
    """Raised for a game whose tree has more nodes than allowed."""


class SequenceForm(NamedTuple):
    """The arrays of a tree that compiled code reads. P seats, S information states, Q sequences, E payoffs.

    The information states of a seat are consecutive, each after those that precede it in play. Sequences 0 .. P - 1 are
    the empty ones of the seats; those of each information state follow in order.
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
    """[E], the payoff of the sequence's seat times the probability of the chance outcomes on the way."""


@dataclass(frozen=True, eq=False)
class GameTree:
    """A game's tree. N nodes, Z of them ends, S information states, Q sequences, P seats, A actions.

    A strategy (of all seats) is a float array [Q]: the probability of each action in its information state. Its entries
    for empty sequences are ignored.
    """

    game: Game
    nodes: NDArray[Any]
    """[N] records of `arena.analysis.walk.NODE`; node 0 is the root, children have higher numbers."""
    payoffs: Floats
    """[Z, P], payoff of each seat at each end."""
    known: NDArray[Any]
    """[S, I], the information states; I = 0 in games of perfect information."""
    seats: Ints
    """[S], the seat that acts in each information state."""
    form: SequenceForm

    @property
    def num_states(self) -> int:
        """Number of information states, S."""
        return len(self.seats)

    @property
    def num_sequences(self) -> int:
        """Number of sequences, Q."""
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
        """One node of each information state [S]: the first."""
        decisions = np.flatnonzero(self.nodes["seat"] >= 0)
        first = np.empty(self.num_states, np.int64)
        first[self.nodes["index"][decisions[::-1]]] = decisions[::-1]
        return first

    @cached_property
    def actions(self) -> Ints:
        """Last action of each sequence [Q]; -1 for empty ones."""
        place = np.arange(self.num_sequences) - np.append(self.form.first_sequence, 0)[self.state_of]
        child = self.nodes["first_child"][self.example[self.state_of]] + place
        return np.where(self.state_of < 0, -1, self.nodes["action"][np.where(self.state_of < 0, 0, child)])

    def uniform(self) -> Floats:
        """Return the strategy that plays all legal actions with equal probability [Q]."""
        return self.from_table(np.ones((self.num_states, self.game.num_actions)))

    def table(self, strategy: Floats) -> Floats:
        """Return a strategy as probabilities [S, A], 0 for illegal actions."""
        table = np.zeros((self.num_states, self.game.num_actions))
        decided = self.state_of >= 0
        table[self.state_of[decided], self.actions[decided]] = strategy[decided]
        return table

    def from_table(self, table: Floats) -> Floats:
        """Return the strategy [Q] in proportion to weights [S, A].

        Every information state needs a legal action of positive weight. Weights of illegal actions are ignored.
        """
        decided = self.state_of >= 0
        strategy = np.ones(self.num_sequences)
        strategy[decided] = table[self.state_of[decided], self.actions[decided]]
        sums = np.bincount(self.state_of[decided], strategy[decided], self.num_states)
        strategy[decided] /= sums[self.state_of[decided]]
        return strategy

    def positions(self, nodes: Ints) -> NDArray[Any]:
        """Return the states [n] at these nodes [n]."""
        states = np.empty(len(nodes), self.game.state_dtype)
        kernels = instantiate("arena.analysis.walk", self.game)
        kernels.replay(self.game.initial.reshape(1), self.nodes, np.asarray(nodes, np.int64), states)
        return states


def build_tree(game: Game, most_positions: int = MOST_POSITIONS) -> GameTree:
    """Build the tree of `game`.

    Raises `TooLargeError` if it has more than `most_positions` nodes, `UsageError` without perfect recall.
    """
    nodes, payoffs, known, seats = _walk(game, most_positions)
    order = np.argsort(seats, kind="stable")  # by seat, then in order of discovery: stable
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    decided = nodes["seat"] >= 0
    nodes["index"][decided] = rank[nodes["index"][decided]]
    known, seats = known[order], seats[order]
    return GameTree(game, nodes, payoffs, known, seats, _sequence_form(game, nodes, payoffs, seats))


def _walk(game: Game, most: int) -> tuple[NDArray[Any], Floats, NDArray[Any], Ints]:
    """Return nodes, payoffs, information states and their seats.

    A first walk only counts, with a deeper stack until nothing is cut off; the last one fills arrays of that size.
    """
    depth, counts = 16, _write(game, most, 16, 0, 0).counts
    while counts[walk.CUTS] and counts[walk.NODES] <= most:
        depth *= 4
        counts = _write(game, most, depth, 0, 0).counts
    if counts[walk.NODES] > most:
        about = f"about 10^{guess_size(game):.0f}{' for each way that chance may go' if game.has_chance else ''}"
        raise TooLargeError(
            f"{game.label} has more than {most:,} positions in its tree ({about}): too many for an exact computation"
        )
    tree = _write(game, most, depth, int(counts[walk.NODES]), int(counts[walk.ENDS]))
    if tree.counts[walk.MISFITS]:
        raise UsageError(f"{game.label}: a seat that knows the same may do different things; it cannot be solved")
    count = tree.counts[walk.STATES]
    return tree.nodes, tree.payoffs, tree.known[:count].copy(), tree.known_by[:count, 0].copy()


def _write(game: Game, most: int, depth: int, nodes: int, ends: int) -> walk.Written:
    """Walk the game to `depth` and return what is written; with `nodes` 0 the walk only counts."""
    kernels = instantiate("arena.analysis.walk", game)
    decisions = nodes - ends  # an upper bound for S; pages that are never touched take no memory
    written = walk.Written(
        nodes=np.zeros(nodes, walk.NODE),
        payoffs=np.zeros((ends, game.num_players)),
        known=np.zeros((decisions, int(np.prod(game.information_shape or (0,)))), game.observation_dtype),
        known_by=np.zeros((decisions, 2), np.int64),
        slots=np.full(2 << decisions.bit_length(), -1, np.int32),
        counts=np.zeros(5, np.int64),
    )
    line = walk.WalkPath(
        stack=np.empty(depth, game.state_dtype),
        masks=np.empty((depth, max(game.num_actions, game.num_outcomes)), np.bool_),
        chances=np.empty((depth, game.num_outcomes)),
        places=np.empty((depth, 3), np.int64),
    )
    kernels.walk(game.initial.reshape(1), most, line, written)
    return written


def _sequence_form(game: Game, nodes: NDArray[Any], payoffs: Floats, seats: Ints) -> SequenceForm:
    players, decided = game.num_players, nodes["seat"] >= 0
    num_actions = np.zeros(len(seats), np.int64)
    num_actions[nodes["index"][decided]] = nodes["num_children"][decided]
    first_sequence = players + np.concatenate([[0], np.cumsum(num_actions)])
    sequences = np.empty((len(nodes), players), np.int32)
    chance = np.empty(len(nodes))
    follow(nodes, first_sequence, sequences, chance)
    parent = np.empty(len(seats), np.int32)
    before = sequences[decided, nodes["seat"][decided]]
    parent[nodes["index"][decided]] = before
    if (parent[nodes["index"][decided]] != before).any():
        raise UsageError(f"{game.label}: a seat forgets what it did before; only games with perfect recall are solved")
    ends = np.flatnonzero(nodes["seat"] == TERMINAL)
    reached = sequences[ends][np.argsort(nodes["index"][ends])]
    weights = payoffs * chance[ends][:, None]
    holders = reached.T.ravel()  # all ends of seat 0, then of seat 1, ...
    order = np.argsort(holders, kind="stable")
    others = [np.delete(reached, seat, axis=1) for seat in range(players)]
    first_payoff = np.searchsorted(holders[order], np.arange(first_sequence[-1] + 1))
    first_state = np.searchsorted(seats, np.arange(players + 1))
    return SequenceForm(
        first_state, first_sequence, parent, first_payoff, np.concatenate(others)[order], weights.T.ravel()[order]
    )


@njit(cache=True, nogil=True)
def follow(nodes: NDArray[Any], first_sequence: Ints, sequences: NDArray[np.int32], chance: Floats) -> None:
    """Write the sequences [N, P] that lead to each node, and the probability of all chance outcomes before it [N]."""
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
