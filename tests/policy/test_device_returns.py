"""Returns for a CUDA device, compiled as far as that goes without one: to PTX, from the loops of the CPU."""

import numpy as np
import pytest

from arena.policy import device_returns
from arena.policy.returns import Rewards, Steps
from games.engine.device import ptx

pytestmark = pytest.mark.full

FLOATS, FLAGS, PLACES = np.zeros(1), np.zeros(1, np.bool_), np.zeros(2, np.int64)
ARGUMENTS = {
    "gae": (Steps(FLOATS, FLOATS, FLOATS, FLAGS, PLACES, FLAGS, FLAGS), PLACES, (0.9, 0.9), FLOATS, FLOATS),
    "n_step": (PLACES, 3, 0.9, Rewards(FLOATS, FLAGS, PLACES, PLACES, PLACES), FLOATS, PLACES, FLOATS),
}


@pytest.mark.parametrize("kernel", ARGUMENTS)
def test_returns_compile_for_a_device(kernel):
    assert ".visible .entry" in ptx(getattr(device_returns, kernel), ARGUMENTS[kernel], (9, 0))
