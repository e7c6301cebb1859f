"""Hosted games as people see and type them: pictures of positions and names of actions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from arena.base.errors import UsageError
from arena.env.hosted.environment import HostedEnv
from arena.env.hosted.game import EVERYBODY, Replayer
from arena.env.hosted.presentation import Grid
from games.engine.actions import Action, exact_action
from games.engine.game import State
from games.engine.picture import Picture
from games.engine.text import printable, printable_lines

NUMBERS_A_LINE = 12
PIXELS = 480
"""Most pixels on a side of a picture: a match keeps the pictures of all its positions."""


class Texts:
    """Pictures and names of actions of a hosted game, from an environment that is brought to the position."""

    def __init__(self, make_env: Callable[[], HostedEnv], perfect_information: bool):
        self._replayer, self._open = Replayer(make_env), perfect_information
        self._pixels: NDArray[np.uint8] | None = None  # as shown last

    def picture(self, state: State) -> Picture:
        """Return the position as a grid, lines of text or pixels: the whole of it, or what its `viewer` is shown."""
        with self._replayer.at(state) as env:
            return self.draw(env, int(state["viewer"]))

    def draw(self, env: HostedEnv, viewer: int) -> Picture:
        """Return what an environment shows now: everything, or what the seat `viewer` is shown."""
        drawn = env.board() if self._open or viewer == EVERYBODY else env.view(viewer)
        if isinstance(drawn, Grid):
            return _grid(env, drawn)
        if isinstance(drawn, str):
            return Picture.of_text(printable_lines(drawn.expandtabs()), env.num_actions)
        seat = env.seat if viewer == EVERYBODY else viewer
        observation, group = env.observe(seat), env.group_of(seat)
        own = observation if group is None else group.own_obs(observation[None])[0]
        text = printable_lines(f"{env.agents[seat]} sees\n{_table(own)}")
        if drawn is None:
            return Picture.of_text(text, env.num_actions)
        return Picture.of_pixels(self._reduced(drawn), text.split("\n"), env.num_actions)

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
            if (box := env.box_of(env.seat)) is not None:
                return exact_action(box.parse(text), env.action_box)
            for action in np.flatnonzero(env.mask).tolist():
                if printable(env.action_text(action)).strip().lower() == wanted.lower():
                    return exact_action(action, env.action_box)
            if (read := env.read_action(wanted)) is not None:
                return exact_action(read, env.action_box)
            if wanted.isascii() and wanted.isdigit() and int(wanted) < env.num_actions:
                return exact_action(int(wanted), env.action_box)
        raise UsageError(f"{wanted!r} is no action here; actions are named as listed, or numbered from 0")


def _grid(env: HostedEnv, grid: Grid) -> Picture:
    """Return a grid as a picture, what may not be printed in it replaced; a fault where its parts do not fit."""
    try:
        picture = grid.picture(env.num_actions)
    except (TypeError, ValueError) as error:
        raise env.fault(f"is presented by what cannot be drawn: {error}") from error
    letters = None if picture.letters is None else np.vectorize(printable, otypes=[np.str_])(picture.letters)
    return replace(picture, letters=letters, notes=tuple(map(printable, picture.notes)))


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
