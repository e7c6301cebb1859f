"""The description of a hosted game: what it says of itself, and what a few random games show."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from arena.base.errors import UsageError
from arena.env.hosted.check import find_problems
from arena.env.hosted.environment import EnvironmentFaultError, HostedEnv
from arena.env.hosted.game import EVERYBODY, HostedGame, Replayer, first_position
from games.engine.actions import Action
from games.engine.check import SUM_TOLERANCE
from games.engine.game import State
from games.engine.picture import Picture
from games.engine.stakes import Stakes
from games.engine.text import printable, printable_lines

PROBED_STEPS = 300
"""Steps after which a probed game is left."""
PROBED_GAMES = 3
"""Games that are played at random to find the traits that an environment does not state."""
COPIED_AFTER = 3
"""Actions after which a copy is tried."""
NUMBERS_A_LINE = 12
PIXELS = 480
"""Most pixels on a side of a picture: a match keeps the pictures of all its positions."""


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

    `make_shown` makes the environment whose positions are shown, where that is not the one that is played.

    Raises `UsageError` if the environment cannot be made, `EnvironmentFaultError` if it breaks its contract.
    """
    if isinstance(max_length, bool) or not isinstance(max_length, int) or not 1 <= max_length <= 10**6:
        raise UsageError(f"{name}: max_length={max_length!r} is not a whole number from 1 to 1,000,000")
    env = make_env()
    try:
        if traits is None:
            traits = probe(env)
        certain = env.action_box is None and env.perfect_information and traits.repeatable and not traits.chance
        copies = (env.determinizes or certain) and copy_plays_on(env)
    finally:
        env.close()
    texts = _Texts(make_shown or make_env, env.perfect_information)
    return HostedGame(
        name=name,
        title=title or name.rpartition(".")[2],
        options=dict(options),
        agents=env.agents,
        num_actions=env.num_actions,
        observation_shape=env.observations.shape,
        observation_dtype=env.observations.dtype,
        observation_low=env.observations.low,
        observation_high=env.observations.high,
        max_length=max_length,
        action_box=env.action_box,
        initial=first_position(max_length, env.action_box),
        picture=texts.picture,
        action_text=texts.action_text,
        parse_action=texts.parse_action,
        perfect_information=env.perfect_information,
        simultaneous=env.simultaneous,
        zero_sum=traits.zero_sum,
        wins_at_one=traits.wins_at_one,
        cooperative=traits.cooperative,
        stakes=traits.stakes,
        groups=env.groups,
        variant="" if traits.repeatable else "a seed does not repeat a game: resuming and replaying are not exact",
        make_env=make_env,
        checks=find_problems,
        copies=copies,
        chance=traits.chance,
        repeatable=traits.repeatable,
    )


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
    masks: list[NDArray[np.bool_]]
    returns: NDArray[np.float64]


def _play(env: HostedEnv, seed: int, move_seed: int) -> _Probed:
    """Play a game, its actions drawn by `move_seed` among the legal ones."""
    rng = np.random.default_rng(move_seed)
    env.reset(seed)
    shown, masks = [env.observe(env.seat)], [env.mask.copy()]
    returns = np.zeros(len(env.agents))
    while not env.over and env.steps < PROBED_STEPS:
        returns += env.step(env.random_action(rng))
        shown.append(env.observe(env.seat))
        masks.append(env.mask.copy())
    return _Probed(shown, masks, returns)


def _same(one: _Probed, other: _Probed) -> bool:
    """Return whether two games showed the same."""
    return (
        len(one.shown) == len(other.shown)
        and all(map(np.array_equal, one.shown, other.shown))
        and all(map(np.array_equal, one.masks, other.masks))
        and np.array_equal(one.returns, other.returns)
    )


class _Texts:
    """Pictures and names of actions of a hosted game, from an environment that is brought to the position."""

    def __init__(self, make_env: Callable[[], HostedEnv], perfect_information: bool):
        self._replayer, self._open = Replayer(make_env), perfect_information
        self._pixels: NDArray[np.uint8] | None = None  # as shown last

    def picture(self, state: State) -> Picture:
        """Return the position as lines of text or pixels: the whole of it, or what its `viewer` is shown."""
        viewer = int(state["viewer"])
        whole = self._open or viewer == EVERYBODY
        with self._replayer.at(state) as env:
            text = env.board_text() if whole else env.seat_text(viewer)
            pixels = env.board_pixels() if whole and text is None else None
            if text is None:
                seat = env.seat if viewer == EVERYBODY else viewer
                text = f"{env.agents[seat]} sees\n{_table(env.observe(seat))}"
            text = printable_lines(text.expandtabs())
            if pixels is None:
                return Picture.of_text(text, env.num_actions)
            return Picture.of_pixels(self._reduced(pixels), text.split("\n"), env.num_actions)

    def _reduced(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return pixels of at most `PIXELS` a side; the same array again where nothing has changed."""
        picture = Image.fromarray(pixels)
        picture.thumbnail((PIXELS, PIXELS), Image.Resampling.BOX)
        reduced = np.array(picture)
        if self._pixels is None or not np.array_equal(reduced, self._pixels):
            self._pixels = reduced
        return self._pixels

    def action_text(self, state: State, action: Action) -> str:
        """Return the name of an action."""
        with self._replayer.at(state) as env:
            return printable(env.action_text(action))

    def parse_action(self, state: State, text: str) -> Action:
        """Return the action of a name or a number, or of several numbers; `UsageError` if it is neither."""
        wanted = text.strip()
        with self._replayer.at(state) as env:
            if env.action_box is not None:
                return env.action_box.parse(text)
            for action in np.flatnonzero(env.mask).tolist():
                if printable(env.action_text(action)).strip().lower() == wanted.lower():
                    return int(action)
            if wanted.isascii() and wanted.isdigit() and int(wanted) < env.num_actions:
                return int(wanted)
        raise UsageError(f"{wanted!r} is no action here; actions are named as listed, or numbered from 0")


def _table(shown: NDArray[Any]) -> str:
    """Return an observation as text: a grid of two axes as it is, anything else as its numbers, some a line."""
    if shown.ndim == 2:
        return str(np.array2string(shown, max_line_width=76, threshold=400, precision=3))
    flat = shown.reshape(-1)
    marked = flat[: 20 * NUMBERS_A_LINE].tolist()
    lines = [
        " ".join(f"{number:g}" for number in marked[start : start + NUMBERS_A_LINE])
        for start in range(0, len(marked), NUMBERS_A_LINE)
    ]
    return "\n".join([*lines, *(["..."] if len(flat) > len(marked) else [])])
