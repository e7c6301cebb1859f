"""The screen of a league."""

import math
import shutil
import time
from dataclasses import replace

import pytest
from textual.widgets import Static

from arena.cli.main import main
from arena.training.league.records import League, Learner, read_league, write_league
from arena.tui.app import ArenaApp
from arena.tui.screens import league
from arena.tui.screens.league import LeagueScreen
from arena.tui.state.intents import WatchIntent
from arena.tui.views.league_view import about, ladder_rows, next_opponents, over_time, rating_curves, read_view, spec_of
from arena.tui.widgets.heat_map import HeatMap
from arena.tui.widgets.plot import Plot
from arena.tui.widgets.rows import Rows
from tests.tui.helpers import NotToday, last_line, notice, shows, until
from tests.tui.leagues import STEP, make_league
from tests.tui.snapshots import check_snapshot

pytestmark = pytest.mark.full


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "runs" / "c4"
    make_league(folder)
    return folder


def show(folder, opener=None):
    return ArenaApp(LeagueScreen(folder), opener)


async def settled(pilot):
    await until(pilot, lambda: pilot.app.screen.view is not None and pilot.app.screen.query_one("#ladder", Rows).key)


@pytest.mark.parametrize("size", [(80, 24), (130, 36)])
async def test_everything_is_seen(folder, size):
    app = show(folder)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.pause()
        check_snapshot(app, f"league-{size[0]}x{size[1]}")
        for key in ("␣ mark", "w watch", "? help", "q back"):
            assert key in last_line(app)


async def test_the_cursor_tells_of_lineage_and_moves_the_heat_map(folder):
    app = show(folder)
    async with app.run_test(size=(130, 36)) as pilot:
        await settled(pilot)
        await pilot.press("down")
        text = str(app.screen.query_one("#about", Static).content)
        assert text.startswith("main-0005 ← main-0004 ← main-0003 ← main-0002 ← main-0001\nmain   alpha-rank ")
        assert app.screen.query_one(HeatMap).at == 1
        await pilot.press("end")
        assert "random: a reference" in str(app.screen.query_one("#about", Static).content)


async def test_two_are_picked_and_watched(folder):
    opener = NotToday()
    app = show(folder, opener)
    async with app.run_test(size=(130, 36)) as pilot:
        await settled(pilot)
        await pilot.press("space", "down", "space")
        assert notice(app) == "● main-exploiter-0001   ○ main-0005   w watches them"
        await shows(pilot, "●  1  main-exploiter-0001", "○  2  main-0005")
        await pilot.press("w")
        await until(pilot, lambda: "not today" in notice(app))
        game = "tic_tac_toe:m=3,n=3,k=3"
        assert opener.asked == [WatchIntent(game, (f"ppo:{folder}/x/1", f"ppo:{folder}/snapshot-0005"))]
        await pilot.press("down", "space")  # a third takes the place of the first
        assert app.screen.marked == ["main-0005", "main-0004"]
        await pilot.press("space")
        assert app.screen.marked == ["main-0005"]
        await pilot.press("end", "enter")
        await until(pilot, lambda: len(opener.asked) == 2)
        assert opener.asked[1] == WatchIntent(game, (f"ppo:{folder}/snapshot-0005", "random"))


async def test_the_mouse_points_and_opens(folder):
    opener = NotToday()
    app = show(folder, opener)
    async with app.run_test(size=(130, 36)) as pilot:
        await settled(pilot)
        await pilot.click("#ladder", offset=(8, 4))
        assert app.screen.query_one("#ladder", Rows).key == "main-0004"
        await pilot.click("#ladder", offset=(8, 4), times=2)
        await until(pilot, lambda: opener.asked)
        assert opener.asked[0].agents == (f"ppo:{folder}/snapshot-0004",) * 2


async def test_a_league_that_grows_is_followed(folder):
    app = show(folder)
    async with app.run_test(size=(130, 36)) as pilot:
        await settled(pilot)
        make_league(folder, members=7)
        await app.screen.poll()
        await shows(pilot, "main-0007", "8 members")


async def test_a_look_that_takes_longer_than_the_time_between_two_is_left_to_end(folder, monkeypatch):
    def slowly(folder):
        time.sleep(0.2)
        return read_view(folder)

    monkeypatch.setattr(league, "POLL_S", 0.01)
    monkeypatch.setattr(league, "read_view", slowly)
    app = show(folder)
    async with app.run_test(size=(130, 36)) as pilot:
        await settled(pilot)


