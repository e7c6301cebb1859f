"""`arena solve` and `arena exploitability`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.main import main

pytestmark = pytest.mark.full


def test_what_solve_writes_exploitability_measures(tmp_path, capsys):
    folder = str(tmp_path / "leduc")
    assert main(["solve", "leduc_poker", "cfr", "--iterations", "100", "--out", folder]) == 0
    said = capsys.readouterr().out
    assert "9,457 positions, 936 information states" in said
    assert "0.095716353" in said
    assert main(["exploitability", "leduc_poker", f"tabular:{folder}", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["exploitability"] == pytest.approx(0.095716353, abs=1e-9)
    assert told["nash_conv"] == pytest.approx(2 * told["exploitability"])
    assert (told["positions"], told["information_states"]) == (9457, 936)
    assert sum(told["values"]) == pytest.approx(0)


def test_a_finished_run_says_so(tmp_path, capsys):
    words = ["solve", "kuhn_poker", "--iterations", "10", "--out", str(tmp_path / "k")]
    assert main(words) == 0
    assert main([*words, "--resume"]) == 0
    assert "this run is finished" in capsys.readouterr().out


def test_exploitability_of_random_play(capsys):
    assert main(["exploitability", "kuhn_poker", "random"]) == 0
    assert "NashConv 0.916667   exploitability 0.458333" in capsys.readouterr().out


def test_a_pure_draw_from_an_equilibrium_is_exploitable(tmp_path, capsys):
    folder = str(tmp_path / "k")
    assert main(["solve", "kuhn_poker", "--iterations", "1000", "--out", folder]) == 0
    capsys.readouterr()
    assert main(["exploitability", "kuhn_poker", f"tabular:{folder}", "--chosen", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["exploitability"] > 0.1


def test_an_opponent_that_is_trained_gives_a_lower_bound(tmp_path, capsys):
    """Whoever plays at random in Kuhn poker loses 0.458333 a seat to the best opponent, and nearly that to this one."""
    words = ["exploitability", "kuhn_poker", "random", "--approximate", "--steps", "150000", "--games", "4000"]
    assert main([*words, "--out", str(tmp_path / "x"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["lower_bound"] is True
    assert told["nash_conv"] == pytest.approx(sum(told["opponent"]["return_by_seat"]), abs=1e-3)
    assert told["exploitability"] == pytest.approx(told["nash_conv"] / 2)
    assert 0.0 < told["exploitability_error_95"] < 0.06
    assert 0.3 < told["exploitability"] < 0.458333 + 2 * told["exploitability_error_95"]
    assert main([*words, "--out", str(tmp_path / "x"), "--resume"]) == 0
    said = capsys.readouterr().out
    assert f"exploitability at least {told['exploitability']:.4f}" in said
    assert "lower bounds: a better opponent may raise them" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["exploitability", "connect_four", "random"],
            "connect_four(rows=6, columns=7, k=4) has more than 2,000,000 positions in its tree (about 10^29): too "
            "many for an exact computation; --approximate trains an opponent instead, for a lower bound",
        ),
        (["exploitability", "texas_holdem", "random"], "(about 10^4 for each way that chance may go)"),
        (
            ["exploitability", "matrix_game:payoffs=prisoners_dilemma", "random", "--approximate"],
            "is not zero-sum: an opponent's returns give no bound",
        ),
        (["exploitability", "kuhn_poker", "random", "--approximate", "--budget", "soon"], "budget"),
        (["exploitability", "kuhn_poker", "mcts:0", "--approximate"], "mcts"),
        (
            ["exploitability", "kuhn_poker", "random", "--approximate", "--chosen"],
            "--chosen is for the exact",
        ),
        (["exploitability", "kuhn_poker", "random", "--steps", "9"], "add --approximate"),
        (["exploitability", "leduc_poker", "random", "--most-positions", "9456"], "more than 9,456 positions"),
        (["exploitability", "kuhn_poker", "random", "--most-positions", "0"], "--most-positions 0 is not at least 1"),
        (["exploitability", "kuhn_poker", "random", "--seed", "-1"], "--seed -1 is not at least 0"),
        (["exploitability", "kuhn_poker", "tabular:nowhere"], "no checkpoint at nowhere"),
        (["exploitability", "kuhn_pocker", "random"], "did you mean 'kuhn_poker'"),
        (["solve", "kuhn_poker", "cfr-plus"], "unknown solver 'cfr-plus'"),
        (["solve", "kuhn_poker", "--iterations", "0"], "--iterations 0 is not at least 1"),
        (["solve", "kuhn_poker", "--until", "-1"], "--until -1.0 is not at least 0"),
        (["solve", "connect_four"], "connect_four has no hidden information"),
        (["solve", "texas_holdem"], "more than 2,000,000 positions"),
    ],
)
def test_wrong_input_is_refused_in_one_line(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert len(said.err.splitlines()) == 1
    assert not said.out
    assert not list(tmp_path.iterdir())


def test_curves_are_drawn(tmp_path):
    folders = [str(tmp_path / solver) for solver in ("cfr", "dcfr")]
    for folder in folders:
        assert main(["solve", "kuhn_poker", Path(folder).name, "--iterations", "50", "--out", folder]) == 0
    picture = tmp_path / "curves.png"
    script = Path(__file__).parents[2] / "scripts" / "plot_convergence.py"
    subprocess.run([sys.executable, str(script), *folders, str(picture)], check=True)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert subprocess.run([sys.executable, str(script)], capture_output=True).returncode == 2
