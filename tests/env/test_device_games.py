"""`GameVectorEnv` on a CUDA device: in numba's simulator, and what is said where there is no device."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.base.errors import UsageError
from arena.env import device
from arena.env.native import GameVectorEnv
from tests.device_on_host import needs_compilers
from tests.tiers import mostly_slow


@pytest.mark.full
@needs_compilers
@pytest.mark.parametrize("tier", mostly_slow(["not slow", "slow"], {"not slow"}, "compiles rules for the simulator"))
def test_games_in_the_simulator(tier):
    """One process for all: numba reads the variable when it is imported."""
    file = Path(__file__).with_name("simulated_games.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", tier, str(file)]
    done = subprocess.run(command, env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]


def test_a_device_that_cannot_be_used_is_refused_with_what_is_missing(monkeypatch):
    with pytest.raises(UsageError, match="device='gpu' is not one of cpu, cuda, auto"):
        GameVectorEnv("tic_tac_toe", 1, device="gpu")
    monkeypatch.setattr(device, "missing_for_cuda", lambda: "the driver is missing")
    with pytest.raises(UsageError) as refused:
        GameVectorEnv("tic_tac_toe", 1, device="cuda")
    assert str(refused.value) == "device 'cuda' cannot be used here: the driver is missing; 'cpu' always works"
    assert GameVectorEnv("tic_tac_toe", 1, device="auto").device == "cpu"


def test_the_extra_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(device.importlib.util, "find_spec", lambda name: None)
    assert device.missing_for_cuda().startswith("numba-cuda is not installed (pip install ")


def test_a_numba_cuda_that_does_not_fit_numpy_is_named(monkeypatch):
    """NumPy 2.5 has no `row_stack`, which numba-cuda 0.30.4 calls as it is imported."""

    def unfit(name):
        raise AttributeError("module 'numpy' has no attribute 'row_stack'")

    monkeypatch.setattr(device.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(device.importlib, "import_module", unfit)
    said = device.missing_for_cuda()
    assert said.startswith("numba-cuda cannot be imported: module 'numpy' has no attribute 'row_stack' (pip install ")


@pytest.mark.full
def test_a_torch_without_cuda_is_named():
    torch = pytest.importorskip("torch")
    pytest.importorskip("numba_cuda")
    if torch.version.cuda is None:
        assert "built without CUDA" in device.missing_for_cuda()