async def test_a_league_that_vanishes_or_breaks_is_said_and_one_that_comes_back_is_read(folder):
    app = show(folder)
    async with app.run_test(size=(130, 36)) as pilot:
        await settled(pilot)
        aside = folder.with_name("aside")
        shutil.move(folder, aside)
        await app.screen.poll()
        assert "no league in" in notice(app)
        assert "what was read is shown" in notice(app)
        await shows(pilot, "main-0005")
        folder.mkdir()
        (folder / "league.json").write_text('{"format": 1}')
        await app.screen.poll()
        assert "is not the file of a league" in notice(app)
        shutil.rmtree(folder)
        shutil.move(aside, folder)
        await app.screen.poll()
        assert notice(app) == ""


async def test_a_league_of_nobody_yet(tmp_path):
    write_league(tmp_path, League("tic_tac_toe", {"m": 3, "n": 3, "k": 3}, "ppo", [], [Learner("main", "main")]))
    app = show(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.screen.view is not None)
        await shows(pilot, "nobody has been measured yet", "main: nobody yet")
        await pilot.press("space", "w")
        assert notice(app) == "there are no members to watch yet"


def test_figures_and_words(folder):
    view = read_view(folder)
    league = view.league
    assert view.ladder.names[0] == "main-exploiter-0001"
    assert over_time(league, "main-0005") == "▁▃▅▆█"
    assert over_time(league, "random") == ""
    first, second = rating_curves(league)
    assert (first.name, len(first.points), second.points) == ("main", 5, [(5 * STEP, 790.0)])
    assert not first.band
    assert next_opponents(league).splitlines() == [
        "main: itself 50%, main-0002 30%, main-exploiter-0001 20%",
        "main-exploiter: main 100%",
    ]
    assert spec_of(folder, league, "random") == "random"
    assert about(view, None) == ""
    row = dict(ladder_rows(view, ["main-0003"]))["main-0003"]
    assert [str(cell) for cell in row] == ["●", "4", "main-0003", "500", "50", "▁▅█", "20,000"]


async def test_the_heat_map_says_scores_in_figures_and_colours(folder):
    app = show(folder)
    async with app.run_test(size=(130, 36)) as pilot:
        await settled(pilot)
        heat = app.screen.query_one(HeatMap)
        lines = heat.render().plain.splitlines()
        assert lines[0].split()[:3] == ["m0001", "m0005", "m0004"]
        assert lines[1].split()[:4] == ["…in-exploiter-0001", "·", ".70", ".70"]
        colours = {span.style.background.hex for span in heat.render().spans if getattr(span.style, "background", None)}
        assert len(colours) >= 3
        assert app.screen.query_one("#ratings", Plot).curves[0].look == "seat-0"


def test_wrong_input_is_one_line(tmp_path, capsys):
    assert main(["league", str(tmp_path), "--ui"]) == 2
    assert capsys.readouterr().err == f"arena: no league in {tmp_path}: it has no league.json\n"


def test_who_never_met_is_a_dash(tmp_path):
    league = make_league(tmp_path, members=6)
    assert league.evaluation.of("main-0006", "main-0001").games == 0
    scores = read_view(tmp_path).payoffs
    row, column = scores.names.index("main-0006"), scores.names.index("main-0001")
    assert math.isnan(scores.scores[row, column])


async def test_on_a_light_ground(folder):
    app = show(folder)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+t")
        assert app.theme == "arena-light"
        await shows(pilot, "main-0005", "q back")
        check_snapshot(app, "league-light-100x30")


async def test_a_league_of_teams_shows_what_they_earn(folder):
    records = read_league(folder)
    for number, member in enumerate(records.members):
        earned = float(number)
        scores = {"return": earned, "return_low": earned - 0.5, "return_high": earned + 0.5}
        records.members[number] = replace(member, returns=scores)
    write_league(folder, replace(records, ratings={}, history=[]))
    app = show(folder)
    async with app.run_test(size=(130, 36)) as pilot:
        await settled(pilot)
        ladder = app.screen.query_one("#ladder", Rows)
        assert "return" in [str(column.label).strip() for column in ladder.ordered_columns]
        assert ladder.key == records.members[-1].name, "who earns most comes first"
        assert app.screen.query_one("#ratings", Plot).curves
        assert "nobody wins this game" in str(app.screen.query_one(HeatMap).render())
