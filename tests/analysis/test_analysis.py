"""Positions held fixed, what moves in them are worth, and how agents do."""

from itertools import islice

import numpy as np
import pytest

from arena.analysis.analysis import analyse, judge_positions, phases_of
from arena.analysis.judging import Judge, move_values
from arena.base.errors import UsageError
from arena.base.intervals import wilson
from arena.data.batch import Batch
from arena.match.lines import PlayedLines, drawn_lines
from arena.match.position import analyse_position
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent, make_game
from games.engine.game import TERMINAL

pytestmark = pytest.mark.full

TIC_TAC_TOE = make_game("tic_tac_toe")


def judge(game, spec="perfect"):
    return Judge(spec, make_agent(spec, game))


@pytest.fixture(scope="module")
def held():
    return judge_positions(TIC_TAC_TOE, judge(TIC_TAC_TOE), 120, seed=3)


def test_positions_are_open_different_and_fixed_by_the_seed():
    game = make_game("othello", size=6)
    lines = list(islice(drawn_lines(game, 5), 100))
    assert lines == list(islice(drawn_lines(game, 5), 100))
    assert lines != list(islice(drawn_lines(game, 6), 100))
    played = PlayedLines(game, lines)
    assert not played.env.over.any()
    assert (played.env.mask.sum(axis=1) > 1).all()
    assert len({state.tobytes() for state in played.env.positions()}) == 100
    assert min(map(len, lines)) < 8
    assert max(map(len, lines)) > 24


def plain_value(game, line):
    """What a position is worth for the seat to move, by trying everything."""
    played = PlayedLines(game, [line])
    seat, legal = int(played.env.seats[0]), np.flatnonzero(played.env.mask[0])
    results = []
    for action in legal.tolist():
        after = PlayedLines(game, [(*line, action)])
        over = after.env.states[0]["current_player"] == TERMINAL
        results.append(after.returns[0, seat] if over else -plain_value(game, (*line, action)))
    return max(results)


@pytest.mark.parametrize("spec", ["perfect", "alphabeta:9"])
def test_worths_are_those_of_trying_everything(spec):
    lines = [line for line in islice(drawn_lines(TIC_TAC_TOE, 1), 200) if len(line) >= 5][:12]
    worth = move_values(TIC_TAC_TOE, judge(TIC_TAC_TOE, spec), lines)
    mask = PlayedLines(TIC_TAC_TOE, lines).env.mask
    assert (np.isneginf(worth) == ~mask).all()
    for row, line in enumerate(lines):
        assert np.round(worth[row].max()) == plain_value(TIC_TAC_TOE, line)


def test_a_perfect_player_keeps_every_value_and_a_random_one_as_many_as_chance_would(held):
    perfect = analyse(held, "perfect", make_agent("perfect", TIC_TAC_TOE))
    assert (perfect.total.share, perfect.total.regret, perfect.failures) == (1.0, 0.0, 0)
    random = analyse(held, "random", make_agent("random", TIC_TAC_TOE))
    assert abs(random.total.share - random.total.by_chance) < 0.15
    assert random.total.regret > 0.2
    assert random.total.kept_deciding < random.total.deciding
    for one in (perfect, random):
        assert sum(phase.positions for phase in one.phases) == one.total.positions == 120
        assert sum(phase.kept for phase in one.phases) == one.total.kept
        low, high = one.total.interval
        assert low <= one.total.share <= high
    mcts = analyse(held, "mcts:300", make_agent("mcts:300", TIC_TAC_TOE))
    assert random.total.share < mcts.total.share <= 1
    assert mcts == analyse(held, "mcts:300", make_agent("mcts:300", TIC_TAC_TOE)), "a seed fixes it"


class Broken(Policy):
    """Plays a move that is none, or raises."""

    def __init__(self, action):
        self.action = action

    def forward(self, batch, state=None):
        if self.action is None:
            raise RuntimeError("no idea")
        return Batch(act=np.full(len(batch.obs.mask), self.action))


@pytest.mark.parametrize("action", [None, 99, -7])
def test_an_agent_that_gives_no_legal_move_loses_all_there_is_to_lose(held, action):
    result = analyse(held, "broken", Broken(action))
    assert (result.failures, result.kinds) == (120, {"crashed" if action is None else "illegal": 120})
    assert result.total.kept == 0
    assert result.total.regret == pytest.approx(
        (held.best - np.where(held.move_values > -9, held.move_values, 9).min(1)).mean()
    )


def test_connect_four_leaves_out_what_takes_long():
    game = make_game("connect_four")
    held = judge_positions(game, judge(game), 6, seed=0)
    assert held.left_out > 0 or held.plies.min() < 8, "with a book, nothing is left out"
    assert analyse(held, "perfect", make_agent("perfect", game)).total.share == 1


def test_what_cannot_be_judged_is_refused():
    for name, spec, message in (
        ("tic_tac_toe", "random", "random reports no values of positions"),
        ("pig", "mcts:10", "chance does not move; pig"),
        ("kuhn_poker", "perfect", "nothing is hidden"),
    ):
        game = make_game(name)
        with pytest.raises(UsageError, match=message):
            judge_positions(game, judge(game, spec), 10)
    with pytest.raises(UsageError, match="positions=0 is not at least 1"):
        judge_positions(TIC_TAC_TOE, judge(TIC_TAC_TOE), 0)
    tiny = make_game("tic_tac_toe", m=2, n=2, k=2)
    with pytest.raises(UsageError, match=r"only \d+ different positions .* were found: ask for fewer"):
        judge_positions(tiny, judge(tiny), 100)


def test_one_position_by_any_agent():
    answer = analyse_position(TIC_TAC_TOE, (0, 3, 1, 4), make_agent("mcts:200", TIC_TAC_TOE))
    assert (answer.action, answer.value) == (2, 1.0)
    assert answer.visits.sum() > 0
    assert answer.pv[0] == 2
    with pytest.raises(UsageError, match="illegal"):
        analyse_position(TIC_TAC_TOE, (0, 0), make_agent("random", TIC_TAC_TOE))


def test_phases_cover_all_plies_and_wilson_is_that_of_the_book():
    assert phases_of(np.array([8, 30, 41]), 4) == [(8, 15), (16, 24), (25, 33), (34, 41)]
    assert phases_of(np.array([3, 3])) == [(3, 3)]
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)  # Newcombe 1998, table I
