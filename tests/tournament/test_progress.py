"""The table while a tournament is played."""

import io
import math
import re

import pytest
from rich.console import Console

import games
from arena.ratings.sprt import Sprt
from arena.tournament.config import TournamentConfig
from arena.tournament.progress import LiveTable
from arena.tournament.tournament import run_tournament

PLAYERS = {"random": "random", "one": "one-ply"}
GAME = games.make("tic_tac_toe")


def shown(is_terminal):
    file = io.StringIO()
    console = Console(file=file, force_terminal=is_terminal, width=100)
    with LiveTable(GAME, list(PLAYERS), console) as progress:
        run_tournament(GAME, PLAYERS, TournamentConfig(games=2000), progress)
    return file.getvalue()


def test_a_terminal_sees_ratings_games_and_speed():
    text = shown(is_terminal=True)
    for word in ("random", "one", "Elo", "W/D/L", "2000/2000", "games/s"):
        assert word in text


def test_a_sequential_test_tells_where_it_stands(monkeypatch):
    monkeypatch.setattr("arena.tournament.progress.REFRESH_S", 0)
    monkeypatch.setattr("arena.tournament.progress.SHARE", math.inf)
    file = io.StringIO()
    config = TournamentConfig(format="sprt", sprt=Sprt(0, 50), games=2000)
    with LiveTable(GAME, list(PLAYERS), Console(file=file, force_terminal=True, width=100), config.sprt) as progress:
        result = run_tournament(GAME, PLAYERS, config, progress)
    lines = re.findall(
        r"Log-likelihood ratio (-?[\d.]+) of -2\.94 \(H0\) to 2\.94 \(H1\), (\d+) pairs", file.getvalue()
    )
    assert result.sprt.decision == "H0"
    assert (f"{result.sprt.llr:.2f}", str(sum(result.sprt.pairs))) == lines[-1]


def test_nothing_is_shown_where_nobody_looks():
    assert shown(is_terminal=False) == ""


@pytest.mark.parametrize("count", [3, 30])
def test_a_large_field_is_cut_short(count):
    file = io.StringIO()
    names = [f"player {number}" for number in range(count)]
    with LiveTable(GAME, names, Console(file=file, force_terminal=True, width=100, height=60)) as progress:
        config = TournamentConfig(games=2, format="gauntlet")
        run_tournament(GAME, dict.fromkeys(names, "random"), config, progress)
    assert ("and 10 more" in file.getvalue()) == (count == 30)
