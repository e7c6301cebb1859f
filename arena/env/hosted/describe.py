"""The description of a hosted game: what it says of itself, and what a few random games show."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.env.hosted.check import find_problems
from arena.env.hosted.environment import EnvironmentFaultError, HostedEnv
from arena.env.hosted.game import HostedGame, first_position
from arena.env.hosted.texts import Texts
from games.engine.actions import ActionBox
from games.engine.check import SUM_TOLERANCE
from games.engine.seats import SeatGroup
from games.engine.stakes import Stakes

PROBED_STEPS = 300
"""Steps after which a probed game is left."""
PROBED_GAMES = 3
"""Games that are played at random to find the traits that an environment does not state."""
COPIED_AFTER = 3
"""Actions after which a copy is tried."""


UNREPEATABLE = "a seed does not repeat a game: resuming is not exact; matches are stored as shown"
"""The note on a game whose environment draws without its seed."""


@dataclass(frozen=True)
class Traits:
    """Traits of an environment that random games show."""

    chance: bool
    """Games of the same actions differ by their seeds."""
    repeatable: bool
    """The same seed and actions give the same game."""
    zero_sum: bool
    """The returns of every game sum to 0."""
    cooperative: bool
    """All seats have the same returns."""
    wins_at_one: bool
    """No seat returns more than 1."""
    lowest_return: float = -1.0
    """No seat returns less; of random games, as far as they show."""
    outside: str = ""
    """The first observation that is outside its space, in words; "" if there is none."""
    stakes: Stakes | None = None
    """What returns are worth in a game for chips, which no playing shows; None in others."""


def hosted_game(
    name: str,
    options: Mapping[str, Any],
    make_env: Callable[[], HostedEnv],
    max_length: int,
    traits: Traits | None = None,
    title: str | None = None,
    make_shown: Callable[[], HostedEnv] | None = None,
) -> HostedGame:
    """Describe a hosted game; `traits` are found by playing where they are not given.

    `make_shown` makes the environment whose positions are shown, where that is not the one that is played; a game that
    a seed does not repeat is shown by the one that is played, so that it is that one.

    Raises `UsageError` if the environment cannot be made, `EnvironmentFaultError` if it breaks its contract.
    """
    _require_length(name, max_length)
    with closing(make_env()) as env:
        traits = traits or probe(env)
        copies = _can_be_copied(env, traits)
    make_shown = make_shown or make_env
    texts = Texts(make_shown, env.perfect_information)
    return HostedGame(
        name=name,
        title=title or name.rpartition(".")[2],
        options=dict(options),
        **_interface(env),
        max_length=max_length,
        initial=first_position(max_length, env.action_box),
        picture=texts.picture,
        action_text=texts.action_text,
        parse_action=texts.parse_action,
        zero_sum=traits.zero_sum,
        wins_at_one=traits.wins_at_one,
        lowest_return=traits.lowest_return,
        cooperative=traits.cooperative,
        stakes=traits.stakes,
        variant="; ".join(filter(None, ["" if traits.repeatable else UNREPEATABLE, traits.outside])),
        make_env=make_env if traits.repeatable else make_shown,
        draw=texts.draw,
        checks=find_problems,
        copies=copies,
        chance=traits.chance,
        repeatable=traits.repeatable,
    )


class Interface(TypedDict):
    """The fields of a `HostedGame` that its environment declares."""

    agents: tuple[str, ...]
    groups: tuple[SeatGroup, ...]
    num_actions: int
    action_box: ActionBox | None
    observation_shape: tuple[int, ...]
    observation_dtype: np.dtype[Any]
    observation_low: Any
    observation_high: Any
    perfect_information: bool
    simultaneous: bool


def _interface(env: HostedEnv) -> Interface:
    observations = env.observations
    return {
        "agents": env.agents,
        "groups": env.groups,
        "num_actions": env.num_actions,
        "action_box": env.action_box,
        "observation_shape": observations.shape,
        "observation_dtype": observations.dtype,
        "observation_low": observations.low,
        "observation_high": observations.high,
        "perfect_information": env.perfect_information,
        "simultaneous": env.simultaneous,
    }


def _require_length(name: str, max_length: Any) -> None:
    """Raise `UsageError` unless `max_length` is a whole number from 1 to a million."""
    if isinstance(max_length, bool) or not isinstance(max_length, int) or not 1 <= max_length <= 10**6:
        raise UsageError(f"{name}: max_length={max_length!r} is not a whole number from 1 to 1,000,000")


def _can_be_copied(env: HostedEnv, traits: Traits) -> bool:
    """Return whether positions can be copied for search: a copy of the environment plays on as the original does.

    That is tried only where the copy could not show a player what is hidden: where the environment draws it anew
    itself, or where nothing is hidden and nothing left to chance.
    """
    certain = env.action_box is None and env.perfect_information and traits.repeatable and not traits.chance
    return (env.determinizes or certain) and copy_plays_on(env)


def probe(env: HostedEnv) -> Traits:
    """Return the traits of an environment, from random games by fixed seeds."""
    played = [_play(env, seed, seed) for seed in range(PROBED_GAMES)]
    again = _play(env, 0, 0)
    other = _play(env, 1, 0)
    returns = np.array([game.returns for game in played])
    sums = np.abs(returns.sum(axis=1)) <= SUM_TOLERANCE * np.maximum(1.0, np.abs(returns).max(axis=1))
    decided = bool(np.abs(returns).max() > 0)
    return Traits(
        chance=not _same(played[0], other),
        repeatable=_same(played[0], again),
        zero_sum=decided and len(env.agents) > 1 and bool(sums.all()),
        cooperative=decided and len(env.agents) > 1 and bool((returns == returns[:, :1]).all()),
        wins_at_one=bool(np.abs(returns).max() <= 1),
        lowest_return=float(returns.min()),
        outside=next(filter(None, (_outside(env, game) for game in played)), ""),
    )


def copy_plays_on(env: HostedEnv) -> bool:
    """Return whether a copy of the environment in the middle of a game goes on as the environment itself does."""
    env.reset(0)
    rng = np.random.default_rng(0)
    for _ in range(COPIED_AFTER):
        if not env.over:
            env.step(env.random_action(rng))
    try:
        copy = env.copy()
    except EnvironmentFaultError:
        return False
    while not env.over and env.steps < COPIED_AFTER + PROBED_STEPS:
        action = env.random_action(rng)
        try:
            same = np.array_equal(env.step(action), copy.step(action))
        except EnvironmentFaultError:  # what cannot be copied may fail in any way
            return False
        same = same and copy.seat == env.seat and np.array_equal(env.mask, copy.mask)
        if not same or not np.array_equal(env.observe(env.seat), copy.observe(env.seat)):
            return False
    return True


@dataclass(frozen=True)
class _Probed:
    """A game as it was shown."""

    shown: list[NDArray[Any]]
    seats: list[int]
    """Whom each of them was shown."""
    masks: list[NDArray[np.bool_]]
    returns: NDArray[np.float64]


def _play(env: HostedEnv, seed: int, move_seed: int) -> _Probed:
    """Play a game, its actions drawn by `move_seed` among the legal ones."""
    rng = np.random.default_rng(move_seed)
    env.reset(seed)
    shown, seats, masks = [env.observe(env.seat)], [env.seat], [env.mask.copy()]
    returns = np.zeros(len(env.agents))
    while not env.over and env.steps < PROBED_STEPS:
        returns += env.step(env.random_action(rng))
        shown.append(env.observe(env.seat))
        seats.append(env.seat)
        masks.append(env.mask.copy())
    return _Probed(shown, seats, masks, returns)


def _outside(env: HostedEnv, game: _Probed) -> str:
    """Return the first observation of a game that is outside its space, in words; "" if there is none."""
    for step, (observation, seat) in enumerate(zip(game.shown, game.seats, strict=True)):
        wrong = (observation < env.observations.low) | (observation > env.observations.high)
        if wrong.any():
            return f"step {step} shows {env.agents[seat]} {observation[wrong].flat[0]}, outside its observation space"
    return ""


def _same(one: _Probed, other: _Probed) -> bool:
    """Return whether two games showed the same."""
    return (
        len(one.shown) == len(other.shown)
        and all(map(np.array_equal, one.shown, other.shown))
        and all(map(np.array_equal, one.masks, other.masks))
        and np.array_equal(one.returns, other.returns)
    )
