"""What importing the games costs: nothing heavy is loaded, nothing is compiled, before a game is played."""

import subprocess
import sys

import pytest

HEAVY = {"torch", "ray", "textual", "matplotlib", "pettingzoo", "gymnasium", "numba", "numba.cuda", "tensorboard"}


def loaded(program: str, tmp_path, monkeypatch) -> set[str]:
    """Which of the heavy packages a program has imported at its end; it may write no kernel."""
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    code = f"import sys\n{program}\nprint(*sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert not (tmp_path / "cache").exists()
    return set(done.stderr.split())


@pytest.mark.parametrize("program", ["import games", "import arena", "import agents", "import arena.policy.registry"])
def test_a_package_brings_nothing_heavy(program, tmp_path, monkeypatch):
    assert loaded(program, tmp_path, monkeypatch) == set()


def test_listing_games_and_agents_brings_nothing_heavy(tmp_path, monkeypatch):
    program = "from arena.policy.registry import AGENTS, GAMES\nGAMES.names(), AGENTS.names()"
    assert loaded(program, tmp_path, monkeypatch) == set()


def test_describing_a_game_compiles_nothing(tmp_path, monkeypatch):
    program = "import games\n[games.make(name) for name in games.GAMES]\ngames.connect_four.game().initial.copy()"
    assert loaded(program, tmp_path, monkeypatch) == {"numba"}


def test_a_vector_environment_needs_no_torch_and_no_pettingzoo(tmp_path, monkeypatch):
    program = "import arena.env.native, arena.data, arena.match.match, arena.policy.random"
    assert loaded(program, tmp_path, monkeypatch) <= {"numba", "gymnasium"}
