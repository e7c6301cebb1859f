"""Plain Python beside what is compiled: a walk over a game by the functions of its own file, one history at a time."""

import itertools
from collections.abc import Iterator, Mapping

import numpy as np

from games.engine.game import CHANCE, TERMINAL, Game
from tests.rules_by_hand import rules_of

Key = tuple[int, bytes]
Behaviour = Mapping[Key, np.ndarray]
"""Probabilities [A] by what a seat knows."""


class Plain:
    """A game as its rules tell it."""

    def __init__(self, game: Game):
        self.game = game
        self.rules = rules_of(game)

    def root(self) -> np.ndarray:
        return self.game.initial.reshape(1).copy()

    def legal(self, state: np.ndarray) -> list[int]:
        mask = np.zeros(self.game.num_actions, np.bool_)
        self.rules.legal_actions(state[0], mask)
        return np.flatnonzero(mask).tolist()

    def after(self, state: np.ndarray, action: int) -> np.ndarray:
        child = state.copy()
        self.rules.apply(child[0], action)
        return child

    def chances(self, state: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
        chances = np.zeros(self.game.num_outcomes)
        self.rules.chance_outcomes(state[0], chances)
        return ((p, self.after(state, outcome)) for outcome, p in enumerate(chances.tolist()) if p > 0)

    def key(self, state: np.ndarray) -> Key:
        seat = int(state[0]["current_player"])
        known = np.empty(self.game.information_shape, self.game.observation_dtype)
        self.rules.information_state(state[0], seat, known)
        return seat, known.tobytes()

    def values(self, behaviour: Behaviour, state: np.ndarray | None = None) -> np.ndarray:
        """What each seat earns, [P]."""
        state = self.root() if state is None else state
        mover = int(state[0]["current_player"])
        if mover == TERMINAL:
            earned = np.zeros(self.game.num_players, np.float32)
            self.rules.returns(state[0], earned)
            return earned.astype(float)
        if mover == CHANCE:
            return sum(p * self.values(behaviour, child) for p, child in self.chances(state))
        probs = behaviour[self.key(state)]
        return sum(probs[a] * self.values(behaviour, self.after(state, a)) for a in self.legal(state) if probs[a] > 0)

    def decisions(self, state: np.ndarray | None = None) -> dict[Key, list[int]]:
        """The legal actions of all information states."""
        state = self.root() if state is None else state
        mover, found = int(state[0]["current_player"]), {}
        if mover == CHANCE:
            children = [child for _, child in self.chances(state)]
        elif mover == TERMINAL:
            children = []
        else:
            found[self.key(state)] = self.legal(state)
            children = [self.after(state, action) for action in self.legal(state)]
        for child in children:
            found.update(self.decisions(child))
        return found

    def best_response(self, behaviour: Behaviour, seat: int) -> float:
        """The most that any pure strategy of `seat` earns: all of them are tried."""
        own = {key: actions for key, actions in self.decisions().items() if key[0] == seat}
        best = -np.inf
        for choice in itertools.product(*own.values()):
            pure = {key: np.eye(self.game.num_actions)[action] for key, action in zip(own, choice, strict=True)}
            best = max(best, self.values({**behaviour, **pure})[seat])
        return best
