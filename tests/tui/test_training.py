"""Following a training on a screen: what is shown, who may steer it, and what is said when it ends or vanishes."""

import json
import shutil
import threading

import pytest

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.training.follow import FollowedRun, load_run
from arena.training.live_files import (
    FIGURES,
    GAME,
    LIVE,
    LOCK,
    STATUS,
    read_status,
    replace_json,
    request,
    requested,
    training_lock,
)
from arena.tui.app import ArenaApp
from arena.tui.screens.training import TrainingScreen
from arena.tui.views.curves import losses, ratings, returns, scores
from arena.tui.views.instruments import instruments
from arena.tui.views.run_words import status_words
from arena.tui.widgets.plot import Plot
from games.engine.file_lock import lock_now
from tests.tui.helpers import last_line, notice, screen_text, shows, until
from tests.tui.sample_files import make_run
from tests.tui.snapshots import check_snapshot

pytestmark = pytest.mark.full

PASSING = (r"\d\d:\d\d left",)


@pytest.fixture
def folder(tmp_path):
    """A run that is at work."""
    folder = make_run(tmp_path / "runs" / "new")
    with training_lock(folder):
        yield folder


def follow(folder, control=False, opener=None):
    return ArenaApp(TrainingScreen(folder, control), opener)


async def settled(pilot):
    await until(pilot, lambda: pilot.app.screen.followed.figures and pilot.app.screen.positions)
    await pilot.app.screen.poll()


def heading(app):
    return screen_text(app).splitlines()[0]


@pytest.mark.parametrize("size", [(80, 24), (120, 34)])
async def test_curves_game_and_log_are_seen(folder, size):
    app = follow(folder)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        app.screen.positions = app.screen.positions[:1]  # let the game rest at its start
        app.screen.shown = 0
        app.screen._show_position()
        await pilot.pause()
        check_snapshot(app, f"training-{size[0]}x{size[1]}", *PASSING)
        for key in ("␣ pause", "s snapshot", "x stop", "w watch", "l league", "? help", "q back"):
            assert key in last_line(app)


async def test_instruments_are_seen_as_soon_as_there_are_some(folder):
    app = follow(folder)
    async with app.run_test(size=(120, 34)) as pilot:
        await settled(pilot)
        assert not app.screen.query_one("#instruments").region
        step = read_status(folder).step
        figures = {"update/policy_0/lr": 0.0025, "update/policy_0/kl": 0.0123, "update/policy_0/clip_fraction": 0.08}
        figures |= {"update/policy_0/entropy": 1.25, "update/policy_0/grad_norm": 0.4, "speed/games": 1596.4}
        figures |= {"update/policy_0/explained_variance": 0.61}
        with (folder / LIVE / FIGURES).open("a") as file:
            file.write(json.dumps({"step": step, "figures": figures}) + "\n")
        await app.screen.poll()
        await shows(
            pilot, "lr 0.0025  gradient 0.4  entropy 1.25  KL 0.012  clipped 8%  explained variance 0.61  1,596 games/s"
        )


def test_instruments_are_the_latest_ones_of_the_first_learner():
    figures = {"rival/update/policy_0/lr": [(1, 0.1)], "update/policy_0/lr": [(1, 0.3), (2, 0.2)], "update/kl": []}
    assert instruments(figures) == "lr 0.2"
    assert instruments({}) == ""


def test_the_heading_has_the_steps_that_were_taken_also_beyond_those_asked_for(tmp_path):
    steps = {at: status_words(load_run(make_run(tmp_path / str(at), step=at)).status)[1] for at in (40_000, 114_000)}
    assert steps == {40_000: "40k of 100k", 114_000: "114k steps"}


@pytest.mark.parametrize("tone", ["refusal", "result"])
async def test_a_long_refusal_or_result_is_shown_whole(folder, tone):
    app = follow(folder)
    said = "runs/c4 holds a run already; resume it or make it longer with --resume, or choose another folder with --out"
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.screen.say(said, tone)
        await until(pilot, lambda: "folder with --out" in screen_text(app))
        app.screen.say("a word")
        await until(pilot, lambda: app.screen.query_one("#notice").region.height == 1)


