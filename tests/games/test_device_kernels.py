"""Kernels for a CUDA device, proved without one: they compile to PTX, and what is compiled plays as the CPU does.

What numba-cuda makes of a kernel runs here on this machine's processor (`tests.device_on_host`).
"""

import re
from functools import cache

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games.engine.batch import Games, Shown, View, new_games
from games.engine.compiler import kernels
from games.engine.device import compiled, device_dtype, device_kernels, kernel_arguments, machine_code, ptx
from games.engine.game import Game
from games.engine.registry import GAMES, make_game
from tests.device_on_host import needs_compilers, on_host
from tests.games.playing import SHARED, random_actions
from tests.tiers import FAST_GAMES, mostly_slow

pytestmark = [pytest.mark.full, needs_compilers]

BOARDS = 64
LONGEST = 120
"""Plies of each game, or those of its longest: whole games, but of chess, go and what else is long."""


@cache
def library(name: str, kernel: str):
    game = make_game(name)
    return compiled(getattr(device_kernels(game), kernel), kernel_arguments(game)[kernel])


def device_games(game: Game, count: int) -> Games:
    games, dtype = new_games(game, count), device_dtype(game)
    return games._replace(states=games.states.astype(dtype), initial=games.initial.astype(dtype))


def fields(states, game: Game):
    """The bytes of every field, whatever lies between them."""
    return {name: states[name].tobytes() for name in game.state_dtype.names}


@pytest.mark.parametrize("name", mostly_slow(GAMES.names(), FAST_GAMES, "compiles every game for CUDA"))
def test_every_game_compiles(name):
    """In every game the kernels that call all of its rules; the others, which call some of them, in a few games.

    To machine code at last: its assembler is the first who knows how much memory there is for what.
    """
    for kernel in kernel_arguments(make_game(name)) if name in SHARED else ("advance", "observe_movers"):
        text = ptx(library(name, kernel))
        assert machine_code(text).code
        assert ".target sm_90" in text
        assert len(re.findall(r"^\.visible \.entry ", text, re.MULTILINE)) == 1
        assert not re.search(r"malloc|NRT_", text)  # nothing is allocated while games are played


@pytest.mark.parametrize("name", mostly_slow(GAMES.names(), FAST_GAMES, "compiles every game for CUDA"))
def test_random_games_are_those_of_the_cpu(name):
    """Positions, seats, observations, masks, rewards and ends, byte by byte, through games and into new ones."""
    game = make_game(name)
    env = GameVectorEnv(game, BOARDS, autoreset=True)
    observation, _ = env.reset(seed=7)
    reset, advance, observe = (on_host(library(name, one)) for one in ("reset", "advance", "observe_movers"))
    games, rows = device_games(game, BOARDS), np.arange(BOARDS)
    games.streams[:] = np.arange(7, 7 + BOARDS)
    shown = Shown(
        seats=np.zeros(BOARDS, np.int64),
        obs=np.zeros_like(observation.obs),
        mask=np.zeros_like(observation.mask),
        rewards=np.zeros((BOARDS, game.num_players), np.float32),
        ends=np.zeros((BOARDS, game.num_players), np.bool_),
    )
    reset(BOARDS, games, rows)
    ended, rng = np.zeros(BOARDS, np.bool_), np.random.default_rng(1)
    for _ in range(LONGEST):
        if ended.all():
            break
        assert fields(games.states, game) == fields(env.states, game)
        actions = random_actions(env.mask, rng)
        observation, rewards, terminated, truncated, _ = env.step(actions)
        advance(BOARDS, games, rows, actions, True, shown)
        observe(BOARDS, games, rows, View(shown.obs, shown.mask))
        assert shown.seats.tobytes() == observation.agent_id.tobytes()
        assert shown.obs.tobytes() == observation.obs.tobytes()
        assert shown.mask.tobytes() == observation.mask.tobytes() == games.mask.tobytes()
        assert shown.rewards.tobytes() == rewards.tobytes()
        assert shown.ends.tobytes() == (terminated | truncated).tobytes()
        ended |= shown.ends[:, 0]
    state = env.state_dict()
    assert games.streams.tobytes() == state.streams.tobytes()
    assert games.determinization_streams.tobytes() == state.guesses.tobytes()


@pytest.mark.parametrize("name", SHARED)
def test_views_of_all_seats_are_those_of_the_cpu(name):
    game = make_game(name)
    env = GameVectorEnv(game, BOARDS)
    env.reset(seed=3)
    games, rows, some = device_games(game, BOARDS), np.arange(BOARDS), np.arange(0, BOARDS, 3)
    games.streams[:] = np.arange(3, 3 + BOARDS)
    on_host(library(name, "reset"))(BOARDS, games, rows)
    expected = env.final_obs(some)
    view = View(np.zeros_like(expected.obs), np.zeros_like(expected.mask))
    on_host(library(name, "observe_all"))(len(some), games, some, view)
    assert view.obs.tobytes() == expected.obs.tobytes()
    assert view.mask.tobytes() == expected.mask.tobytes()
    on_host(library(name, "joint_masks"))(len(some), games, some, View(view.mask, view.mask))
    assert view.mask.tobytes() == env.joint_masks(some).tobytes()
    movers = View(np.zeros_like(env.observations(some).obs), np.zeros((len(some), game.num_actions), np.bool_))
    on_host(library(name, "observe_movers"))(len(some), games, some, movers)
    assert movers.obs.tobytes() == env.observations(some).obs.tobytes()


@pytest.mark.parametrize("name", SHARED)
def test_playouts_are_as_long_as_those_of_the_cpu(name):
    game = make_game(name)
    games, lengths, states = device_games(game, BOARDS), np.zeros(BOARDS, np.int64), new_games(game, BOARDS).states
    on_host(library(name, "playouts"))(BOARDS, games, lengths, 5)
    mask, chances = np.zeros(game.num_actions, np.bool_), game.chance_scratch()
    assert lengths.sum() == kernels(game).playouts(states, game.initial.reshape(1), mask, chances, 5)
    assert fields(games.states, game) == fields(states, game)


def test_the_first_action_that_may_not_be_played_is_found():
    game = make_game("tic_tac_toe")
    games, rows, find = device_games(game, 4), np.arange(4), on_host(library(game.name, "first_illegal"))
    games.over[:] = False
    games.mask[2, 5] = False
    found = []
    for actions, over in (([0, 1, 5, -1], 4), ([0, 1, 2, -1], 4), ([0, 1, 2, 9], 4), ([0, 1, 2, 3], 4), ([0] * 4, 1)):
        first = np.array([4])
        games.over[1] = over == 1
        find(4, games, rows, np.array(actions), first)
        found.append(first[0])
    assert found == [2, 3, 3, 4, 1]


@pytest.mark.parametrize("name", GAMES.names())
def test_records_of_a_device_are_aligned_and_keep_every_field(name):
    game = make_game(name)
    dtype = device_dtype(game)
    for field in dtype.names:
        kind, offset = dtype.fields[field][:2]
        assert offset % kind.base.itemsize == dtype.itemsize % kind.base.itemsize == 0
    noise = np.frombuffer(np.random.default_rng(0).bytes(7 * game.state_dtype.itemsize), np.uint8)
    states = noise.view(game.state_dtype)
    assert fields(states.astype(dtype).astype(game.state_dtype), game) == fields(states, game)
