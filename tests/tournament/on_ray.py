"""A tournament on a Ray cluster of two nodes, of which one is killed."""

import games
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament
from tests.on_ray import TwoNodes

GAME = "tic_tac_toe"
PLAYERS = {"random": "random", "one": "one-ply", "deep": "alphabeta:5"}
CONFIG = TournamentConfig(games=20, openings="random:2")


def check(nodes: TwoNodes) -> None:
    killed = False

    def kill(records, total):
        nonlocal killed
        if records and not killed:
            nodes.kill()
            killed = True

    with Store("arena.db") as store:
        run_tournament(games.make(GAME), PLAYERS, CONFIG, kill, workers="ray", store=store)
        kept = {match.number: match.record for match in store.each_match()}
        assert len(list(store.each_match())) == len(kept)
    assert killed
    expected = run_tournament(games.make(GAME), PLAYERS, CONFIG)
    assert [kept[number] for number in sorted(kept)] == list(expected.records)
