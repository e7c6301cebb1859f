"""What is loaded before a clock runs."""

import subprocess
import sys

import pytest

CODE = """
import sys
from arena.cli.gtp import GtpServer
from arena.policy.registry import make_game
from games.engine.jit import KernelCache

program = GtpServer(make_game("hex:size=3"), sys.argv[1], 0)
load, loaded = KernelCache.load_overload, []
KernelCache.load_overload = lambda cache, *rest: loaded.append(cache.cache_path) or load(cache, *rest)
for command in ("time_settings 1 0 0", "play b a1", "genmove w", "play b b3", "genmove w", "clear_board", "genmove b"):
    print(program.obey(command))
sys.exit(f"loaded after the warm-up: {loaded}" if loaded else 0)
"""


@pytest.mark.full
@pytest.mark.parametrize("agent", ["mcts", "alphabeta"])
def test_nothing_is_left_to_be_loaded_when_the_first_clock_runs(agent):
    done = subprocess.run([sys.executable, "-c", CODE, agent], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
