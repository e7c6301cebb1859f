"""Browsing the matches of a store."""

import time

import pytest
from textual.widgets import Input

from arena.cli.main import main
from arena.store import MatchFilter, Store
from arena.tui.app import ArenaApp
from arena.tui.screens.browse import BrowseScreen
from arena.tui.state.intents import ReplayIntent
from arena.tui.widgets.match_list import MAX_PAGES, PAGE, MatchList
from tests.store.records import OTHER_GAME, record
from tests.tui.helpers import NotToday, last_line, notice, screen_text, shows, until
from tests.tui.snapshots import check_snapshot

pytestmark = pytest.mark.full

COUNT = 1000
WHEN = r"(\d{4}-\d\d-)?\d\d (\w{3} )?\d\d:\d\d"


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A store of matches 1 to 1000: ada against bob in connect four, the last ten in chess between eve and ada."""
    path = tmp_path_factory.mktemp("browse") / "arena.db"
    with Store(path) as store:
        run = store.open_run("tournament", "key", None, {}, ["ada", "bob", "eve"])
        games = [(n, record(n, ("ada", "bob"), length=6 + n % 30)) for n in range(COUNT - 10)]
        games += [(n, record(n, ("eve", "ada"), OTHER_GAME)) for n in range(COUNT - 10, COUNT)]
        store.add_games(run.id, games)
    return str(path)


def browse(url, opener=None, **wanted):
    return ArenaApp(BrowseScreen(url, MatchFilter(**wanted)), opener)


def listed(app):
    return app.screen.query_one(MatchList)


async def settled(pilot, count=COUNT):
    await until(pilot, lambda: pilot.app.screen.listing and pilot.app.screen.listing.count == count)
    await until(pilot, lambda: not count or listed(pilot.app).match_at(0))


async def fill_in(pilot, **typed):
    for name, value in typed.items():
        pilot.app.screen.query_one(f"#{name}", Input).value = value


@pytest.mark.parametrize("size", [(80, 24), (120, 30)])
async def test_the_newest_come_first(url, size):
    app = browse(url)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        app.screen.heading.say("1,000 matches")
        await pilot.pause()
        check_snapshot(app, f"browse-{size[0]}x{size[1]}", WHEN)


async def test_keys_go_anywhere_and_only_pages_in_sight_are_read(url):
    app = browse(url)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("down", "down", "up")
        assert listed(app).cursor == 1
        await pilot.press("end")
        await until(pilot, lambda: listed(app).match_at(COUNT - 1))
        assert listed(app).match_at(COUNT - 1).id == 1
        assert sorted(listed(app)._pages) == [0, (COUNT - 1) // PAGE]
        await shows(pilot, " 1  2")
        await pilot.press("home", "pagedown")
        assert listed(app).cursor == listed(app).content_size.height - 1


async def test_the_filter_says_the_way_out(url):
    app = browse(url)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await shows(pilot, "/ filter")
        assert "esc" not in last_line(app)
        await pilot.press("slash")
        await shows(pilot, "esc back to the list")
        await pilot.press("escape")
        await until(pilot, lambda: "/ filter" in last_line(app))
        assert listed(app).has_focus


async def test_a_list_keeps_no_more_pages_than_it_may(url):
    app = browse(url)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        page = listed(app)._pages[0]
        for number in range(2 * MAX_PAGES):
            listed(app).put(number, page)
        assert len(listed(app)._pages) == MAX_PAGES
        assert 0 in listed(app)._pages  # where the cursor is


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ({"player": "eve"}, MatchFilter(player="eve")),
        ({"player": "E", "result": "win"}, MatchFilter(player="eve", result="win")),
        ({"game": "chess"}, MatchFilter(game="chess")),
        ({"moves": "30-32"}, MatchFilter(min_length=30, max_length=32)),
        ({"moves": "-7", "result": "draw"}, MatchFilter(max_length=7, result="draw")),
    ],
)
async def test_what_is_typed_filters(url, typed, wanted):
    with Store(url) as store:
        count = store.count(wanted)
        newest = store.matches(wanted, limit=1)[0]
    assert 0 < count < COUNT
    app = browse(url)
    async with app.run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        await fill_in(pilot, **typed)
        await settled(pilot, count)
        await until(pilot, lambda: listed(app).match_at(0) == newest)
        await pilot.press("c")
        await settled(pilot)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"player": "nobody"}, "no player in this store is called 'nobody'"),
        ({"result": "win"}, "result='win' is that of a player"),
        ({"result": "great"}, "result='great' is none of win, draw, loss"),
        ({"moves": "many"}, "moves 'many' are not of the form 30, 30-60 or -60"),
        ({"game": "checkers"}, "no game in this store is called 'checkers'"),
    ],
)
async def test_what_means_nothing_is_said(url, typed, said):
    app = browse(url)
    async with app.run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        await fill_in(pilot, **typed)
        await until(pilot, lambda: said in notice(app))
        assert listed(app).match_at(0)  # what was found before is still there


async def test_enter_or_two_clicks_open_a_match(url):
    opener = NotToday()
    app = browse(url, opener)
    async with app.run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        await pilot.press("down", "enter")
        await until(pilot, lambda: "not today" in notice(app))
        await pilot.click(MatchList, offset=(10, 5), times=2)
        await until(pilot, lambda: len(opener.asked) == 2)
        assert opener.asked == [ReplayIntent(COUNT - place, url) for place in (1, 4)]


async def test_matches_that_are_added_meanwhile_move_nothing(tmp_path):
    path = str(tmp_path / "arena.db")
    with Store(path) as store:
        run = store.open_run("tournament", "key", None, {}, ["ada", "bob"])
        store.add_games(run.id, [(n, record(n)) for n in range(500)])
        app = browse(path)
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot, 500)
            store.add_games(run.id, [(n, record(n)) for n in range(500, 700)])
            await pilot.press("end")
            await until(pilot, lambda: listed(app).match_at(499))
            assert listed(app).match_at(499).id == 1
            await pilot.press("r")
            await settled(pilot, 700)


async def test_a_store_that_vanishes_is_said_and_what_was_read_stays(tmp_path):
    path = tmp_path / "arena.db"
    with Store(path) as store:
        run = store.open_run("tournament", "key", None, {}, ["ada", "bob"])
        store.add_games(run.id, [(n, record(n)) for n in range(2 * PAGE)])
    app = browse(str(path))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot, 2 * PAGE)
        path.rename(tmp_path / "aside.db")
        await pilot.press("end")
        await until(pilot, lambda: "is gone; what was read is shown, r tries again" in notice(app))
        await pilot.press("home")
        await shows(pilot, "ada")
        (tmp_path / "aside.db").rename(path)
        await pilot.press("r")
        await settled(pilot, 2 * PAGE)
        assert notice(app) == ""


async def test_an_empty_store_is_no_trouble(tmp_path):
    path = tmp_path / "arena.db"
    Store(path).close()
    app = browse(str(path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "no match fits" in notice(app))
        await pilot.press("down", "end", "enter", "pagedown")
        assert listed(app).cursor == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("matches --ui --store nowhere.db", "there is no store nowhere.db"),
        ("matches --ui --json", "--ui shows matches on a screen"),
        ("matches --ui --result won", "result"),
    ],
)
def test_wrong_input_is_one_line(words, said, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


async def test_a_page_is_read_while_the_screen_goes_on(url, monkeypatch):
    read = Store.matches

    def slowly(self, *arguments, **options):
        time.sleep(0.5)
        return read(self, *arguments, **options)

    app = browse(url)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        monkeypatch.setattr(Store, "matches", slowly)
        await pilot.press("end")
        assert "…" in screen_text(app)
        await pilot.press("up", "up")
        assert listed(app).cursor == COUNT - 3
        await until(pilot, lambda: listed(app).match_at(COUNT - 1))
