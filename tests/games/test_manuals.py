"""Manuals: every game has one, with its parts; what they say of options and notation is true of the game."""

import re
from dataclasses import replace

import pytest

from arena.policy.registry import GAMES, make_game
from games.engine.game import CHANCE
from games.engine.manual import HEADINGS, manual_of, packaged_manual

NAMES = sorted(GAMES.names())


def section(name, heading):
    return next(part.paragraphs for part in manual_of(make_game(name)) if part.heading == heading)


@pytest.mark.parametrize("name", NAMES)
def test_every_game_has_a_manual_with_all_parts(name):
    game = make_game(name)
    parts = manual_of(game)
    assert packaged_manual(name).startswith(f"# {game.title}\n")
    assert tuple(part.heading for part in parts) == HEADINGS
    assert all(part.paragraphs for part in parts)
    assert len(" ".join(parts[0].paragraphs)) > 100
    assert packaged_manual(name).isascii(), "every terminal can show it"
    assert max(map(len, packaged_manual(name).splitlines())) <= 120


@pytest.mark.parametrize("name", NAMES)
def test_it_explains_every_option_and_no_other(name):
    explained = [match[1] for point in section(name, "Options") if (match := re.match(r"- `(\w+)`: ", point))]
    assert explained == list(make_game(name).options)


@pytest.mark.parametrize("name", NAMES)
def test_it_has_three_lines_of_strategy(name):
    lines = section(name, "Strategy")
    assert len(lines) == 3
    assert all(line.startswith("- ") for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_its_notation_is_read_by_the_game(name):
    """What stands in backquotes is a move of the first position, or at least the text of one."""
    game = make_game(name)
    state = game.initial.copy()
    if state["current_player"] == CHANCE:
        state["current_player"] = 0
    if name == "backgammon":
        state["dice"], state["uses"] = (6, 5), (1, 1)
    examples = re.findall(r"`([^`]+)`", " ".join(section(name, "Notation")))
    assert examples
    for example in examples:
        action = game.parse_action(state, example)
        assert 0 <= action < game.num_actions
        assert game.parse_action(state, game.action_text(state, action)) == action


def test_a_game_from_elsewhere_brings_its_own():
    game = make_game("tic_tac_toe")
    other = replace(game, name="nim", manual_text="# Nim\n\n## Strategy\nLeave an even number.\n")
    (only,) = manual_of(other)
    assert (only.heading, only.paragraphs) == ("Strategy", ("Leave an even number.",))
    assert manual_of(replace(other, manual_text="")) == ()
