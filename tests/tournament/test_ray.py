"""Tournaments on a Ray cluster that cannot be reached; for one that can see `tests/processes/test_ray.py`."""

import socket

import pytest

import games
from arena.base.errors import UsageError
from arena.processes.cluster import require_ray
from arena.tournament.tournament import run_tournament

pytestmark = pytest.mark.full

ray = pytest.importorskip("ray")


def test_an_address_that_does_not_answer_is_refused(monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    players = {"random": "random", "one": "one-ply"}
    with pytest.raises(UsageError, match=rf"no Ray cluster can be reached at 127\.0\.0\.1:{port}"):
        run_tournament(games.make("tic_tac_toe"), players, workers="ray")
    with pytest.raises(UsageError, match=r"workers='ray://here' is not of the form ray://HOST:PORT"):
        run_tournament(games.make("tic_tac_toe"), players, workers="ray://here")


def test_a_ray_that_does_not_start_is_refused_in_one_line(monkeypatch):
    def fail(**options):
        raise Exception("The current node timed out during startup.\nMore of it.")

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", fail)
    with pytest.raises(UsageError, match=r"^Ray does not start on this machine: The current node.*startup\.$"):
        require_ray()
