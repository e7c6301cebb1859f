"""The home screen: what it finds, where it leads, and what happens when things vanish."""

import sqlite3
import subprocess
import sys

import pytest
from textual.widgets import Input, Static

from arena.cli.opening import screen_of
from arena.match.verdict import MatchRecord, Verdict
from arena.policy.registry import GAMES, make_game
from arena.store import Store
from arena.training.live_files import training_lock
from arena.tui.app import ArenaApp
from arena.tui.screens.form import FormScreen
from arena.tui.screens.home import HomeScreen
from arena.tui.screens.menu import MenuScreen
from arena.tui.screens.rules import RulesScreen
from arena.tui.services.jobs import CommandProcess
from arena.tui.state.intents import PlayIntent, WatchIntent
from arena.tui.widgets.rows import Rows
from tests.tui.helpers import NotToday, last_line, notice, screen_text, shows, until
from tests.tui.sample_files import make_run
from tests.tui.screens import furnished
from tests.tui.snapshots import check_snapshot

pytestmark = pytest.mark.full

SIZES = [(80, 24), (120, 36)]


@pytest.fixture
def folder(tmp_path):
    with furnished(tmp_path):
        yield tmp_path


def home(folder, opener=screen_of):
    return ArenaApp(HomeScreen(folder / "runs", str(folder / "arena.db")), opener)


async def settled(pilot):
    """Until everything has been found."""
    screen = pilot.app.screen
    await until(
        pilot, lambda: len(screen._traits) == len(GAMES.names()) and "12 stored games" in screen_text(pilot.app), 60
    )
    await until(pilot, lambda: screen.query_one("#ladder", Rows).key)
    await shows(pilot, "first – second", "7/0/5", "running")


def meaning(app):
    """The line of a form that says what a field means, or what is wrong."""
    return str(app.screen.query_one("#meaning", Static).content) if isinstance(app.screen, FormScreen) else ""


def shown_command(app):
    return str(app.screen.query_one("#command", Static).content)


async def open_form(pilot, key):
    """Press the key of a form, and wait for it."""
    await pilot.press(key)
    await until(pilot, lambda: isinstance(pilot.app.screen, FormScreen))


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_here_is_seen(folder, size):
    app = home(folder)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        check_snapshot(app, f"home-{size[0]}x{size[1]}", r"\d\d:\d\d", r"\d\d agents")
        for key in ("↵ open", "p play", "w watch", "n train", "t rate", "l league", "? help", "q quit"):
            assert key in last_line(app)


async def test_an_empty_directory_says_how_to_begin(tmp_path):
    app = home(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "0 runs", "none yet: n begins one", "none yet: t plays a tournament", "connect_four")


