"""Positions drawn as text, and a slow and obvious search to compare with."""

from functools import cache

import numpy as np

from arena.data.batch import Batch
from games.engine.batch import new_games
from games.engine.compiler import kernels
from games.engine.game import TERMINAL, Game, State

DECAY = 0.999


def children(game: Game, state: State) -> dict[int, tuple[State, np.ndarray]]:
    """After each legal action: the position, and what each seat has earned [P] (all zero while the game goes on)."""
    n = game.num_actions
    games = new_games(game, n)._replace(initial=state.reshape(1))
    obs = np.empty((n, *game.observation_shape), game.observation_dtype)
    rewards = np.zeros((n, game.num_players), np.float32)
    kernels(game).reset(games, np.arange(n), None)
    legal = np.flatnonzero(games.mask[0])
    kernels(game).step(games, legal, legal, obs, rewards, None)
    return {
        int(action): (games.states[action].copy(), earned.copy())
        for action, earned in zip(legal, rewards, strict=False)
    }


def drawn(game: Game, text: str) -> State:
    """The position in which the first seat has X and the second O, reached by any legal order of moves."""
    signs = {"X": 0, "O": 1, ".": -1}
    target = np.array([[signs[sign] for sign in line.split()] for line in text.strip().splitlines()])

    def find(state: State) -> State | None:
        pieces = game.picture(state).pieces
        if np.array_equal(pieces, target):
            return state
        if np.any((pieces >= 0) & (pieces != target)):
            return None
        return next((found for after, _ in children(game, state).values() if (found := find(after)) is not None), None)

    position = find(game.initial)
    assert position is not None, "no order of moves leads to this drawing"
    return position


def random_positions(game: Game, plies: int, count: int, seed: int) -> list[State]:
    """Positions after `plies` random legal moves in which nobody has won yet."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        state = game.initial
        for _ in range(plies):
            if state["current_player"] != TERMINAL:
                after = [child for child, _ in children(game, state).values()]
                state = after[rng.integers(len(after))]
        if state["current_player"] != TERMINAL:
            found.append(state)
    return found


def minimax(game: Game, state: State, depth: int) -> dict[int, float]:
    """Return the value of each legal action for the seat to move, by exhaustive search `depth` plies deep."""

    @cache
    def values(key: bytes, ply: int) -> dict[int, float]:
        position = np.frombuffer(key, game.state_dtype)[0]
        seat, result = int(position["current_player"]), {}
        for action, (after, earned) in children(game, position).items():
            if after["current_player"] == TERMINAL:
                result[action] = float(earned[seat]) * DECAY**ply
            elif ply + 1 == depth:
                result[action] = 0.0
            else:
                reply = max(values(after.tobytes(), ply + 1).values())
                result[action] = reply if after["current_player"] == seat else -reply
        return result

    return values(state.tobytes(), 0)


def view(game: Game, states: list[State]) -> Batch:
    """These positions as a policy that searches gets them."""
    records = np.array(states, game.state_dtype)
    mask = np.zeros((len(states), game.num_actions), np.bool_)
    for row, state in enumerate(states):
        mask[row, list(children(game, state))] = True
    return Batch(obs=Batch(agent_id=records["current_player"].astype(np.int64), mask=mask, state=records), info=Batch())
