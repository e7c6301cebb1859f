"""Options of a training that mean nothing are refused where they are made."""

import pytest

from arena.base.errors import UsageError
from arena.policy.registry import make_game
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.matchups import require_room, transition_bytes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"self_play": -0.1}, "are shares"),
        ({"self_play": 0.8, "pool": 0.3}, "together at most 1"),
        ({"self_play": 0.5, "pool": 0.2}, "a share of 0.3 of the games has no opponent: name references"),
        ({"opponents": 0}, "opponents=0 is not at least 1"),
        ({"matchmaker": "best"}, "unknown matchmaker 'best'; known: uniform, latest, window, pfsp, rating, fict"),
        ({"pfsp_weighting": "cubic"}, "unknown pfsp weighting 'cubic'; known: squared, variance, linear, capped"),
        ({"gate": "elo"}, "unknown gate 'elo'; known: none, score, sprt"),
        ({"main_agents": 0}, "main_agents=0: a league needs at least 1 main agent"),
        ({"main_exploiters": -1}, "main_exploiters=-1 is not at least 0"),
        ({"verification": 0.1}, "self_play=0.8, pool=0.2 and verification=0.1 are shares"),
        ({"gate_score": 1.2}, "gate_score=1.2 is not between 0 and 1"),
        ({"gate_score": 0}, "gate_score=0 is not above 0"),
        ({"gate_games": 7}, "gate_games=7 is not an even number above 0"),
        ({"gate_elo0": 50.0}, "gate_elo0=50 is not below gate_elo1=50"),
        ({"payoff_decay": 1.5}, "payoff_decay=1.5 is not between 0 and 1"),
        ({"exploiter_share": 0}, "exploiter_share=0 is not above 0"),
        ({"self_play": 1.0, "pool": 0.0, "league_exploiters": 1}, "exploiters have no effect if main agents play no"),
    ],
)
def test_leagues(options, message):
    with pytest.raises(UsageError, match=message):
        LeagueConfig(**options)


def test_references_take_what_is_left():
    assert LeagueConfig(self_play=0.5, pool=0.2, references=("random",)).references == ("random",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "steps=0 is not at least 1"),
        ({"snapshots": 0}, "snapshots=0 is not at least 1"),
        ({"boards": -1}, "boards=-1 is not at least 1"),
        ({"moves": 0}, "moves=0 is not at least 1"),
        ({"seed": -1}, "seed=-1 is not at least 0"),
        ({"threads": -1}, "threads=-1 is not at least 0"),
        ({"evaluation_games": 3}, "evaluation_games=3 is not an even number above 0"),
        ({"evaluation_games": 0}, "evaluation_games=0 is not an even number above 0"),
    ],
)
def test_runs(options, message):
    with pytest.raises(UsageError, match=message):
        RunConfig(**options)


def test_transitions_that_memory_cannot_hold_are_refused_before_anything_is_made():
    size = transition_bytes(make_game("go"), keeps_policies=False, needs_obs_next=True, pack=False)
    with pytest.raises(UsageError, match=r"1,000,000,000,000 transitions of go:.* take .* GB, and this .* --boards"):
        require_room(make_game("go"), 10**12, size, "--boards or --moves")
    require_room(make_game("go"), 1000, size, "--boards or --moves")


@pytest.mark.parametrize(
    ("keeps_policies", "needs_obs_next", "pack", "size"),
    [
        (False, True, False, 23_552),
        (False, True, True, 2_944),
        (True, True, False, 42_240),
        (True, False, True, 20_160),
    ],
)
def test_what_a_transition_of_chess_takes(keeps_policies, needs_obs_next, pack, size):
    """Planes [8, 8, 111] and a mask [4672] in bytes or bits, once or twice, and a policy [4672] in float32."""
    assert transition_bytes(make_game("chess"), keeps_policies, needs_obs_next, pack) == size
