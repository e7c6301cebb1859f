"""A `Presentation` beside an environment: what people see, and how they name actions."""

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.env import Grid, Presentation, hosted
from arena.env.hosted.environment import EnvironmentFaultError
from arena.match.match import Match
from arena.policy.registry import make_agent, make_game
from arena.tui.app import ArenaApp
from arena.tui.parts.sitting import PlayOptions
from arena.tui.screens.play import PlayScreen
from games import check
from games.engine.trust import VARIABLE
from tests.tui.helpers import screen_text, until

BESIDE = """
import numpy as np
from pettingzoo.classic.tictactoe_v3 import env
from arena.env import Grid, Presentation

NAMES = [f"{'abc'[action // 3]}{action % 3 + 1}" for action in range(9)]

def board(env):
    cells = np.array(env.board.squares).reshape(3, 3).T  # columns first there
    return Grid(np.where(cells == 0, -1, cells - 1), actions=np.arange(9).reshape(3, 3).T, notes=["next: \\x1b[31m"])

def read(env, text):
    return NAMES.index(text[::-1])

PRESENTATION = Presentation("Noughts", board, action_names=NAMES, string_to_action=read)
"""


@pytest.fixture
def noughts(tmp_path, monkeypatch):
    """Somebody else's environment under a name of one's own, with a presentation beside it."""
    (tmp_path / "noughts_env.py").write_text(BESIDE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(VARIABLE, "noughts_env")
    return make_game("pettingzoo:noughts_env")


def nobody(game):
    return [(f"player {seat}", None) for seat in range(game.num_players)]


def test_a_grid_is_a_board_with_pieces_and_cells(noughts):
    assert noughts.title == "Noughts"
    match = Match(noughts, nobody(noughts))
    match.play(3)
    picture = noughts.picture(match.state)
    assert picture.pieces.tolist() == [[-1, 0, -1], [-1, -1, -1], [-1, -1, -1]]
    assert picture.cell_actions[2, 1] == 5
    assert picture.action_cells[5].tolist() == [2, 1]
    assert "\x1b" not in picture.text()


def test_actions_are_named_and_read_in_its_notation(noughts):
    assert noughts.action_text(noughts.initial, 5) == "b3"
    assert [noughts.parse_action(noughts.initial, text) for text in ("b3", "3b", "5")] == [5, 5, 5]
    with pytest.raises(UsageError, match="'9z' is no action here"):
        noughts.parse_action(noughts.initial, "9z")
    check(noughts, 2)


async def test_a_person_plays_on_the_grid_by_names(noughts):
    app = ArenaApp(PlayScreen(noughts, [("bot", make_agent("random", noughts))], PlayOptions(seed=1)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sitting.my_turn, 120)
        await pilot.press("b", "2", "enter")
        await until(pilot, lambda: len(app.screen.match.positions) > 1)
        assert "●" in screen_text(app)


def test_a_seat_is_shown_its_view_and_not_the_board():
    from pettingzoo.classic import leduc_holdem_v4

    own = Presentation(board=lambda env: "all", view=lambda env, agent: f"for {agent}")
    game = hosted(leduc_holdem_v4.env, "leduc", presentation=own)
    match = Match(game, nobody(game))
    assert game.picture(match.state).text() == "all"
    assert game.picture(match.shown_to(1)).text() == "for player_1"


@pytest.mark.parametrize(
    ("presentation", "said"),
    [
        ("Presentation(action_names=['a'])", "PRESENTATION names 1 actions; the environment has 9"),
        ("'a board'", "PRESENTATION of {module} is no arena.env.Presentation but of str"),
    ],
)
def test_what_is_no_presentation_is_refused(presentation, said, tmp_path, monkeypatch):
    module = f"refused_{len(presentation)}"
    text = "from pettingzoo.classic.tictactoe_v3 import env\nfrom arena.env import Presentation\n"
    (tmp_path / f"{module}.py").write_text(f"{text}PRESENTATION = {presentation}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(VARIABLE, module)
    with pytest.raises(UsageError, match=said.format(module=module)):
        make_game(f"pettingzoo:{module}")


@pytest.mark.parametrize(
    ("board", "said"),
    [
        (lambda env: Grid([[0, 1]], actions=[[0, 1, 2]]), r"actions of a Grid are of shape \(1, 3\)"),
        (lambda env: Grid([[0, 1]], actions=[[0, 9]]), "a Grid has the action 9; there are 9"),
        (lambda env: Grid([0, 1]), "rows of columns"),
        (lambda env: env.nothing_of_this_name, "failed: AttributeError"),
    ],
)
def test_a_board_that_fails_is_named(board, said):
    from pettingzoo.classic import tictactoe_v3

    game = hosted(tictactoe_v3.env, "noughts", presentation=Presentation(board=board))
    with pytest.raises(EnvironmentFaultError, match=f"noughts, step 0: the environment .*{said}"):
        game.picture(game.initial)


def test_long_boards_have_numbered_columns():
    picture = Grid(np.full((1, 25), -1)).picture(1)
    assert picture.column_labels[0] == "a"
    assert picture.column_labels[-1] == "25"
