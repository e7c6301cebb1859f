"""Options of games: the same check at every door, and what a label prints can be typed."""

import inspect
from itertools import product
from typing import get_args

import numpy as np
import pytest

import games
from arena.cli.main import main
from arena.env.native import GameVectorEnv
from games.engine.errors import UsageError
from games.engine.registry import GAMES, make_game
from tests.games.playing import SPECS

WRONG = [
    ("go", {"ko": "superko"}, "go: option ko='superko' is none of 'positional', 'simple'"),
    ("go", {"size": 5.0}, "go: option size=5.0 is not a whole number; write size=5"),
    ("go", {"size": np.float64(5)}, "go: option size=5.0 is not a whole number; write size=5"),
    ("go", {"size": True}, "go: option size=True is not a whole number"),
    ("go", {"size": "5"}, "go: option size='5' is not a whole number"),
    ("go", {"size": [5]}, "go: option size=[5] is not a whole number"),
    ("go", {"komi": "7"}, "go: option komi='7' is not a number"),
    ("go", {"ko": ["simple"]}, "go: option ko=['simple'] is none of 'positional', 'simple'"),
    ("go", {"sise": 5}, "unknown option of go 'sise'; did you mean 'size'?"),
    ("kalah", {"sweep": "false"}, "kalah: option sweep='false' is not true or false"),
    ("kalah", {"sweep": 0}, "kalah: option sweep=0 is not true or false"),
    ("liars_dice", {"wild": "false"}, "liars_dice: option wild='false' is not true or false"),
    ("gomoku", {"overline": "no"}, "gomoku: option overline='no' is not true or false"),
    ("chess", {"draws": "petting_zoo"}, "chess: option draws='petting_zoo' is none of 'automatic', 'pettingzoo'"),
    ("matrix_game", {"payoffs": 3}, "matrix_game: option payoffs=3 is not text"),
]
DOORS = {
    "game": lambda name, options: getattr(games, name).game(**options),
    "env": lambda name, options: getattr(games, name).env(**options),
    "raw_env": lambda name, options: getattr(games, name).raw_env(**options),
    "parallel_env": lambda name, options: getattr(games, name).parallel_env(**options),
    "make": lambda name, options: games.make(name, **options),
    "make_game": lambda name, options: make_game(name, **options),
    "GameVectorEnv": lambda name, options: GameVectorEnv(name, 1, **options),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("name", "options", "message"), WRONG)
def test_every_door_refuses_the_same_in_the_same_words(door, name, options, message):
    with pytest.raises(UsageError) as caught:
        DOORS[door](name, options)
    assert str(caught.value) == message


@pytest.mark.parametrize("door", DOORS)
def test_numbers_of_numpy_are_numbers(door):
    options = {"size": np.int8(5), "komi": np.array(0.5)}
    made = DOORS[door]("go", options)
    game = getattr(made, "game", made)
    assert game.label == "go(size=5, komi=0.5, ko=positional)"
    assert [type(value) for value in game.options.values()] == [int, float, str]
    made = DOORS[door]("hex", {"swap": np.False_})
    assert getattr(made, "game", made) is make_game("hex", swap=False)


def test_a_game_is_described_once():
    assert games.go.game(komi=7) is games.go.game(komi=7.0) is games.go.game(19, 7)
    assert games.go.game() is games.go.game(19) is make_game("go", komi=7.5)
    assert games.go.game(komi=7).label == "go(size=19, komi=7.0, ko=positional)"
    assert make_game("go", komi=-0.0).label == "go(size=19, komi=0.0, ko=positional)"


def test_the_command_line_refuses_it_too(capsys):
    assert main(["watch", "go:ko=superko"]) == 2
    assert "go: option ko='superko' is none of 'positional', 'simple'" in capsys.readouterr().err
    assert main(["watch", "go:size=5.0"]) == 2
    assert "go: option size='5.0' is not a whole number; write size=5" in capsys.readouterr().err


VALUES = {int: (1, 2, 3, 4, 5, 6, 7, 8, 10), float: (0.0, 0.5, 7.0, 1e-07, 250.25), bool: (False, True)}


def described(name):
    """The game with every value of every option that it takes, among a few numbers, one option at a time."""
    build = GAMES.load(name)
    for key, parameter in inspect.signature(build).parameters.items():
        kind = parameter.annotation
        for value in VALUES.get(kind, get_args(kind) or ("prisoners_dilemma", "1 2 3;4 5 0.5", "3 0;5 1|3 5;0 1")):
            try:
                yield make_game(name, **{key: value})
            except UsageError:
                continue  # out of this game's range


@pytest.mark.parametrize("name", GAMES.names())
def test_what_is_printed_can_be_typed(name):
    for game in (make_game(name), *described(name)):
        assert make_game(game.label) is game
        assert make_game(game.spec) is game


@pytest.mark.parametrize("spec", SPECS)
def test_games_with_several_options_too(spec):
    game = make_game(spec)
    assert make_game(game.label) is make_game(game.spec) is game


def test_what_is_typed():
    assert make_game("go:size=9,komi=7").spec == "go:size=9,komi=7.0,ko=positional"
    assert make_game("chess").spec == "chess:draws=automatic"
    assert make_game("texas_holdem()") is make_game("texas_holdem")
    for yes, no in product(("true", "True", "TRUE"), ("false", "False")):
        assert make_game(f"hex:swap={yes}") is make_game("hex")
        assert make_game(f"hex( size=11,swap={no} )") is make_game("hex", swap=False)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hex(swap=True", "'hex(swap=True' lacks its closing bracket"),
        ("hex(swap=maybe)", "hex: option swap='maybe' is not true or false"),
        ("hexx(swap=True)", "unknown game 'hexx'; did you mean 'hex'?"),
    ],
)
def test_labels_that_are_none(spec, message):
    with pytest.raises(UsageError) as caught:
        make_game(spec)
    assert str(caught.value) == message
