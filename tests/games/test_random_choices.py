"""A game's own shortcuts to random choices: they choose what the mask and the probabilities allow, as often."""

import numpy as np
import pytest

from games.engine.compiler import instantiate
from games.engine.game import CHANCE, TERMINAL
from games.engine.registry import make_game
from tests.games.chance import ONE_IN_A_MILLION, chi_square_excess
from tests.games.playing import positions

pytestmark = pytest.mark.full

CHOOSERS = [
    "chess",
    "connect_four",
    "connect_four:rows=4,columns=5,k=3",
    "go:size=5",
    "hex:size=4",
    "hex:size=3,swap=false",
    "kuhn_poker",
    "leduc_poker",
    "tic_tac_toe",
]
DRAWERS = ["gin_rummy", "kuhn_poker", "kuhn_poker:players=3", "leduc_poker", "leduc_holdem"]
TIMES = 4000


@pytest.mark.parametrize("spec", CHOOSERS)
def test_every_legal_action_is_chosen_as_often_as_the_others(spec):
    game = make_game(spec)
    bits = np.random.default_rng(0).integers(2**64, size=TIMES, dtype=np.uint64)
    chosen = np.empty(TIMES, np.int64)
    met = [position for seed in range(4) for position in positions(game, seed)]
    for state, mask in sorted(met, key=lambda position: position[1].sum())[:20] + met[:20]:  # the narrowest, too
        if state["current_player"] != TERMINAL:
            instantiate("tests.games.choices", game).actions(state.reshape(1), bits, chosen)
            times = np.bincount(chosen, minlength=game.num_actions)
            assert not times[~mask].any()
            assert mask.sum() == 1 or chi_square_excess(times, mask / mask.sum()) < ONE_IN_A_MILLION


@pytest.mark.parametrize("spec", DRAWERS)
def test_an_outcome_that_is_drawn_is_the_one_that_the_probabilities_give(spec):
    game = make_game(spec)
    apply = instantiate("games.engine.moves", game).apply
    scratch, drawn, picked = np.empty(game.num_outcomes), np.empty(TIMES, np.int64), np.empty(TIMES, np.int64)
    states, dealt = np.repeat(game.initial.reshape(1), 1), 0
    while states[0]["current_player"] == CHANCE:
        instantiate("tests.games.choices", game).outcomes(states, scratch, drawn, picked)
        np.testing.assert_array_equal(drawn, picked)
        assert len(set(drawn)) > 1
        apply(states[0], drawn[dealt])
        dealt += 1
    assert dealt == {"gin_rummy": 22, "leduc_holdem": 3}.get(spec, game.num_players)