async def test_on_a_small_screen_the_game_takes_the_place_of_the_curves(folder):
    app = follow(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert not app.screen.query_one("#game").region
        await pilot.press("g")
        await shows(pilot, "● main  ○ main-0003", "latest game")
        assert not app.screen.query_one("#curves").region
        await pilot.press("g")
        await shows(pilot, "score against")


async def test_the_game_is_shown_as_it_was_played_and_then_the_next(folder):
    app = follow(folder)
    async with app.run_test(size=(120, 34)) as pilot:
        await settled(pilot)
        await shows(pilot, "move 1 of ")
        await shows(pilot, "move 2 of ")
        told = json.loads((folder / LIVE / GAME).read_text())
        told["players"] = ["main-0004", "main"]
        app.screen.shown, app.screen._rest_s = len(app.screen.positions) - 1, 0.0
        (folder / LIVE / GAME).write_text(json.dumps(told))
        await shows(pilot, "● main-0004  ○ main")


async def test_a_game_that_cannot_have_been_played_is_not_shown(folder):
    told = json.loads((folder / LIVE / GAME).read_text())
    (folder / LIVE / GAME).write_text(json.dumps(told | {"actions": [0, 0]}))
    app = follow(folder)
    async with app.run_test(size=(120, 34)) as pilot:
        await shows(pilot, "the latest game cannot")


async def test_figures_that_come_later_are_drawn(folder):
    app = follow(folder)
    async with app.run_test(size=(120, 34)) as pilot:
        await settled(pilot)
        with (folder / LIVE / FIGURES).open("a") as file:
            file.write(json.dumps({"step": 50_000, "figures": {"elo": 1500.0, "elo/low": 1450.0, "elo/high": 1550.0}}))
            file.flush()
            await app.screen.poll()
            assert not app.screen.query_one("#ratings", Plot).curves  # half a line is none
            file.write("\n" + json.dumps({"step": 50_000, "message": "snapshot 5"}) + "\nnonsense\n[1]\n")
        await app.screen.poll()
        (curve,) = app.screen.query_one("#ratings", Plot).curves
        assert (list(curve.points), curve.band) == ([(50_000, 1500.0)], [(50_000, 1450.0, 1550.0)])
        await shows(pilot, "50,000  snapshot 5")


async def test_who_only_looks_on_changes_nothing(folder):
    app = follow(folder)
    async with app.run_test(size=(120, 34)) as pilot:
        await settled(pilot)
        for key in ("space", "s", "x"):
            await pilot.press(key)
            assert "this screen is read-only" in notice(app)
        assert not any(requested(folder, what) for what in ("pause", "snapshot", "stop"))
        await pilot.resize_terminal(70, 24)
        await shows(pilot, "read-only")


async def test_who_may_pauses_keeps_a_snapshot_and_stops(folder):
    app = follow(folder, control=True)
    async with app.run_test(size=(120, 34)) as pilot:
        await settled(pilot)
        await pilot.press("space")
        assert requested(folder, "pause")
        await pilot.press("space")
        assert not requested(folder, "pause")
        await pilot.press("s")
        assert requested(folder, "snapshot")
        await pilot.press("x")
        await shows(pilot, "stop new?")
        await pilot.press("escape")
        assert not requested(folder, "stop")
        await pilot.press("x", "enter")
        await until(pilot, lambda: requested(folder, "stop"))


@pytest.mark.parametrize("state", ["paused", "finished", "stopped", "failed"])
async def test_every_state_is_said(tmp_path, state):
    folder = make_run(tmp_path / "run", state)
    with training_lock(folder):
        app = follow(folder)
        async with app.run_test(size=(120, 34)) as pilot:
            await settled(pilot)
            said = {
                "paused": "it is paused",
                "finished": "its agent is ppo:",
                "stopped": "--resume",
                "failed": "it failed",
            }
            await until(pilot, lambda: said[state] in notice(app))
            assert state in heading(app)


async def test_a_training_that_is_killed_or_vanishes_is_said_and_its_curves_stay(tmp_path):
    folder = make_run(tmp_path / "run")
    app = follow(folder, control=True)
    async with app.run_test(size=(120, 34)) as pilot:
        with training_lock(folder):
            await settled(pilot)
            assert "running" in heading(app)
        await until(pilot, lambda: "ended without a word" in notice(app))
        await until(pilot, lambda: "w watch" in last_line(app) and "pause" not in last_line(app))
        shutil.rmtree(folder)
        await until(pilot, lambda: "is gone: its folder cannot be read any more" in notice(app))
        await shows(pilot, "A random")
        await pilot.press("space", "w", "s")


async def test_a_run_that_told_nothing_is_shown_as_far_as_it_goes(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    told = {"game": "tic_tac_toe", "options": {}, "algorithm": "ppo", "run": {"steps": 10, "snapshots": 3}}
    (folder / "run.json").write_text(json.dumps(told))
    app = follow(folder)
    async with app.run_test(size=(120, 34)) as pilot:
        await shows(pilot, "killed", "no figures yet")


async def test_a_training_without_a_league_shows_the_parts_that_it_fills(tmp_path):
    folder = make_run(tmp_path / "run", "finished")
    told = {"game": "gym:CartPole-v1", "options": {}, "algorithm": "ppo", "run": {"steps": 100_000, "snapshots": 10}}
    (folder / "run.json").write_text(json.dumps(told))
    status = json.loads((folder / LIVE / STATUS).read_text())
    replace_json(folder / LIVE / STATUS, status | {"measure": "return", "evaluation": {"return": 21.5}})
    app = follow(folder, control=True)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: not app.screen.query_one("#scores").region)
        assert not app.screen.query_one("#ratings").region
        assert not app.screen.query_one("#game").region
        assert app.screen.query_one("#returns").region
        assert last_line(app).split("  ")[0].strip() == "w watch", "it has ended: nothing to pause, no league"


def test_figures_are_told_apart_by_their_names():
    points = [(1, 1.0)]
    figures = dict.fromkeys(
        ["score/pool", "score/random", "main-exploiter/score/pool", "update/loss", "update/loss/vf", "update/lr"],
        points,
    )
    figures |= dict.fromkeys(["elo", "elo/low", "main-2/elo", "train/reward", "score/return", "train/length"], points)
    figures |= dict.fromkeys(["score/return_low", "score/return_high", "score/return/random", "score/returner"], points)
    assert [curve.name for curve in scores(figures)] == ["pool", "random", "returner", "main-exploiter/pool"]
    assert [curve.name for curve in losses(figures)] == ["loss", "vf"]
    assert [curve.name for curve in ratings(figures)] == ["elo", "main-2"]
    assert [curve.name for curve in returns(figures)] == ["training", "measured", "random"]


def test_the_list_of_runs(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder.parents[1])
    make_run(folder.parent / "old", "finished", 100_000)
    assert main(["runs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines if "ppo" in line] == [["running", "new"], ["finished", "old"]]
    assert main(["runs", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(run["name"], run["state"], run["step"]) for run in told] == [
        ("new", "running", 40_000),
        ("old", "finished", 100_000),
    ]


def test_wrong_input_is_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["runs"]) == 0
    assert capsys.readouterr().out == "There is no training in runs; 'arena train' starts one.\n"
    assert main(["runs", "nothing"]) == 2
    assert capsys.readouterr().err == "arena: there is no run 'nothing'; there are none\n"
    make_run(tmp_path / "runs" / "c4")
    assert main(["runs", "nothing"]) == 2
    assert capsys.readouterr().err == "arena: there is no run 'nothing'; in runs are c4\n"


def test_only_one_process_trains_in_a_folder_and_its_end_is_known_at_once(tmp_path):
    folder = make_run(tmp_path / "run")
    assert read_status(folder).state == "killed"
    with training_lock(folder):
        assert read_status(folder).state == "running"
        with pytest.raises(UsageError, match="is being trained by another process"), training_lock(folder):
            pass
    assert read_status(folder).state == "killed"
    with pytest.raises(UsageError, match="cannot be reached"):
        request(tmp_path / "nowhere", "pause")


def test_a_training_waits_for_a_watcher_that_is_halted_while_it_looks(tmp_path):
    with training_lock(tmp_path):
        pass
    watcher = (tmp_path / LIVE / LOCK).open("rb")
    lock_now(watcher, exclusive=False)
    threading.Timer(1.0, watcher.close).start()
    with training_lock(tmp_path):
        assert watcher.closed


def test_files_of_an_earlier_version_are_read(tmp_path):
    folder = make_run(tmp_path / "run", "failed")
    for file in (folder / "live" / "status.json", folder / "live" / "figures.jsonl"):
        text = file.read_text().replace('"start_time"', '"begun"').replace('"message"', '"said"')
        file.write_text(text.replace('"pid": 1', '"pid": 1, "said": "out of memory"'))
    status, followed = read_status(folder), FollowedRun(folder)
    followed.refresh()
    assert (status.message, status.time - status.start_time) == ("out of memory", 60)
    assert "snapshot 4" in followed.log[0]


@pytest.mark.parametrize(
    ("told", "game", "seats"),
    [
        ({"game": "gym:CartPole-v1", "options": {}}, "gym:CartPole-v1", 1),
        ({"game": "tron", "options": {"players": 4}}, "tron:players=4", 4),
    ],
)
async def test_its_newest_agent_is_watched_in_all_seats_of_its_game(tmp_path, told, game, seats):
    folder = make_run(tmp_path / "run", "finished", 100_000)
    (folder / "run.json").write_text(
        json.dumps(told | {"algorithm": "ppo", "run": {"steps": 100_000, "snapshots": 10}})
    )
    asked = []

    def opener(intent):
        asked.append(intent)
        raise UsageError("seen")

    app = ArenaApp(TrainingScreen(folder), opener)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.followed.run)
        await pilot.press("w")
        await until(pilot, lambda: "seen" in notice(app))
    assert (asked[0].game, len(asked[0].agents), asked[0].speed) == (game, seats, None)
