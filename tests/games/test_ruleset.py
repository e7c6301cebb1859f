"""What a description of a game lacks, or names wrongly, is refused when the game is described."""

import dataclasses
import pickle
import subprocess
import sys

import pytest
from numba import njit

from games.engine.compiler import instantiate
from games.engine.errors import DescriptionError, UnknownNameError, UsageError
from games.engine.registry import GAMES, make_game
from games.engine.ruleset import Ruleset

HIDDEN = ("redact", "determinize", "information_state")


def rules_of(name):
    return dict(make_game(name).rules.named())


def without(game, *names, **traits):
    return dataclasses.replace(game, rules=dataclasses.replace(game.rules, **dict.fromkeys(names)), **traits)


def test_a_misspelt_rule_is_named_with_the_right_one():
    rules = rules_of("leduc_holdem")
    rules["determinise"] = rules.pop("determinize")
    with pytest.raises(UnknownNameError) as caught:
        Ruleset(**rules)
    assert str(caught.value) == "unknown rule 'determinise'; did you mean 'determinize'?"


@pytest.mark.parametrize("name", ["legal_actions", "apply", "observe", "returns"])
def test_what_every_game_needs(name):
    rules = rules_of("tic_tac_toe")
    del rules[name]
    with pytest.raises(DescriptionError, match=f"^the rules of a game lack {name}$"):
        Ruleset(**rules)


@pytest.mark.parametrize("spec", [name for name in GAMES.names() if not make_game(name).perfect_information])
@pytest.mark.parametrize("name", HIDDEN)
def test_a_game_that_hides_something_needs_the_rules_for_that(spec, name):
    game = make_game(spec)
    with pytest.raises(
        DescriptionError, match=rf"{spec}: a game with perfect_information=False.* needs the rule {name}$"
    ):
        without(game, name)
    with pytest.raises(DescriptionError, match=f"{spec}: redact hides something, so say perfect_information=False"):
        dataclasses.replace(game, perfect_information=True)


def test_an_information_state_has_a_shape():
    with pytest.raises(DescriptionError, match=r"needs information_shape$"):
        dataclasses.replace(make_game("kuhn_poker"), information_shape=None)


def test_choices_made_at_once_are_hidden():
    with pytest.raises(DescriptionError, match="tron: simultaneous hides something"):
        without(make_game("tron"), *HIDDEN, perfect_information=True)


@pytest.mark.parametrize("spec", [name for name in GAMES.names() if make_game(name).has_chance])
def test_a_game_of_chance_needs_its_outcomes(spec):
    with pytest.raises(DescriptionError, match=rf"{spec}: .*num_outcomes=\d+ needs the rule chance_outcomes$"):
        without(make_game(spec), "chance_outcomes")


def test_chance_needs_a_random_stream():
    with pytest.raises(DescriptionError, match="needs the rule chance_outcomes, RANDOM_FIELD in its record"):
        dataclasses.replace(make_game("tic_tac_toe"), num_outcomes=6)


def plain(state, seat):
    """Not compiled."""


def test_rules_are_compiled_functions_of_a_module():
    @njit
    def inner(state, seat):
        """Compiled, but nothing that can be imported."""

    rules = make_game("tic_tac_toe").rules
    with pytest.raises(DescriptionError, match=r"the rule observe is <function plain.*, not a function decorated"):
        dataclasses.replace(rules, observe=plain)
    with pytest.raises(DescriptionError, match=r"the rule observe \(.*inner\) is not at the top level of its module"):
        dataclasses.replace(rules, observe=inner)


def test_the_name_of_a_module_is_not_its_rules():
    with pytest.raises(DescriptionError, match="nim: rules='nim' is not a Ruleset"):
        dataclasses.replace(make_game("tic_tac_toe"), name="nim", rules="nim")
    assert issubclass(DescriptionError, UsageError)


@pytest.mark.full
@pytest.mark.parametrize("spec", GAMES.names())
def test_rules_are_the_same_in_another_process(spec):
    rules = make_game(spec).rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    program = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).apply.__module__)"
    if spec == "leduc_holdem":  # importing numba takes a second
        done = subprocess.run(
            [sys.executable, "-c", program], input=pickle.dumps(rules), capture_output=True, check=True
        )
        assert done.stdout.decode().strip() == "games.leduc_holdem"


def test_a_game_on_top_of_another_compiles_its_own_rules():
    """Two games that share all but one rule have kernels of their own."""
    game = make_game("leduc_poker")
    other = dataclasses.replace(game, rules=dataclasses.replace(game.rules, random_action=None))
    one, two = (instantiate("games.engine.kernels", g).__name__ for g in (game, other))
    assert one != two
