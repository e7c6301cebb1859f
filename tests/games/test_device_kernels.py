"""Kernels for a CUDA device, compiled as far as that goes without one: to PTX, from the rules of the CPU."""

import re

import numpy as np
import pytest

from games.engine.device import device_dtype, device_kernels, kernel_arguments, ptx
from games.engine.registry import GAMES, make_game
from tests.games.playing import SHARED

pytestmark = pytest.mark.full

HOPPER = (9, 0)


EVERY_RULE = {"advance", "observe_all", "playouts"}
"""Kernels that call among them all that the others do; all of them are compiled for the games of `SHARED`."""


@pytest.mark.parametrize("name", GAMES.names())
def test_the_kernels_of_every_game_compile(name):
    game = make_game(name)
    kernels = device_kernels(game)
    chosen = None if name in SHARED else EVERY_RULE
    for kernel, arguments in kernel_arguments(game).items():
        if chosen is not None and kernel not in chosen:
            continue
        text = ptx(getattr(kernels, kernel), arguments, HOPPER)
        assert ".target sm_90" in text
        assert len(re.findall(r"^\.visible \.entry ", text, re.MULTILINE)) == 1
        assert not re.findall(r"call.*(malloc|NRT)", text)  # nothing is allocated while games are played


@pytest.mark.parametrize("name", GAMES.names())
def test_records_of_a_device_are_aligned_and_keep_every_field(name):
    game = make_game(name)
    dtype = device_dtype(game)
    for field in dtype.names:
        kind, offset = dtype.fields[field][:2]
        assert offset % kind.base.itemsize == dtype.itemsize % kind.base.itemsize == 0
    packed = np.frombuffer(np.random.default_rng(0).bytes(7 * game.state_dtype.itemsize), np.uint8)
    states = packed.view(game.state_dtype)
    again = states.astype(dtype).astype(game.state_dtype)
    for field in dtype.names:
        assert again[field].tobytes() == states[field].tobytes()
