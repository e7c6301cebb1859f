"""What files, bots and people wrote is shown as text: no order to a terminal, no markup, no formula, no mathematics."""

import csv
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from rich.text import Text

from arena.base.terminal import make_console
from arena.base.text import csv_cell, from_csv_cell, plot_text, printable
from arena.cli.main import main
from arena.match.files import WrittenMatch, match_text, read_match
from arena.match.verdict import MatchRecord, Reason, Verdict, forfeit
from arena.policy.registry import make_game
from arena.store import MatchFilter, Store
from arena.tournament.files import write_standings
from arena.tournament.picture import save_cross_table
from arena.tournament.played import read_games
from arena.tournament.standings import standings
from arena.training.league.picture import save_pictures
from arena.training.league.records import League, Learner, Member
from arena.tui.app import ArenaApp
from arena.tui.drawing.export import export
from arena.tui.screens.browse import BrowseScreen
from arena.tui.screens.curtain import CurtainScreen
from tests.damage import NASTY

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[1]
GAME = "tic_tac_toe(m=3, n=3, k=3)"
NAMES = (NASTY, "[/x]\x1b[31m=2")


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints, of which nothing gives orders to a terminal."""
    assert main(list(arguments)) == 0
    printed = capsys.readouterr()
    for line in (printed.out + printed.err).splitlines():
        assert line.isprintable(), repr(line)
    return printed.out


@pytest.fixture
def store(tmp_path):
    """A store with two matches between players of such names, one lost by a bot's last words."""
    with Store(tmp_path / "arena.db") as store:
        run = store.open_run("tournament", "key", GAME, {}, NAMES)
        won = MatchRecord(GAME, NAMES, 1, (), (0, 3, 1, 4, 2), Verdict((1.0, -1.0)))
        lost = MatchRecord(GAME, NAMES, 2, (), (0,), forfeit(2, 1, Reason.CRASHED, NASTY))
        store.add_games(run.id, [(0, won), (1, lost)])
    return tmp_path / "arena.db"


def test_matches_and_ladder(store, capsys):
    for arguments in (["matches"], ["match", "1"], ["match", "2"], ["ladder", "tic_tac_toe"]):
        assert "[/x]" in shown(capsys, *arguments, "--store", str(store))


def test_runs(tmp_path, capsys):
    folder = tmp_path / "x"
    (folder / "live").mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"game": NASTY, "options": {NASTY: NASTY}, "algorithm": "[/x]\x1b"}))
    status = {
        "state": "finished",
        "step": 1,
        "total_steps": 1,
        "snapshots": 1,
        "rate": 0,
        "time": 1,
        "begun": 1,
        "pid": 1,
    }
    (folder / "live" / "status.json").write_text(json.dumps(status | {"evaluation": {NASTY: 0.5}, "said": NASTY}))
    folder.rename(tmp_path / "[red]")
    assert "[red]" in shown(capsys, "runs", "--runs", str(tmp_path))


def test_messages(tmp_path, capsys):
    for arguments in (["play", NASTY, "random"], ["runs", NASTY], ["league", str(tmp_path / NASTY)], [NASTY]):
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert said.removesuffix("\n").isprintable()


@pytest.fixture
def league():
    learners = [Learner("_main$x$", "main", 1, 5), Learner("[/x]", "main exploiter", 1, 5)]
    members = [Member(f"{one.name}\x1b", one.role, one.name, 1, 5, None, "x", "0" * 64) for one in learners]
    found = League("tic_tac_toe", {}, "ppo", [NASTY], learners, members)
    for one, other in zip(members, reversed(members), strict=True):
        found.evaluation.add(one.name, other.name, 2, 1, 1)
    found.ratings = {name: (1.0, 2.0) for name in (NASTY, *(member.name for member in members))}
    return found


def test_a_league_is_drawn_and_printed(league, tmp_path, capsys):
    from arena.training.league.report import print_league

    print_league(league, NASTY, make_console(width=160))
    assert all(line.isprintable() for line in capsys.readouterr().out.splitlines())
    assert all(path.stat().st_size > 1000 for path in save_pictures(league, NASTY, tmp_path))


def test_tables_of_a_tournament_are_no_formulas(tmp_path):
    names = ["=1+1", "+ada", "-bob", "@sum", "\tx", "\rx", "plain"]
    records = [
        MatchRecord("", (one, other), 0, (), (), Verdict((1.0, -1.0)))
        for one in names
        for other in names
        if one != other
    ]
    table = standings(names, records)
    write_standings(table, "x", tmp_path)
    save_cross_table(table, "$x$", table.meaning, tmp_path / "cross.png")
    with (tmp_path / "ratings.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t", "\r"))]
    assert not [cell for cell in cells if re.match(r"-(?![\d.])", cell)]
    assert [from_csv_cell(str(csv_cell(name))) for name in names[:4]] == names[:4]


def test_names_in_csv_come_back(tmp_path):
    path = tmp_path / "games.csv"
    path.write_text("white,black,result\n'=ada,'-bob,1-0\n'=ada,bob's,0-1\n")
    assert read_games(path).names == ["=ada", "-bob", "bob's"]


@pytest.mark.parametrize(("game", "suffix"), [("chess", ".pgn"), ("go", ".sgf")])
def test_notations(game, suffix, tmp_path):
    names = ('a"]\n[Result "1-0"]\\', "b]\n;B[aa\x1b\\")
    text = match_text(WrittenMatch(make_game(game), names, ()), suffix)
    assert all(line.isprintable() for line in text.splitlines())
    (tmp_path / f"x{suffix}").write_text(text)
    assert read_match(tmp_path / f"x{suffix}").players == tuple(map(printable, names))


def test_a_picture_of_a_position(tmp_path):
    game = make_game("tic_tac_toe")
    match = WrittenMatch(game, NAMES, (), verdict=forfeit(2, 1, Reason.CRASHED, NASTY))
    export(match, [game.picture(game.initial)], tmp_path / "x.png")
    assert (tmp_path / "x.png").stat().st_size > 500


async def test_screens(store):
    """What is drawn, and what a picture of the screen holds."""
    app = ArenaApp(BrowseScreen(str(store), MatchFilter()))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(0.5)
        await app.push_screen(CurtainScreen(NASTY))
        await pilot.pause(0.5)
        picture = app.export_screenshot()
        lines = [segment.text for strip in app.screen._compositor.render_strips() for segment in strip]
    assert all(line.isprintable() for line in lines)
    assert any("[/x]" in line for line in lines)
    ElementTree.fromstring(picture)


def test_a_console_shows_what_it_is_given(capsys):
    make_console().print(NASTY, Text(NASTY))
    printed = capsys.readouterr().out
    assert "[/x]" in printed
    assert "\\x1b[2J" in printed
    assert "\x1b" not in printed


def test_there_is_one_console():
    """Others would take brackets for markup, and send on what they are given."""
    calls = re.compile(r"\bConsole\(|Text\.from_markup|rich import print")
    files = [*(ROOT / "arena").rglob("*.py"), *(ROOT / "scripts").rglob("*.py"), *(ROOT / "agents").rglob("*.py")]
    found = {str(path.relative_to(ROOT)) for path in files if calls.search(path.read_text(encoding="utf-8"))}
    assert found <= {"arena/base/terminal.py"}


def test_labels_of_plots():
    assert plot_text("_a$") == r" _a\$"
