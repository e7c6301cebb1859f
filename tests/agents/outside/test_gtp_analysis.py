"""Scores in the Go Text Protocol: read, written, agreed on by programs of ours, and stated by the real Leela Zero."""

import random
from contextlib import closing

import pytest

import games
from arena.match.adjudication import Adjudication, Adjudicator
from arena.match.match import Match
from arena.policy.gtp_analysis import read_analysis, written_analysis
from arena.policy.registry import make_agent
from tests.agents.outside.programs import ARENA, require_program


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("info move D4 visits 9 winrate 7500 prior 2 order 0 pv D4 Q16 info move Q3 winrate 1 pv Q3\nplay D4", 0.5),
        ("info move Q3 visits 9 winrate 1 pv Q3 info move D4 visits 1 winrate 2500 pv D4\n play D4 ", -0.5),
        ("info move D4 visits 1 winrate 10 pv D4\ninfo move D4 visits 9 winrate 10000 pv D4\nplay d4", 1.0),
        ("info move D4 visits 9 lcb 1 pv D4\nplay D4", None),
        ("info move Q3 visits 9 winrate 7500 pv Q3 D4\nplay D4", None),
        ("info move D4 winrate -3 pv D4\nplay D4", None),
        ("info move D4 winrate 0.4656 pv D4\nplay D4", None),
        (f"info move D4 winrate {'9' * 5000} pv D4\nplay D4", None),
        ("play D4", None),
    ],
)
def test_the_score_is_that_of_the_move_in_the_latest_report(answer, read):
    move, value, _ = read_analysis(answer)
    assert (move.upper(), value) == ("D4", read)


@pytest.mark.parametrize("answer", ["", "D4", "info move D4 winrate 1 pv D4", "play D4\n=", "play"])
def test_what_names_no_move_has_none(answer):
    assert read_analysis(answer)[:2] == ("", None)


@pytest.mark.parametrize("value", [-1.0, -0.25, 0.0, 0.5, 1.0])
def test_what_is_written_is_read_again(value):
    report, last = written_analysis("swap-pieces", value, 30, ["swap-pieces", "b3"]).split("\n")
    assert report == f"info move swap-pieces visits 30 winrate {round((value + 1) * 5000)} order 0 pv swap-pieces b3"
    assert last == "play swap-pieces"
    assert read_analysis(f"{report}\n{last}") == ("swap-pieces", value, ["swap-pieces", "b3"])


def test_an_agent_that_states_nothing_has_its_move_alone():
    assert written_analysis("pass", None, None, []) == "play pass"
    assert written_analysis("pass", 3.0, None, []) == "info move pass winrate 10000 order 0 pv pass\nplay pass"


@pytest.mark.full
def test_programs_agree_on_who_has_won():
    """The scores of both arrive: the game ends once they say the same, before the board does."""
    game = games.make("hex", size=4)
    with closing(make_agent(f"gtp:{ARENA} gtp mcts:300 --game hex:size=4", game)) as agent:
        rules = Adjudication(resign="movecount=1,score=0.9")
        match = Match(game, [("program", agent)] * 2, adjudicator=Adjudicator(game, rules))
        first = match.advance()
        assert first.pv.tolist()[0] == first.action
        assert len(line := match.line(first.pv.tolist()[1:])) == (first.pv >= 0).sum() - 1 > 0, line
        assert match.play_out().verdict.detail == "resign by score"


CHANNELS = 4
POINTS = 19 * 19


def tiny_network(value):
    """Return a network of Leela Zero's first version, of one block, that says tanh(value) of all that it sees."""
    source = random.Random(1)

    def row(count, weight=None):
        return " ".join(f"{source.gauss(0, 0.01) if weight is None else weight:.3g}" for _ in range(count))

    def convolution(inputs, outputs, size):
        return [row(inputs * outputs * size), row(outputs, 0), row(outputs, 0), row(outputs, 1)]

    layers = [*convolution(18, CHANNELS, 9), *convolution(CHANNELS, CHANNELS, 9), *convolution(CHANNELS, CHANNELS, 9)]
    layers += [*convolution(CHANNELS, 2, 1), row(2 * POINTS * (POINTS + 1)), row(POINTS + 1, 0)]
    layers += [*convolution(CHANNELS, 1, 1), row(POINTS * 256, 0), row(256, 0), row(256, 0), row(1, value)]
    return "\n".join(["1", *layers, ""])


@pytest.mark.full
def test_leela_zero_states_its_score(tmp_path):
    """Its network says that whoever is to move has the better of it: after a move, that is the other one."""
    leelaz = require_program("leelaz")
    network = tmp_path / "network.txt"
    network.write_text(tiny_network(1.0))
    game = games.make("go", size=19)
    options = f"--gtp --noponder --cpu-only --quiet --threads 1 --visits 3 --seed 1 --resignpct 0 --weights {network}"
    with closing(make_agent(f"gtp:{leelaz} {options}", game)) as agent:
        match = Match(game, [("leelaz", agent), ("random", make_agent("random", game))])
        values = [answer.value for answer in (match.advance() for _ in range(10))][::2]
    assert match.verdict is None
    assert values == pytest.approx([-0.7616] * 5, abs=1e-3)
