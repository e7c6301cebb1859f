"""Keys: one set for all games and screens, and no move that is typed is a command."""

from functools import cache

import numpy as np
import pytest
from textual.binding import Binding

from arena.match.replay import empty_seats
from arena.policy.registry import GAMES, make_game
from arena.tui.app import ArenaApp
from arena.tui.screens.boards import BoardsScreen
from arena.tui.screens.play import PlayScreen
from arena.tui.screens.replay import ReplayScreen
from arena.tui.screens.watch import WatchScreen
from arena.tui.widgets.entry import COMMANDS, Entry
from tests.tui.agents import FirstLegal
from tests.tui.helpers import last_line, my_turn, notice

pytestmark = pytest.mark.full

SENT_FOR_OTHERS = {"ctrl+c", "ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m"}
"""Keys that terminals send for others, or that leave the program."""
MATCH_SCREENS = (PlayScreen, WatchScreen, ReplayScreen, BoardsScreen)
MOST_MOVES = 60


def commands(screen):
    """The actions of a screen's keys that hold letters, by key."""
    bindings = [binding for binding in screen.BINDINGS if isinstance(binding, Binding)]
    keys = {key: binding.action for binding in bindings for key in binding.key.split(",")}
    return {key: action for key, action in keys.items() if len(key.removeprefix("ctrl+")) == 1}


@cache
def moves_of(name):
    """The texts of legal moves in two games at random."""
    game, rng, texts = make_game(name), np.random.default_rng(0), set()
    for seed in range(2):
        match = empty_seats(game, ["somebody"] * game.num_players, seed)
        for _ in range(MOST_MOVES):
            if match.over:
                break
            actions = np.flatnonzero(match.legal)
            texts |= {game.action_text(match.state, int(action)) for action in actions}
            match.play(int(rng.choice(actions)))
    return texts


def app_of(name):
    return ArenaApp(PlayScreen(make_game(name), [("bot", FirstLegal())] * (make_game(name).num_players - 1)))


@pytest.mark.slow("types every move of every game")
def test_no_move_begins_like_a_command():
    assert not [(name, text) for name in GAMES.names() for text in moves_of(name) if text[0] in COMMANDS]


@pytest.mark.slow("types every move of every game")
async def test_no_character_of_a_move_is_a_command():
    """Keys are those of the screen, whatever its game: the characters of all games, small and capital, in one."""
    texts = {text for name in GAMES.names() for text in moves_of(name)}
    app = app_of("gin_rummy")
    async with app.run_test(size=(80, 24)) as pilot:
        screen = app.screen
        await my_turn(pilot)
        known, said = list(screen.match.positions), notice(app)
        entry = screen.query_one(Entry)
        for character in sorted({case for text in texts for case in (*text.lower(), *text.upper())} - {" "}):
            await pilot.press(character)
            assert entry.text == character
            await pilot.press("escape")
        assert app.screen is screen
        assert (screen.match.positions, notice(app)) == (known, said)


@pytest.mark.parametrize("text", ["d4", "h5"])
async def test_moves_of_go_offer_no_draw_and_ask_no_hint(text):
    app = app_of("go:size=9")
    async with app.run_test(size=(80, 24)) as pilot:
        await my_turn(pilot)
        await pilot.press(*text)
        assert app.screen.query_one(Entry).text == text
        assert app.screen.sitting.draw_offer.by is None
        assert app.screen.jobs.current is None
        await pilot.press("enter")
        await my_turn(pilot, 2)
        assert app.screen.match.positions[1].move == text.upper()


def test_a_letter_means_the_same_on_all_screens_of_matches():
    meanings = {}
    for screen in MATCH_SCREENS:
        for key, action in commands(screen).items():
            meanings.setdefault(key.removeprefix("ctrl+").lower(), set()).add(action)
    two = {"s": {"save_screen", "save_board"}, "a": {"analyse", "analyse_all"}, "r": {"resign", "stop"}}
    assert {key: found for key, found in meanings.items() if len(found) > 1} == two


def test_where_moves_are_typed_every_command_has_a_key_that_is_no_character():
    letters = {action for key, action in commands(PlayScreen).items() if not key.startswith("ctrl+")}
    assert letters == {action for key, action in commands(PlayScreen).items() if key.startswith("ctrl+")} - {
        "app.toggle_theme"
    }


@pytest.mark.parametrize("screen", MATCH_SCREENS)
def test_no_command_is_on_a_key_that_terminals_send_for_others(screen):
    assert not commands(screen).keys() & SENT_FOR_OTHERS


async def test_the_footer_and_the_help_name_the_keys_that_work():
    app = app_of("go:size=9")
    async with app.run_test(size=(120, 40)) as pilot:
        await my_turn(pilot)
        for shown in ("tab hint", "^u undo", "^d draw", "^r resign", "^n next game", "? help", "^q back"):
            assert shown in last_line(app)
        await pilot.press("ctrl+r", "ctrl+r")
        await pilot.press("question_mark", "escape")  # what closes over the game does not bring its moves back
        for shown in (" u undo", " n next game", " a analyse", " o thoughts", " q back"):
            assert shown in last_line(app)
        assert not [gone for gone in ("hint", "draw", "resign", "play") if gone in last_line(app)[:60].split()]
