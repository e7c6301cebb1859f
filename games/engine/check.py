"""`check`: plays a game at random and looks for breaches of the contract that everything built on games relies on.

PettingZoo's `api_test` and Gymnasium's `check_env` do this for environments. Here the rules themselves are tested, and
faults are found that no environment shows, such as an observation that depends on what is hidden from its seat.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.engine.actions import Action
from games.engine.batch import new_games
from games.engine.compiler import instantiate, kernels
from games.engine.errors import ContractError, UsageError
from games.engine.game import TERMINAL, Game, Problem, State

SUM_TOLERANCE = 1e-5
"""Largest sum of returns that counts as zero, relative to the largest return: rewards are single precision."""


class RandomLine(NamedTuple):
    """One game of T moves, played at random."""

    seed: int
    """Seed of chance and of the moves."""
    states: NDArray[Any]
    """Positions, records [T + 1]."""
    masks: NDArray[np.bool_]
    """Legal actions, [T + 1, A]."""
    actions: NDArray[np.int64]
    """Actions, [T]."""
    rewards: NDArray[np.float32]
    """Rewards of all seats, [T, P]."""


def check(game: Game, num_games: int = 10, seed: int = 0) -> None:
    """Play `num_games` random games by seeds from `seed` on, and check each position of them.

    Raises `ContractError`, which names every check that failed with the first place where it did.
    """
    problems = [problem for problem in game.problems(num_games, seed) if problem.text]
    if problems:
        raise ContractError("; ".join(f"{problem.check}: {problem.text}" for problem in problems))


def find_problems(game: Game, num_games: int = 10, seed: int = 0) -> Iterator[Problem]:
    """Yield the result of each check in turn; its text is empty where nothing is wrong."""
    lines: list[RandomLine] = []
    for name, run_check in CHECKS.items():
        text = ""
        try:
            if not lines:
                lines = [play(game, seed + number) for number in range(num_games)]
            for line in lines:
                run_check(game, line)
        except ContractError as error:
            text = str(error)
        yield Problem(name, text)
        if not lines:
            return  # games that cannot be played have nothing else to be looked at


def play(game: Game, seed: int, actions: NDArray[np.int64] | None = None) -> RandomLine:
    """Play one game: by `actions` [T] as far as they are legal, else at random until it ends.

    Raises `ContractError` for a position without a legal action and for a game longer than `max_length`.
    """
    engine, games, row = kernels(game), new_games(game, 1), np.zeros(1, np.int64)
    games.streams[:] = seed
    engine.reset(games, row, game.chance_scratch())
    obs, rewards = np.empty((1, *game.observation_shape), game.observation_dtype), np.zeros((1, game.num_players), "f4")
    rng = np.random.default_rng(seed)
    states, masks = [games.states[0].copy()], [games.mask[0].copy()]
    played: list[int] = []
    reward_rows: list[NDArray[np.float32]] = []
    while not games.over[0]:
        move = len(played)
        if move >= game.max_length:
            _fail(f"a game (seed {seed}) goes on after max_length={game.max_length} moves")
        legal = np.flatnonzero(games.mask[0])
        if not len(legal):
            _fail(f"no action is legal after move {move} (seed {seed}), but the game is not over")
        action = rng.choice(legal, size=1) if actions is None else actions[move : move + 1]
        if not len(action) or action[0] not in legal:
            break
        engine.step(games, row, action, obs, rewards, game.chance_scratch())
        played.append(int(action[0]))
        states.append(games.states[0].copy())
        masks.append(games.mask[0].copy())
        reward_rows.append(rewards[0].copy())
    return RandomLine(seed, np.array(states), np.array(masks), np.array(played), np.array(reward_rows))


def check_ends(game: Game, line: RandomLine) -> None:
    """Check that seats are numbers, that a game moves and ends, and that it is worth what its traits say."""
    movers = line.states["current_player"]
    for move, mover in enumerate(movers[:-1].tolist()):
        if not 0 <= mover < game.num_players:
            _fail(f"current_player={mover} {_at(line, move)} is no seat of {game.num_players}")
    if movers[-1] != TERMINAL:
        _fail(f"current_player={movers[-1]} {_at(line, len(line.actions))} is not TERMINAL")
    if not np.isfinite(line.rewards).all():
        _fail(f"a reward is not finite (seed {line.seed})")
    returns = line.rewards.sum(axis=0, dtype=np.float64)
    scale = max(1.0, float(np.abs(returns).max()))
    if game.zero_sum and abs(returns.sum()) > SUM_TOLERANCE * scale:
        _fail(f"returns {returns.tolist()} (seed {line.seed}) do not sum to zero: say zero_sum=False")
    if game.cooperative and np.ptp(returns) > SUM_TOLERANCE * scale:
        _fail(f"returns {returns.tolist()} (seed {line.seed}) are not equal: say cooperative=False")


def check_determinism(game: Game, line: RandomLine) -> None:
    """Check that the same seed and actions give the same game."""
    again = play(game, line.seed, line.actions)
    differs = line.states[: len(again.states)] != again.states  # by fields: what lies between them is arbitrary
    if differs.any():
        _fail(f"the same seed and actions led to another position {_at(line, _first(differs))}")
    if len(again.actions) < len(line.actions) or line.rewards.tobytes() != again.rewards.tobytes():
        _fail(f"the same seed and actions earned other rewards (seed {line.seed})")


def check_observations(game: Game, line: RandomLine) -> None:
    """Check that `observe` writes every entry, within the bounds, for every seat."""
    first, second = (_shown(game, line.states, junk) for junk in (0, 1))
    if not np.array_equal(first, second):
        _fail(f"observe leaves entries of its array as they were {_at(line, _first(first != second))}")
    wrong = ~((first >= 0) & (first <= game.observation_high))
    if wrong.any():
        value = first[tuple(np.argwhere(wrong)[0])]
        _fail(f"an observation holds {value} {_at(line, _first(wrong))}, which is not between 0 and observation_high")


def check_secrets(game: Game, line: RandomLine) -> None:
    """Check that a seat sees, and that who imagines what it does not see uses, only what it may know."""
    if game.perfect_information:
        return
    knowledge = instantiate("games.engine.knowledge", game)
    seeds = np.arange(len(line.states), dtype=np.uint64)
    for seat in range(game.num_players):
        seats = np.full(len(line.states), seat)
        redacted, determinized = line.states.copy(), line.states.copy()
        knowledge.redact_all(redacted, seats)
        knowledge.determinize_all(determinized, seats, seeds)
        blind = redacted.copy()
        knowledge.determinize_all(blind, seats, seeds)
        visible = _known(game, line.states, seat)
        for name, states in (("redacted", redacted), ("determinized", determinized)):
            differs = (visible != _known(game, states, seat)).any(axis=1)
            if differs.any():
                _fail(f"seat {seat} sees something else once the position is {name} {_at(line, int(differs.argmax()))}")
        differs = blind != determinized
        if differs.any():
            _fail(f"determinize looks at what is hidden from seat {seat} {_at(line, _first(differs))}")


def check_text(game: Game, line: RandomLine) -> None:
    """Check that the text of every legal action is read back as that action."""
    for move, (state, mask) in enumerate(zip(line.states[:-1], line.masks[:-1], strict=True)):
        for action in np.flatnonzero(mask).tolist():
            require_readable(game, state, action, _at(line, move))


def require_readable(game: Game, state: State, action: Action, where: str) -> None:
    """Raise `ContractError` unless the text of a legal action in a position is read back as that action."""
    text = game.action_text(state, action)
    try:
        read: object = game.parse_action(state, text)
    except UsageError as error:
        read = f"refused ({error})"
    if read != action:
        _fail(f"action {action} is written {text!r}, which is read as {read} {where}")


def check_picture(game: Game, line: RandomLine) -> None:
    """Check the shapes of pictures, and that drawing one changes nothing."""
    for move, state in enumerate(line.states):
        before = state.copy()
        picture = game.picture(state)
        cells = picture.pieces.shape
        if picture.cell_actions.shape != cells or picture.action_cells.shape != (game.num_actions, 2):
            shapes = f"cell_actions {picture.cell_actions.shape}, action_cells {picture.action_cells.shape}"
            _fail(f"a picture of {cells} cells has {shapes} {_at(line, move)}")
        if (len(picture.row_labels), len(picture.column_labels)) != cells:
            _fail(f"a picture of {cells} cells has other numbers of labels {_at(line, move)}")
        if state != before:
            _fail(f"drawing a picture changes the position {_at(line, move)}")


def check_symmetries(game: Game, line: RandomLine) -> None:
    """Check that each symmetry maps the game to one with the same observations, masks and rewards."""
    for number, (observation_index, action_index) in enumerate(game.symmetries):
        image_of = np.argsort(action_index)  # action_index says where an entry comes from, this where it goes
        mapped = play(game, line.seed, image_of[line.actions])
        plain, image = (_shown(game, states, 0) for states in (line.states, mapped.states))
        same = len(plain) == len(image) and np.array_equal(line.rewards, mapped.rewards)
        same = same and np.array_equal(line.masks[:, action_index], mapped.masks)
        flat = (len(plain), game.num_players, -1)
        if not same or not np.array_equal(plain.reshape(flat)[:, :, observation_index], image.reshape(flat)):
            _fail(f"symmetry {number} maps a game (seed {line.seed}) to one that goes differently")


CHECKS: dict[str, Callable[[Game, RandomLine], None]] = {
    "ends": check_ends,
    "determinism": check_determinism,
    "observations": check_observations,
    "secrets": check_secrets,
    "text": check_text,
    "picture": check_picture,
    "symmetries": check_symmetries,
}
"""The checks by name, in the order in which they run."""


def _shown(game: Game, states: State, junk: int) -> NDArray[Any]:
    """Return what every seat sees in each position, [N, P, O], written into an array that is full of `junk`."""
    obs = np.full((len(states), game.num_players, *game.observation_shape), junk, game.observation_dtype)
    mask = np.empty((len(states), game.num_players, game.num_actions), np.bool_)
    kernels(game).observe_all(states, np.arange(len(states)), obs, mask)
    return obs


def _known(game: Game, states: State, seat: int) -> NDArray[np.uint8]:
    """Return the bytes of all that a seat knows in each position, [N, K]: what it sees and its information state."""
    out = np.zeros((len(states), *(game.information_shape or ())), game.observation_dtype)
    instantiate("games.engine.knowledge", game).information_states(states, np.full(len(states), seat), out)
    parts = (np.ascontiguousarray(_shown(game, states, 0)[:, seat]), out)
    return np.concatenate([part.view(np.uint8).reshape(len(states), -1) for part in parts], axis=1)


def _first(differs: NDArray[np.bool_]) -> int:
    """Return the first position [N, ...] with a difference."""
    return int(np.argwhere(differs)[0][0])


def _at(line: RandomLine, move: int) -> str:
    """Return the place of a position in words, with all that is needed to reach it again."""
    return f"after move {move} (seed {line.seed})"


def _fail(problem: str) -> None:
    raise ContractError(problem)
