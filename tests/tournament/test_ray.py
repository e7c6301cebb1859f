"""Tournaments on a Ray cluster: the same games, and a node that is killed costs only repeated work."""

import socket

import pytest

import games
from arena.base.errors import UsageError
from arena.store import Store
from arena.tournament.tournament import run_tournament
from tests.on_ray import run_to_its_end

pytestmark = pytest.mark.full

pytest.importorskip("ray")


def test_games_are_those_of_one_process_though_a_node_is_killed(tmp_path):
    from tests.tournament import on_ray

    run_to_its_end(on_ray, tmp_path)
    expected = run_tournament(games.make(on_ray.GAME), on_ray.PLAYERS, on_ray.CONFIG)
    with Store(tmp_path / on_ray.STORE, create=False) as store:
        kept = {match.number: match.record for match in store.each_match()}
        assert len(list(store.each_match())) == len(kept)
    assert [kept[number] for number in sorted(kept)] == list(expected.records)


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
