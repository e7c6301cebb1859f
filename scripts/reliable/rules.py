"""Rules beside those of other implementations: random games on both, compared before every move."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from classic import classic
from numpy.typing import NDArray

from arena.env.native import GameVectorEnv
from arena.policy.registry import make_game
from reliable.check import Check

OPENSPIEL = ("tic_tac_toe", "connect_four", "othello", "hex:swap=False", "hex:size=7,swap=False")
OPENSPIEL += ("gomoku", "breakthrough", "kalah")
PETTINGZOO = {
    "tic_tac_toe": 20_000,
    "connect_four": 20_000,
    "go:size=9,ko=simple": 2_000,
    "chess:draws=pettingzoo": 10_000,
}
"""Games whose views are PettingZoo's, and how many moves of them are compared: its chess and go are slow."""
MOVES = 100_000
"""Moves that are compared with OpenSpiel's, of each game."""


class Peer(Protocol):
    """A game of somebody else's, played move by move; its actions may have numbers of their own."""

    def reset(self) -> None:
        """Begin a game."""

    def numbers(self, texts: Mapping[int, str]) -> dict[int, int]:
        """Return its number of each action, which ours knows by number and text; `KeyError` if it has not all."""

    def step(self, number: int) -> None:
        """Play an action."""

    def shown(self) -> tuple[bool, int, set[int], NDArray[Any] | None]:
        """Return whether the game is over, the seat to move, its legal actions, and what it sees, if that is alike."""

    def returns(self) -> Sequence[float]:
        """Return the return of each seat so far."""


class _OpenSpiel:
    """A game of OpenSpiel's."""

    def __init__(self, spec: str):
        import pyspiel
        from openspiel_bot import their_name

        game = make_game(spec)
        self._name = game.name
        self._game = pyspiel.load_game(their_name({"game": game.name, "options": game.options}))

    def reset(self) -> None:
        self._state = self._game.new_initial_state()

    def numbers(self, texts: Mapping[int, str]) -> dict[int, int]:
        from openspiel_bot import their_actions

        return their_actions(self._name, self._state, texts)

    def step(self, number: int) -> None:
        self._state.apply_action(number)

    def shown(self) -> tuple[bool, int, set[int], None]:
        return self._state.is_terminal(), self._state.current_player(), set(self._state.legal_actions()), None

    def returns(self) -> Sequence[float]:
        return list(self._state.returns())


class _PettingZoo:
    """A game of PettingZoo's."""

    def __init__(self, spec: str):
        game = make_game(spec)
        options = {"board_size": game.options["size"], "komi": game.options["komi"]} if game.name == "go" else {}
        self._env = classic(str(game.pettingzoo_name)).raw_env(**options)

    def reset(self) -> None:
        self._env.reset()
        self._returns = np.zeros(len(self._env.possible_agents))

    def numbers(self, texts: Mapping[int, str]) -> dict[int, int]:
        return {action: action for action in texts}

    def step(self, number: int) -> None:
        self._env.step(number)
        self._returns += [self._env.rewards[agent] for agent in self._env.possible_agents]

    def shown(self) -> tuple[bool, int, set[int], NDArray[Any]]:
        agent = self._env.agent_selection
        view = self._env.observe(agent)
        seat = self._env.possible_agents.index(agent)
        legal = set(np.flatnonzero(view["action_mask"]).tolist())
        return any(self._env.terminations.values()), seat, legal, view["observation"]

    def returns(self) -> Sequence[float]:
        return self._returns.tolist()


def checks(seed: int) -> Iterator[Check]:
    """Compare each game with each peer that has it."""
    for spec in OPENSPIEL:
        yield compared(spec, "OpenSpiel", _OpenSpiel(spec), MOVES, seed)
    for spec, moves in PETTINGZOO.items():
        yield compared(spec, "PettingZoo", _PettingZoo(spec), moves, seed)


def compared(spec: str, name: str, peer: Peer, moves: int, seed: int) -> Check:
    """Play random games on both, for so many moves at least; a game ends where they differ."""
    env, rng = GameVectorEnv(make_game(spec), 1), np.random.default_rng(seed)
    tried = differences = 0
    start = time.process_time()
    while tried < moves:
        played, same = one_game(env, peer, rng)
        tried += played
        differences += not same
    seconds = round(time.process_time() - start, 1)
    return Check("rules", f"`{spec}` beside {name}'s", tried, tried - differences, "positions", seconds)


def one_game(env: GameVectorEnv, peer: Peer, rng: np.random.Generator) -> tuple[int, bool]:
    """Play a random game on both until it ends or they differ; return the positions compared and whether all agree.

    A game of the greatest length that ours has is left before its end: others may go on.
    """
    peer.reset()
    shown, _ = env.reset()
    returns, positions = np.zeros(env.num_agents), 0
    while True:
        positions += 1
        if positions > env.game.max_length:
            return positions - 1, True
        over, seat, legal, observation = peer.shown()
        if over or env.over[0]:
            return positions, bool(over and env.over[0] and np.array_equal(returns, peer.returns()))
        texts = {action: env.game.action_text(env.states[0], action) for action in np.flatnonzero(env.mask[0]).tolist()}
        try:
            numbers = peer.numbers(texts)
        except KeyError:
            return positions, False
        alike = seat == env.seats[0] and legal == {*numbers.values()}
        if not alike or (observation is not None and not np.array_equal(observation, shown.obs[0])):
            return positions, False
        action = list(numbers)[rng.integers(len(numbers))]
        peer.step(numbers[action])
        shown, rewards, *_ = env.step([action])
        returns += rewards[0]
