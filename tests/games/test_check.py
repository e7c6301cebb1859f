"""`games.check` finds nothing wrong with the games, and each of the faults planted here."""

from dataclasses import replace

import numpy as np
import pytest
from numba import njit

import games
from arena.cli.main import main
from games.engine.check import CHECKS, find_problems
from games.engine.errors import ContractError
from games.engine.game import TERMINAL
from games.engine.registry import make_game
from games.engine.ruleset import Ruleset
from games.leduc_poker import apply, observe
from tests.games import nim
from tests.games.playing import SAME_SHAPE, SPECS

LEDUC = make_game("leduc_poker")
NIM = replace(nim.game(), observation_high=5)


@njit
def observe_both_cards(state, seat, out):
    observe(state, seat, out)
    out[2 + max(state.cards[0], state.cards[1])] = 1


@njit
def observe_half(state, seat, out):
    out[0] = 1


@njit
def keep_cards(state, seat):
    """A `determinize` that leaves what is hidden as it is."""


@njit
def apply_by_luck(state, action):
    apply(state, action)
    if state.current_player == TERMINAL:
        state.paid[0] += np.random.randint(0, 100)


@njit
def never_end(state, action):
    state.current_player = 1 - state.current_player


@njit
def win_both(state, out):
    out[:] = state.stones == 0


@njit
def nothing_is_legal(state, mask):
    mask[0] = state.stones > 2


def with_rules(game, **rules):
    return replace(game, rules=Ruleset(**dict(game.rules.named()) | rules))


def problems(game) -> dict[str, str]:
    return {problem.check: problem.text for problem in find_problems(game, 4) if problem.text}


@pytest.mark.parametrize("spec", [*SPECS, *SAME_SHAPE])
def test_nothing_is_wrong_with_the_games(spec):
    games.check(make_game(spec), num_games=3)


FAULTS = {
    "a seat sees the other's card": ("secrets", with_rules(LEDUC, observe=observe_both_cards), "once the position is"),
    "a guess is the truth": ("secrets", with_rules(LEDUC, determinize=keep_cards), "looks at what is hidden"),
    "luck beside the seed": ("determinism", with_rules(LEDUC, apply=apply_by_luck), "the same seed and actions"),
    "an observation half written": ("observations", with_rules(LEDUC, observe=observe_half), "leaves entries"),
    "an observation too large": ("observations", nim.game(), "holds 5 after move 0"),
    "it never ends": ("ends", with_rules(NIM, apply=never_end), "goes on after max_length=5"),
    "no legal action": ("ends", with_rules(NIM, legal_actions=nothing_is_legal), "no action is legal"),
    "both win": ("ends", with_rules(NIM, returns=win_both), "do not sum to zero"),
    "not equal": ("ends", replace(NIM, zero_sum=False, cooperative=True), "are not equal"),
    "text of another action": (
        "text",
        replace(NIM, parse_action=lambda state, text: 0),
        "written '2', which is read as 0",
    ),
    "a picture that writes": (
        "picture",
        replace(NIM, picture=lambda state: state.fill(0) or nim.picture(state)),
        "changes",
    ),
    "no symmetry": ("symmetries", replace(NIM, symmetries=((np.array([0]), np.array([1, 0])),)), "goes differently"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_named(fault):
    name, game, message = FAULTS[fault]
    found = problems(game)
    assert message in found[name]
    with pytest.raises(ContractError, match=name):
        games.check(game, num_games=4)


def test_every_check_finds_some_fault():
    assert {name for name, _, _ in FAULTS.values()} == set(CHECKS)


def test_the_command_prints_a_line_a_check(capsys):
    assert main(["check-game", "kuhn_poker", "--games", "2"]) == 0
    assert capsys.readouterr().out.split() == [word for name in CHECKS for word in (name, "ok")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nobodys_game", "unknown game 'nobodys_game'"),
        ("kuhn_poker --games 0", "--games 0 is not at least 1"),
        ("kuhn_poker --seed -1", "--seed -1 is not at least 0"),
    ],
)
def test_wrong_input_is_one_line(words, message, capsys):
    assert main(["check-game", *words.split()]) == 2
    assert message in capsys.readouterr().err
