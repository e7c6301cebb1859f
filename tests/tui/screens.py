"""Every screen with something to show on it, for tests of what all of them have in common."""

from contextlib import contextmanager
from pathlib import Path

from arena.match.files import WrittenMatch
from arena.match.verdict import Verdict
from arena.policy.registry import make_game
from arena.store import MatchFilter
from arena.training.live_files import training_lock
from arena.tui.screens.boards import BoardsScreen
from arena.tui.screens.browse import BrowseScreen
from arena.tui.screens.home import HomeScreen
from arena.tui.screens.league import LeagueScreen
from arena.tui.screens.play import PlayScreen
from arena.tui.screens.replay import ReplayScreen
from arena.tui.screens.training import TrainingScreen
from arena.tui.screens.watch import WatchScreen
from tests.tui.agents import FirstLegal
from tests.tui.leagues import make_league
from tests.tui.sample_files import fill_store, make_run


@contextmanager
def furnished(folder: Path):
    """A folder with a store and two runs, of which one has a league and is at work."""
    fill_store(folder / "arena.db")
    make_run(folder / "runs" / "old", "finished", 100_000)
    new = make_run(folder / "runs" / "new")
    make_league(new)
    with training_lock(new):
        yield folder


def two(names=("left", "right")):
    return [(name, FirstLegal()) for name in names]


def home(folder):
    return HomeScreen(folder / "runs", str(folder / "arena.db"))


def browse(folder):
    return BrowseScreen(str(folder / "arena.db"), MatchFilter())


def league(folder):
    return LeagueScreen(folder / "runs" / "new")


def training(folder):
    return TrainingScreen(folder / "runs" / "new", control=True)


def watch(_folder, name="connect_four"):
    return WatchScreen(make_game(name), two(), games=1000, speed=16)


def boards(_folder):
    return BoardsScreen(make_game("tic_tac_toe"), [two() for _ in range(4)], games=1000, speed=16)


def replay(_folder):
    won = WrittenMatch(make_game("tic_tac_toe"), ("ada", "bob"), tuple(range(7)), verdict=Verdict((1.0, -1.0)))
    return ReplayScreen(won, analysts=[("first", FirstLegal())])


def play(_folder):
    return PlayScreen(make_game("tic_tac_toe"), [("bot", FirstLegal())])


LISTS = (home, browse, league, training)
MATCHES = (watch, boards, replay, play)
