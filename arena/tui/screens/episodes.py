"""Watch an agent in a Gymnasium environment, by the pixels that it renders."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from arena.base.counting import counted
from arena.base.errors import UsageError
from arena.tui.drawing.board import BoardView
from arena.tui.screens.base import ArenaScreen
from arena.tui.screens.keys import COMMON_KEYS, NEXT_KEY, PAUSE_KEY, SAVE_KEY, SPEED_KEYS
from arena.tui.state.pace import Pace, bounded
from arena.tui.widgets.tile import Tile
from games.engine.picture import Picture

if TYPE_CHECKING:
    from arena.training.episodes import EpisodeFrame, WatchedEpisodes

BETWEEN_S = 1.5
"""Seconds for which the end of an episode stays."""
IN_TEXT = ("the picture needs a terminal with colours and half blocks",)
"""What stands for a picture elsewhere."""


class EpisodesScreen(ArenaScreen, inherit_bindings=False):
    """A number of `episodes` of an `agent`, one after the other, each step as long as the pace says.

    `task` is the name of the environment, `speed` in steps a second.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        PAUSE_KEY,
        Binding("right", "step", "step", key_display="→", tooltip="one step, and pause"),
        *SPEED_KEYS,
        replace(NEXT_KEY, description="next episode", tooltip="leave this episode for the next"),
        SAVE_KEY,
        *COMMON_KEYS,
    ]

    def __init__(self, task: str, agent: str, episodes: "WatchedEpisodes", number: int, speed: float):
        super().__init__("watch", task)
        self.agent, self.episodes, self.number = agent, episodes, number
        self.pace = Pace(speed)
        self.paused = False
        self.episode = 0
        """Number of the episode that is shown."""
        self.frame: EpisodeFrame | None = None
        """What is shown; None before the first episode has begun."""
        self.returns: list[float] = []
        """Returns of the episodes that were seen to their end."""
        self._tile = Tile()
        self._is_step_due = self._is_skipped = False
        self._woken = asyncio.Event()

    def compose_body(self) -> ComposeResult:
        """Yield the picture."""
        yield self._tile

    def on_mount(self) -> None:
        """Begin the first episode."""
        self._tile.border_title = self.agent
        self.say("the environment begins …")
        self._play()

    # --- episodes -------------------------------------------------------------------------------------------------

    @work(group="episodes")
    async def _play(self) -> None:
        """Show all episodes; an environment or agent that fails ends them."""
        try:
            for episode in range(self.number):
                self.episode = episode
                await self._play_one()
        except UsageError as error:
            self.say(" ".join(str(error).split()), "refusal")

    async def _play_one(self) -> None:
        self._is_skipped = False
        self._see(await self.background.run(partial(self.episodes.begin, self.episode)))
        self.say("")
        while True:
            await self._rest(0.0)
            if self._is_skipped:
                return
            frame = await self.background.run(self.episodes.step)
            self._see(frame)
            if frame.over:
                break
        self.returns.append(frame.episode_return)
        self._say_result(frame)
        if self.episode + 1 < self.number:
            await self._rest(BETWEEN_S)

    async def _rest(self, least_s: float) -> None:
        """Wait as long as a frame stays, `least_s` seconds at least, and while paused; a key may end it."""
        since = asyncio.get_running_loop().time()
        while not (self._is_step_due or self._is_skipped):
            waited = asyncio.get_running_loop().time() - since
            left = None if self.paused else max(self.pace.due_s(), least_s - waited)
            if left is not None and left <= 0:
                break
            self._woken.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), left)
        self._is_step_due = False

    # --- what is shown --------------------------------------------------------------------------------------------

    def _see(self, frame: "EpisodeFrame") -> None:
        self.frame = frame
        self.pace.arrive()
        self._tile.view = BoardView(Picture.of_pixels(frame.pixels, IN_TEXT, num_actions=0))
        self._show_figures()

    def _show_figures(self) -> None:
        frame = self.frame
        if frame is None:
            return
        self._tile.border_subtitle = f"step {frame.steps:,}   return {frame.episode_return:,.6g}"
        speed = "paused" if self.paused else f"{self.pace.speed:g}/s"
        self.heading.say(f"episode {self.episode + 1} of {self.number}", self._mean(), speed)

    def _mean(self) -> str:
        return f"mean return {sum(self.returns) / len(self.returns):,.4g}" if self.returns else ""

    def _say_result(self, frame: "EpisodeFrame") -> None:
        how = "terminated" if frame.terminated else "truncated"
        text = f"episode {self.episode + 1}: return {frame.episode_return:,.6g}, "
        text += f"{how} after {counted(frame.steps, 'step')}"
        if self.episode + 1 == self.number:
            text += f"   the last: {self._mean()}"
        self._show_figures()
        self.say(text, "result")

    # --- keys -----------------------------------------------------------------------------------------------------

    def action_pause(self) -> None:
        """Pause, or go on."""
        self.paused = not self.paused
        self._answer()

    def action_step(self) -> None:
        """Make one step, and pause."""
        self.paused = self._is_step_due = True
        self._answer()

    def action_faster(self) -> None:
        """Double the speed."""
        self.pace.speed = bounded(2 * self.pace.speed)
        self._answer()

    def action_slower(self) -> None:
        """Halve the speed."""
        self.pace.speed = bounded(self.pace.speed / 2)
        self._answer()

    def action_next_game(self) -> None:
        """Leave this episode for the next."""
        if self.episode + 1 < self.number:
            self._is_skipped = True
            self._answer()
        else:
            self.say(f"this is the last of {counted(self.number, 'episode')}; q quits", "refusal")

    def _answer(self) -> None:
        """Show what a key has changed, and wake what waits."""
        self._show_figures()
        self._woken.set()