async def test_the_first_picture_needs_nothing_heavy():
    code = (
        "import sys, arena.cli.home, arena.tui.screens.home, arena.tui.app; print([m for m in %s if m in sys.modules])"
    )
    heavy = ["numpy", "numba", "torch", "sqlalchemy", "matplotlib", "tyro"]
    done = subprocess.run([sys.executable, "-c", code % heavy], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


async def test_keys_lead_from_panel_to_panel_and_to_the_ladder_of_another_game(folder):
    app = home(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        assert app.screen.query_one("#games", Rows).key == "tic_tac_toe"
        await pilot.press("down")
        await shows(pilot, "nobody has been rated")
        await pilot.press("up")
        await shows(pilot, "7/0/5")
        seen = []
        for _ in range(4):
            seen.append(app.focused.id)
            await pilot.press("tab")
        assert seen == ["games", "ladder", "trainings", "matches"]


async def test_the_mouse_chooses_a_game_and_opens_its_menu(folder):
    app = home(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        await pilot.click("#games", offset=(5, 3))
        chosen = app.screen.query_one("#games", Rows).key
        assert chosen != "tic_tac_toe"
        await pilot.click("#games", offset=(5, 3), times=2)
        await until(pilot, lambda: isinstance(app.screen, MenuScreen))
        await shows(pilot, "play against an agent")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


async def test_a_form_shows_the_command_as_it_grows_and_begins_it(folder):
    opener = NotToday()
    app = home(folder, opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await open_form(pilot, "w")
        check_snapshot(app, "form-80x24", r"\d\d:\d\d", r"\d\d agents")
        app.screen.query_one("#agent-1", Input).value = "mcts:50"
        await shows(pilot, "$ arena watch tic_tac_toe mcts:400 mcts:50 --games 10 --speed 1")
        await pilot.press("enter")
        await until(pilot, lambda: "not today" in meaning(app))
        assert opener.asked == [WatchIntent("tic_tac_toe", ("mcts:400", "mcts:50"), speed=1.0)]
        assert app.screen.query_one("#agent-1", Input).value == "mcts:50", "nothing is lost"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        await open_form(pilot, "w")
        assert app.screen.query_one("#agent-1", Input).value == "mcts:50"  # as it was filled in
        await pilot.click("#cancel")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


async def test_what_is_typed_into_a_form_at_once_is_where_it_belongs(folder):
    app = home(folder, NotToday())
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await open_form(pilot, "w")
        await until(pilot, lambda: app.focused)
        for key in ["ctrl+u", *"ab", "backspace", "c", "tab", "ctrl+u", *"de", "down", "ctrl+u", "7", "up", "f"]:
            app.simulate_key(key)  # none waits until the one before has been heard
        await shows(pilot, "$ arena watch tic_tac_toe ac def --games 7 --speed 1")


async def test_a_name_typed_at_once_after_the_key_that_asks_for_it_is_found(tmp_path):
    app = home(tmp_path, NotToday())
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "0 runs", "connect_four")
        for key in ("slash", *"con", "enter"):
            app.simulate_key(key)  # none waits until the one before has been heard
        await until(pilot, lambda: isinstance(app.screen, FormScreen), 30)
        assert "play connect_four" in shown_command(app)


async def test_what_is_wrong_with_a_form_is_said_in_it(folder):
    app = home(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await open_form(pilot, "w")
        app.screen.query_one("#agent-0", Input).value = "rendom"
        await pilot.press("enter")
        await until(pilot, lambda: "unknown agent 'rendom'; did you mean 'random'?" in meaning(app))
        assert app.screen.query_one("#agent-0", Input).value == "rendom"


async def test_a_tournament_that_fails_at_once_has_not_begun(folder):
    app = home(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await open_form(pilot, "t")
        app.screen.query_one("#agents", Input).value = "random oops"
        await pilot.press("enter")
        await until(pilot, lambda: "unknown agent 'oops'" in meaning(app), 60)
        assert app.screen.query_one("#agents", Input).value == "random oops"


@pytest.mark.parametrize(
    ("keys", "game", "agent"),
    [("/che", "chess", "level:3"), ("/oth", "othello", "level:3"), ("/roc", "rock_paper_scissors", "champion")],
)
async def test_a_person_plays_a_fitting_opponent_within_six_keys(tmp_path, keys, game, agent):
    """From an empty folder: find the game by some letters, and begin."""
    opener = NotToday()
    app = home(tmp_path, opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "0 runs", "connect_four")
        await pilot.press(*keys, "enter")
        await until(pilot, lambda: isinstance(app.screen, FormScreen), 60)
        await pilot.press("enter")
        await until(pilot, lambda: opener.asked)
        assert opener.asked == [PlayIntent(game, (agent,), str(tmp_path / "arena.db"))]
        assert len(keys) + 2 <= 6


@pytest.mark.parametrize(
    ("kind", "game", "filled", "command"),
    [
        ("play", "go", {"option-size": "9"}, "play go:size=9 level:3 --seat 1"),
        ("play", "connect_four", {"option-rows": "7"}, "play connect_four:rows=7 mcts:400 --seat 1"),
        ("play", "chess", {"agent": "human:Ada", "clock": "5m"}, "play chess human:Ada --seat 1 --clock 5m"),
        ("play", "texas_holdem", {"hands": "20"}, "play texas_holdem level:3 --seat 1 --hands 20"),
        ("play", "othello", {"agent": "perfect"}, "play othello perfect --seat 1"),
        ("watch", "tron", {"option-players": "4"}, "watch tron:players=4 ismcts:400 random random random --games 10"),
        ("watch", "hex", {"openings": "random:2", "clock": "1m"}, "--clock 1m --openings random:2"),
    ],
)
async def test_a_form_reaches_board_options_seats_clocks_openings_and_people(tmp_path, kind, game, filled, command):
    app = home(tmp_path, NotToday())
    async with app.run_test(size=(110, 30)) as pilot:
        await shows(pilot, "0 runs", "connect_four")
        app.screen.action_form(kind, game=game)
        await until(pilot, lambda: isinstance(app.screen, FormScreen), 60)
        for name, value in filled.items():
            app.screen.query_one(f"#{name}", Input).value = value
        await until(pilot, lambda: command in shown_command(app))


async def test_what_is_typed_into_a_field_takes_the_place_of_what_it_had(tmp_path):
    app = home(tmp_path, NotToday())
    async with app.run_test(size=(110, 30)) as pilot:
        await shows(pilot, "0 runs", "connect_four")
        app.screen.action_form("play", game="go")
        await until(pilot, lambda: isinstance(app.screen, FormScreen), 60)
        await pilot.press(*["down"] * 4, "9", "up", "5")
        await until(pilot, lambda: "play go:size=9 level:3 --seat 1 --hands 5" in shown_command(app))


async def test_a_form_says_what_opponents_and_options_are(tmp_path):
    app = home(tmp_path, NotToday())
    async with app.run_test(size=(110, 30)) as pilot:
        await shows(pilot, "0 runs", "connect_four")
        app.screen.action_form("play", game="kuhn_poker")
        await until(pilot, lambda: isinstance(app.screen, FormScreen), 60)
        await until(pilot, lambda: meaning(app).startswith("level:3: +"))
        await pilot.press(*["pagedown"] * 8)
        await until(pilot, lambda: meaning(app).startswith("champion: the best there is"))
        await pilot.press("pagedown")
        await until(pilot, lambda: "ismcts:400: searches what may be hidden" in meaning(app))
        await pilot.press("pagedown", "pagedown")
        await until(pilot, lambda: meaning(app).startswith("random: plays any legal move"))
        await pilot.press("pagedown")
        await until(pilot, lambda: meaning(app).startswith("perfect: makes no mistake"))
        await pilot.press("tab", "tab", "tab")
        await until(pilot, lambda: meaning(app).startswith("hands of the session"))
        await pilot.press("tab")
        await until(pilot, lambda: meaning(app).startswith("2 to 10 (2)"))


async def test_the_rules_of_a_game_are_read_at_home(tmp_path):
    app = home(tmp_path, NotToday())
    async with app.run_test(size=(100, 40)) as pilot:
        await shows(pilot, "0 runs", "backgammon")
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen), 60)
        await shows(pilot, "How it is played", "Options", "scoring", "Notation", "bar/20", "Strategy", "Source")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))


async def test_a_form_takes_no_letters_for_numbers_and_waits_for_one_that_is_missing(folder):
    app = home(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await open_form(pilot, "t")
        games = app.screen.query_one("#games", Input)
        games.focus()
        await pilot.press("ctrl+u", *"6k0")
        assert games.value == "60"
        await pilot.press("ctrl+u", "enter")
        assert "games a pair: a number is missing" in meaning(app)
        assert isinstance(app.screen, FormScreen), "nothing has begun"


async def test_new_ratings_are_seen(folder):
    app = home(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        assert "newcomer" not in screen_text(app)
        with Store(folder / "arena.db") as store:
            won = Verdict((1.0, -1.0))
            game = make_game("tic_tac_toe").label
            record = MatchRecord(game, ("newcomer", "first"), 0, (), (0, 3, 1, 4, 2), won)
            store.add_run("tournament", "two", game, {}, ["newcomer", "first"], [(0, record)])
        await shows(pilot, "newcomer")
        await shows(pilot, "the mean of all is 0")


async def test_the_strongest_of_other_games_and_what_teams_earned_are_seen(folder):
    with Store(folder / "arena.db") as store:
        for name, moves, returns in (("hex", (0, 1), (1.0, -1.0)), ("hanabi", (0, 1), (7.0, 7.0))):
            label = make_game(name).label
            record = MatchRecord(label, ("able", "baker"), 0, (), moves, Verdict(returns))
            config = {"agents": {"able": {"spec": "mcts:50"}, "baker": "random"}}
            store.add_run("tournament", name, label, config, ["able", "baker"], [(0, record)])
    app = home(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: len(app.screen._traits) == len(GAMES.names()), 60)
        await shows(pilot, "7    able – baker  ", "1–0  able – baker  ", "first – second")
        app.screen.query_one("#games", Rows).choose("tic_tac_toe")
        await shows(pilot, "7/0/5", "best in other games", "hex: able", "elo", "hanabi, earns: ")
        app.screen.query_one("#games", Rows).choose("hanabi")
        await shows(pilot, "earns    ±  agent", "tic_tac_toe, elo: second")
        app.screen.query_one("#games", Rows).choose("chess")
        await shows(pilot, "nobody has been rated in chess", "tic_tac_toe: second", "hex: able")
        ladder = app.screen.query_one("#ladder", Rows)
        ladder.focus()
        ladder.choose("hex\nable")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, FormScreen))
        await shows(pilot, "$ arena watch hex mcts:50 random")


async def test_what_cannot_be_started_is_said(folder):
    (folder / "runs" / "logs").write_text("in the way of the folder of logs")
    app = home(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await open_form(pilot, "t")
        await pilot.press("enter")
        await until(pilot, lambda: "commands cannot be started here" in meaning(app))


async def test_a_training_is_begun_here_and_seen_before_it_tells_of_itself(folder, monkeypatch):
    began = []

    class Begun:
        returncode = 0

        def poll(self):
            return None

    def start(words, log):
        began.append(words)
        return CommandProcess(tuple(words), log, Begun())

    monkeypatch.setattr("arena.tui.screens.home.start", start)
    monkeypatch.setattr("arena.tui.screens.home.BEGINNING_S", 0.1)
    app = home(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        await open_form(pilot, "n")
        app.screen.query_one("#steps", Input).value = "5000"
        app.screen.query_one("#more", Input).value = "--seed 3"
        await pilot.press("enter")
        await until(pilot, lambda: began and isinstance(app.screen, HomeScreen))
        out = str(folder / "runs" / "tic_tac_toe-ppo")
        assert began == [["train", "tic_tac_toe", "ppo", "--steps", "5000", "--out", out, "--seed", "3"]]
        await app.screen._poll()
        await shows(pilot, "◌  tic_tac_toe-ppo", "starting")
        await pilot.press("tab", "tab", "home", "enter")
        await shows(pilot, "arena › runs › tic_tac_toe-ppo", "waiting for the training to begin")
        await pilot.press("q")
        make_run(folder / "runs" / "tic_tac_toe-ppo")
        with training_lock(folder / "runs" / "tic_tac_toe-ppo"):
            await app.screen._poll()
            await shows(pilot, "●  tic_tac_toe-ppo")
        assert "starting" not in screen_text(app)


async def test_a_store_that_vanishes_or_breaks_is_said_and_one_that_comes_back_is_read(folder):
    app = home(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        store = folder / "arena.db"
        aside = folder / "aside.db"
        app.screen._arena_context.close()
        store.rename(aside)
        await app.screen._poll()
        await shows(pilot, "none yet: t plays a tournament")
        store.write_text("this is no store " * 100)
        await app.screen._poll()
        assert "it is not a store" in notice(app)
        store.unlink()
        aside.rename(store)
        await app.screen._poll()
        await shows(pilot, "12 stored games")
        assert notice(app) == ""


async def test_a_store_that_is_written_to_meanwhile_does_not_hold_up_the_screen(folder):
    app = home(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        with sqlite3.connect(folder / "arena.db") as writer:
            writer.execute("BEGIN IMMEDIATE")
            await app.screen._poll()
            assert notice(app) == ""
            writer.rollback()


async def test_runs_that_vanish_or_are_killed_are_shown_as_that(folder):
    app = home(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        assert "●  new" in screen_text(app)
        make_run(folder / "runs" / "dead")  # says it runs, and nobody stands behind it
        await app.screen._poll()
        await shows(pilot, "killed", "3 runs")
        (folder / "runs" / "dead" / "run.json").unlink()
        await app.screen._poll()
        await shows(pilot, "2 runs")


async def test_help_and_palette_know_every_key(folder):
    app = home(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pilot.press("question_mark")
        await shows(pilot, "play against an agent", "the league of a training", "open what the cursor is on")
        await pilot.press("escape")
        await pilot.press("colon")
        await shows(pilot, "Play against an agent")
        await pilot.press(*"light", "enter")
        await until(pilot, lambda: app.theme == "arena-light")
