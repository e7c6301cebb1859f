"""Whole tournaments: the same every time, faults contained, and everything told."""

import csv

import numpy as np
import pytest
import torch
from rich.console import Console

import games
from arena.base.errors import UsageError
from arena.match.match import Match
from arena.policy.registry import make_agent
from arena.tournament.config import TournamentConfig
from arena.tournament.files import claim_directory, numbered, write_results
from arena.tournament.report import percent, print_report
from arena.tournament.tournament import Tournament, run_tournament
from tests.match.players import Bad, Lowest, Unfit

pytestmark = pytest.mark.full

TIC_TAC_TOE = games.make("tic_tac_toe")
SPECS = ["random", "one-ply", "alphabeta:2"]


def agents(*specs):
    return {spec: make_agent(spec, TIC_TAC_TOE) for spec in specs or SPECS}


@pytest.fixture(scope="module")
def result():
    players = {**agents(), "bad": Bad("illegal"), "unfit": Unfit()}
    return run_tournament(TIC_TAC_TOE, players, TournamentConfig(games=20, openings="random:2", anchor="random"))


def test_the_seed_decides_every_game():
    config = TournamentConfig(games=140, openings="random:2", seed=3)
    once, again = (run_tournament(TIC_TAC_TOE, agents(), config) for _ in range(2))
    assert once.records == again.records
    other = run_tournament(TIC_TAC_TOE, agents(), TournamentConfig(games=140, openings="random:2", seed=4))
    assert once.records != other.records


def test_the_games_of_a_pair_do_not_depend_on_who_else_plays():
    config = TournamentConfig(games=10, openings="random:2")
    alone = run_tournament(TIC_TAC_TOE, agents("random", "one-ply"), config)
    assert run_tournament(TIC_TAC_TOE, agents(), config).records[:10] == alone.records


def test_an_agent_that_breaks_the_rules_loses_and_the_rest_goes_on(result):
    rows = {row.name: row for row in result.standings.rows}
    assert len(result.records) == 10 * 20
    assert rows["unfit"].tally.crashed == rows["unfit"].tally.losses > 60
    assert rows["bad"].tally.illegal > 40
    assert rows["alphabeta:2"].tally.illegal == rows["alphabeta:2"].tally.crashed == 0
    assert result.standings.names[0] == "alphabeta:2"
    assert result.standings.names[-1] == "unfit"
    assert rows["random"].elo == 0


def test_progress_tells_the_games_that_have_come():
    told = []
    players = {"unfit": Unfit(), "low": Lowest()}
    config = TournamentConfig(games=1200, openings="random:1")
    result = run_tournament(TIC_TAC_TOE, players, config, progress=lambda *news: told.append(news))
    assert [(len(records), total) for records, total in told] == [(0, 1200), (512, 1200), (512, 1200), (176, 1200)]
    assert [record for records, _ in told for record in records] == list(result.records)


class Torchy(Lowest):
    """Notes how torch is set when it is asked."""

    def __init__(self):
        self.seen = set()

    def forward(self, batch, state=None):
        self.seen.add((torch.get_num_threads(), torch.is_grad_enabled()))
        return super().forward(batch)


def test_torch_acts_on_few_threads_without_gradients_and_is_left_as_it_was():
    before, agent = torch.get_num_threads(), Torchy()
    run_tournament(TIC_TAC_TOE, {"a": agent, **agents("random")}, TournamentConfig(games=2, threads=1))
    assert agent.seen == {(1, False)}
    assert (torch.get_num_threads(), torch.is_grad_enabled()) == (before, True)


def test_games_in_the_file_can_be_replayed(result, tmp_path):
    write_results(result, tmp_path)
    with (tmp_path / "games.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(result.records)
    for row in rows:
        match = Match(TIC_TAC_TOE, [(row["seat_0"], None), (row["seat_1"], None)])
        for action in row["actions"].split():
            match.play(int(action))
        assert row["actions"].startswith(row["opening"])
        assert match.over == (row["reason"] == "finished")
        if match.over:
            assert match.verdict.returns == (float(row["return_0"]), float(row["return_1"]))


def test_ratings_file_and_picture(result, tmp_path):
    write_results(result, tmp_path)
    with (tmp_path / "ratings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["agent"] for row in rows] == list(result.standings.names)
    assert {row["games"] for row in rows} == {"80"}
    assert (tmp_path / "crosstable.png").read_bytes().startswith(b"\x89PNG")
    assert len(list(tmp_path.iterdir())) == 5


@pytest.mark.parametrize("width", [80, 140])
def test_the_report_fits_and_holds_every_name_and_figure(result, width):
    console = Console(width=width, force_terminal=False)
    with console.capture() as captured:
        print_report(result, console)
    text = captured.get()
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for heading in ("Elo", "±", "LOS", "games", "W/D/L", "score", "seat 1", "seat 2", "distinct", "illegal", "crashed"):
        assert heading in text
    assert all(text.count(name) >= 2 for name in result.standings.names)
    best = result.standings.rows[0]
    assert f"{best.tally.wins}/{best.tally.draws}/{best.tally.losses}" in text


def test_percentages_are_not_rounded_to_certainty():
    shares = (0.0, 0.004, 0.5, 0.996, 1.0, float("nan"))
    assert [percent(share) for share in shares] == ["0 %", "<1 %", "50 %", ">99 %", "100 %", ""]
    assert percent(1.0, certain=False) == ">99 %"


@pytest.mark.parametrize(
    ("names", "config", "message"),
    [
        (["a"], TournamentConfig(), "needs at least 2 agents, not 1"),
        (["a", "b"], TournamentConfig(games=7), "games=7 is not an even number"),
        (["a", "b"], TournamentConfig(anchor="c"), "unknown player 'c'; known: a, b"),
        (["a", "b"], TournamentConfig(openings="random:9"), "no game is still open after 9 random moves"),
    ],
)
def test_what_cannot_be_played_is_refused(names, config, message):
    with pytest.raises(UsageError, match=message):
        Tournament(TIC_TAC_TOE, dict.fromkeys(names, Lowest()), config)


@pytest.mark.parametrize("wrong", [{"openings": "book.pgn"}, {"openings": "random:-1"}, {"seed": -1}, {"threads": 0}])
def test_a_configuration_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(UsageError, match=str(next(iter(wrong.values())))):
        TournamentConfig(**wrong)


def test_results_never_go_where_something_is(tmp_path):
    full = tmp_path / "full-1"
    full.mkdir()
    (full / "precious").write_text("data")
    with pytest.raises(UsageError, match="is not empty"):
        claim_directory(full)
    with pytest.raises(UsageError, match="a folder for results cannot be made"):
        claim_directory(full / "precious" / "below")
    assert claim_directory(numbered(tmp_path / "full")) == tmp_path / "full-2"
    assert claim_directory(tmp_path / "full-2") == tmp_path / "full-2"


def test_scores_add_up(result):
    assert np.nansum(result.standings.points) == len(result.records)
