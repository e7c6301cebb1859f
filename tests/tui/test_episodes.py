"""Watching an agent in a Gymnasium environment: what is seen, and the keys."""

import sys
from typing import ClassVar

import gymnasium as gym
import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.cli import watch
from arena.training.episodes import WatchedEpisodes
from arena.training.tasks import GymTask
from arena.tui.app import ArenaApp
from arena.tui.screens.episodes import EpisodesScreen
from tests.tui.helpers import notice, screen_text, shows, until
from tests.tui.snapshots import check_snapshot

pytestmark = pytest.mark.full

LENGTH = 6


class Lamp(gym.Env):
    """A lamp that grows brighter with each of six steps; a step earns half, and its episode is then cut off."""

    metadata: ClassVar = {"render_modes": ["rgb_array"], "render_fps": 60}
    observation_space, action_space = gym.spaces.Box(0, 1, (1,)), gym.spaces.Discrete(2)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.pixels = np.zeros((8, 12, 3), np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.zeros(1, np.float32), 0.5, False, self.steps == LENGTH, {}

    def render(self):
        self.pixels[:] = 40 * self.steps  # the same array again and again
        return self.pixels


class Dark(Lamp):
    """Renders text alone."""

    metadata: ClassVar = {"render_modes": ["ansi"]}


class Flat(Lamp):
    """Renders no colours."""

    def render(self):
        return np.zeros((8, 12), np.uint8)


class Broken(Lamp):
    """Fails in its third step."""

    def step(self, action):
        if self.steps == 2:
            raise RuntimeError("the bulb is broken")
        return super().step(action)


@pytest.fixture(autouse=True)
def registered():
    for kind in (Lamp, Dark, Flat, Broken):
        gym.register(f"Arena{kind.__name__}-v0", kind)
    yield
    for kind in (Lamp, Dark, Flat, Broken):
        del gym.registry[f"Arena{kind.__name__}-v0"]


def app_of(number=2, speed=64.0, kind="Lamp"):
    task = GymTask(f"Arena{kind}-v0")
    return ArenaApp(EpisodesScreen(task.name, "random", WatchedEpisodes(task, "random"), number, speed))


def test_frames_are_those_of_the_steps_up_to_the_last_of_an_episode():
    episodes = WatchedEpisodes(GymTask("ArenaLamp-v0"), "random")
    frames = [episodes.begin(0), *(episodes.step() for _ in range(LENGTH))]
    assert [int(frame.pixels.max()) for frame in frames] == [40 * step for step in range(LENGTH + 1)]
    assert [frame.episode_return for frame in frames] == [step / 2 for step in range(LENGTH + 1)]
    assert [frame.over for frame in frames] == [False] * LENGTH + [True]
    assert frames[-1].truncated
    assert not frames[-1].terminated
    assert episodes.frames_per_second == 60
    again = episodes.begin(1)
    assert (again.steps, again.episode_return, again.pixels.max()) == (0, 0.0, 0)
    episodes.close()


def test_an_episode_is_that_of_its_seed_and_number():
    def returns(seed, numbers):
        episodes = WatchedEpisodes(GymTask("CartPole-v1"), "random", seed)
        for number in numbers:
            frame = episodes.begin(number)
            while not frame.over:
                frame = episodes.step()
            yield frame.episode_return, frame.pixels.sum()
        episodes.close()

    assert list(returns(3, (0, 1))) == list(reversed(list(returns(3, (1, 0)))))
    assert list(returns(3, (0, 1))) != list(returns(4, (0, 1)))


async def test_the_pixels_the_step_and_the_return_are_shown():
    app = app_of(number=1)
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "step 6   return 3", "random", "arena › watch › gym:ArenaLamp-v0", "episode 1 of 1")
        await shows(pilot, "episode 1: return 3, truncated after 6 steps")
        assert screen_text(app).count("▀") == 12 * 8 / 2  # the lamp, in half blocks
        check_snapshot(app, "episodes-80x24")
        await pilot.press("n")
        assert "this is the last of 1 episode; q quits" in notice(app)


async def test_one_episode_follows_another_to_the_last():
    app = app_of(number=2)
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "the last: mean return 3", "episode 2 of 2")
        assert app.screen.returns == [3.0, 3.0]


async def test_paused_it_stays_until_a_step_is_asked_for():
    app = app_of(speed=0.25)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.frame)
        await pilot.press("space")
        await shows(pilot, "paused", "step 0")
        for step in (1, 2):
            await pilot.press("right")
            await shows(pilot, f"step {step}   return {step / 2:g}")
        await pilot.pause(0.2)
        assert app.screen.frame.steps == 2
        await pilot.press(*["plus"] * 8, "space")
        await until(pilot, lambda: app.screen.frame.over)


async def test_the_next_episode_begins_at_once_and_what_was_left_is_in_no_mean():
    app = app_of(speed=0.25)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.frame)
        await pilot.press("n")
        await shows(pilot, "episode 2 of 2")
        assert app.screen.returns == []


async def test_an_environment_that_fails_says_so_and_the_screen_stays():
    app = app_of(kind="Broken")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "the bulb is broken" in notice(app))
        await shows(pilot, "step 2")


async def test_without_colours_a_line_stands_for_the_picture(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_of()
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "the picture needs a terminal with colours", "step 6")


def refused(*words, **options):
    with pytest.raises(UsageError) as caught, watch.screen(watch.Options(*words, **options)):
        pass
    return str(caught.value)


def test_what_renders_no_pixels_is_refused_in_a_line():
    assert refused("gym:ArenaDark-v0", ("random",)) == (
        "gym:ArenaDark-v0 cannot be watched: it renders ansi, not rgb_array"
    )
    assert "renders uint8 of shape (8, 12), not uint8 of (height, width, 3)" in refused("gym:ArenaFlat-v0", ("random",))


def test_without_pygame_the_line_says_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    said = refused("gym:CartPole-v1", ("random",))
    assert said.startswith("gym:CartPole-v1 cannot be watched: pygame is not installed")
    assert "pip install" in said
    assert "\n" not in said


def test_an_environment_has_one_agent_and_no_options_of_games():
    assert refused("gym:CartPole-v1", ("random", "random")) == "gym:CartPole-v1 has one seat; name 1 agent, not 2"
    assert refused("gym:CartPole-v1", ("random",), boards=2) == "--boards: for games, and gym:CartPole-v1 is none"


def test_the_speed_is_the_environments_own_unless_one_is_given():
    with watch.screen(watch.Options("gym:ArenaLamp-v0", ("random",))) as screen:
        assert screen.pace.speed == 60
    with watch.screen(watch.Options("gym:ArenaLamp-v0", ("random",), speed=4.0)) as screen:
        assert screen.pace.speed == 4
