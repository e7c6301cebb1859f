"""Checks of a hosted game: what `games.engine.check` asks of compiled rules, as far as an environment shows it."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.env.hosted.environment import EnvironmentFaultError
from arena.env.hosted.game import HostedGame
from arena.env.hosted.vector import HostedVectorEnv
from games.engine.actions import Action, action_of
from games.engine.check import SUM_TOLERANCE, require_readable
from games.engine.errors import ContractError
from games.engine.game import Problem, State

LOOKED_AT = 20
"""Positions of a game whose texts and pictures are looked at, evenly spread over it."""


class Line(NamedTuple):
    """One game of T actions, played at random."""

    seed: int
    states: State
    """Positions, [T + 1]."""
    masks: NDArray[np.bool_]
    """Legal actions of the seats to move, [T + 1, A]."""
    shown: NDArray[Any]
    """What every seat was shown, [T + 1, P, *O]."""
    actions: list[Action]
    """The T actions."""
    rewards: NDArray[np.float32]
    """Rewards, [T, P]."""
    ended: bool
    """True if the game came to its own end."""


def find_problems(game: HostedGame, num_games: int, seed: int) -> Iterator[Problem]:
    """Yield the result of each check in turn."""
    try:
        lines = [play(game, seed + number) for number in range(num_games)]
    except EnvironmentFaultError as error:
        yield Problem("steps", str(error))
        return
    yield Problem("steps", "")
    for name, run_check in CHECKS.items():
        text = ""
        try:
            for line in lines:
                run_check(game, line)
        except (ContractError, EnvironmentFaultError) as error:
            text = str(error)
        yield Problem(name, text)


def play(game: HostedGame, seed: int, actions: list[Action] | None = None) -> Line:
    """Play one game by `actions` [T], else at random until it ends."""
    env = HostedVectorEnv(game, 1)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    states, masks, shown = [env.states[0]], [env.mask[0].copy()], [env.final_obs().obs[0]]
    played: list[Action] = []
    rewards: list[NDArray[np.float32]] = []
    truncated = False
    while not env.over[0] and (actions is None or len(played) < len(actions)):
        legal = env.mask[0]
        if actions is None:
            (drawn,) = game.draw_actions(env.seats, env.mask, rng)
        action = action_of(drawn) if actions is None else actions[len(played)]
        if not game.allows(action, legal):
            break
        _, rew, _, cut, _ = env.step([action])
        played.append(action)
        rewards.append(rew[0])
        truncated = bool(cut.any())
        states.append(env.states[0])
        masks.append(env.mask[0].copy())
        shown.append(env.final_obs().obs[0])
    env.close()
    own_end = bool(env.over[0]) and not (truncated and len(played) == game.max_length)
    arrays = np.array(states), np.array(masks), np.array(shown)
    return Line(seed, *arrays, played, np.array(rewards, np.float32).reshape(-1, game.num_players), own_end)


def check_ends(game: HostedGame, line: Line) -> None:
    """Check that a game ends, and that it is worth what its traits say."""
    if not line.ended:
        raise ContractError(
            f"a game (seed {line.seed}) goes on after max_length={game.max_length} actions and is cut there: give the "
            "option max_length, or let it end"
        )
    returns = line.rewards.sum(axis=0, dtype=np.float64)
    scale = max(1.0, float(np.abs(returns).max()))
    if game.zero_sum and abs(returns.sum()) > SUM_TOLERANCE * scale:
        raise ContractError(f"returns {returns.tolist()} (seed {line.seed}) do not sum to zero, as in other games")


def check_determinism(game: HostedGame, line: Line) -> None:
    """Check that the same seed and actions give the same game, in another environment."""
    again = play(game, line.seed, line.actions)
    for what, one, other in (
        ("what is legal", line.masks, again.masks),
        ("what is shown", line.shown, again.shown),
        ("the rewards", line.rewards, again.rewards),
    ):
        if not np.array_equal(one, other):
            raise ContractError(
                f"the same seed and actions changed {what} (seed {line.seed}): draw everything from the generator that "
                "reset(seed=...) makes; until then its games are neither resumed nor replayed exactly"
            )


def check_observations(game: HostedGame, line: Line) -> None:
    """Check that what is shown lies within the observation space."""
    inside = (line.shown >= game.observation_low) & (line.shown <= game.observation_high)
    if not inside.all():
        place = tuple(np.argwhere(~inside)[0].tolist())
        raise ContractError(
            f"{game.agents[place[1]]} is shown {line.shown[place]} after action {place[0]} (seed {line.seed}), "
            "which is outside its observation space"
        )


def check_text(game: HostedGame, line: Line) -> None:
    """Check that the text of every legal action is read back as that action."""
    for move in _spread(len(line.actions)):
        legal = np.flatnonzero(line.masks[move]).tolist()[:LOOKED_AT]
        for action in legal if game.action_box is None else [line.actions[move]]:
            require_readable(game, line.states[move], action, f"after action {move} (seed {line.seed})")


def check_picture(game: HostedGame, line: Line) -> None:
    """Check that every position can be drawn."""
    for move in _spread(len(line.states)):
        game.picture(line.states[move])


CHECKS: dict[str, Callable[[HostedGame, Line], None]] = {
    "ends": check_ends,
    "determinism": check_determinism,
    "observations": check_observations,
    "text": check_text,
    "picture": check_picture,
}
"""The checks by name, in the order in which they run, after the steps themselves."""


def _spread(count: int) -> list[int]:
    """Return some numbers below `count`."""
    return sorted(set(np.linspace(0, count - 1, min(count, LOOKED_AT)).astype(int).tolist()))
