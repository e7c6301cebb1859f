"""Forced wins in gomoku: against plain searches, and played out."""

import numpy as np
import pytest

import games
from agents.perfect.gomoku import GomokuSolver
from agents.perfect.gomoku_threats import win_by_fours
from arena.env.native import GameVectorEnv
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.policy.registry import make_agent
from tests.agents.perfect import brute_force

pytestmark = pytest.mark.full


def random_states(game, count, stones, seed):
    """Unfinished positions of random games with so many stones, in the middle of the board first."""
    rng = np.random.default_rng(seed)
    size = game.options["size"]
    near = np.abs(np.indices((size, size)) - size // 2).max(axis=0).reshape(-1)
    env = GameVectorEnv(game, 4 * count)
    env.reset()
    for _ in range(stones):
        rows = np.flatnonzero(~env.over)
        mask = env.mask[rows]
        env.step((rng.random(mask.shape) * mask / (1 + near) ** 0.5).argmax(axis=1), rows)
    states = env.states[~env.over][:count]
    assert len(states) == count
    return states


def completing_cells(board, seat, overline):
    """The cells with which `seat` makes five, by looking along every line."""
    size, cells = len(board), []
    for row, column in np.argwhere(board < 0).tolist():
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                r, c = row + sign * down, column + sign * right
                while 0 <= r < size and 0 <= c < size and board[r, c] == seat:
                    length, r, c = length + 1, r + sign * down, c + sign * right
            if length == 5 or (overline and length > 5):
                cells.append((row, column))
                break
    return cells


def plain_win_by_fours(board, seat, overline):
    """Whether the seat to move wins by making nothing but fours, by trying every cell."""
    if completing_cells(board, seat, overline):
        return True
    theirs = completing_cells(board, 1 - seat, overline)
    if len(theirs) > 1:
        return False
    for move in theirs or [tuple(cell) for cell in np.argwhere(board < 0).tolist()]:
        after = board.copy()
        after[move] = seat
        fives = completing_cells(after, seat, overline)
        if len(fives) > 1:
            return True
        if fives:
            after[fives[0]] = 1 - seat
            if plain_win_by_fours(after, seat, overline):
                return True
    return False


@pytest.mark.slow("searches thousands of positions without a trick")
@pytest.mark.parametrize("overline", [True, False])
def test_wins_by_fours_are_those_of_a_plain_search(overline):
    game = games.make("gomoku", size=9, overline=overline)
    solver = GomokuSolver(game)
    found = []
    for state in random_states(game, 25, 26, seed=1):
        seat = int(state["current_player"])
        solver._search.budget[0] = 1_000_000
        found.append(win_by_fours(solver._stones(state), seat, solver._search) >= 0)
        assert found[-1] == plain_win_by_fours(state["board"].astype(np.int64), seat, overline)
    assert 3 < sum(found) < 22


def test_what_it_says_is_true_by_brute_force():
    """A win that it finds is one, and moves that it rules out lose."""
    game = games.make("gomoku", size=6)
    solver = GomokuSolver(game)
    wins = prevented = 0
    states = random_states(game, 90, 27, seed=2)
    for state, values in zip(states, brute_force.values(game, states), strict=True):
        if (solved := solver.best(state)) is None:
            continue
        best, value = solved
        if value == 1:
            assert (values[best] > 0).all()
            wins += 1
        else:
            legal = values > -2
            assert (values[legal & ~best] < 0).all()
            prevented += (legal & ~best).any()
    assert wins > 5
    assert prevented > 5


def test_answers_do_not_depend_on_what_was_asked_before(monkeypatch):
    """Otherwise a tournament's games would depend on the number of its workers."""
    monkeypatch.setattr("agents.perfect.gomoku.BUDGET", 150)
    game = games.make("gomoku", size=9)
    used, found = GomokuSolver(game), []
    for state in random_states(game, 100, 22, seed=4):
        answers = [solver.best(state) for solver in (used, GomokuSolver(game), used)]
        best = [None if answer is None else np.flatnonzero(answer[0]).tolist() for answer in answers]
        assert best[0] == best[1] == best[2]
        found.append(best[0] is not None)
    assert 50 < sum(found) < 100


def opening(game, text):
    return tuple(game.parse_action(game.initial, cell) for cell in text.split())


def test_two_threes_win_and_one_is_prevented():
    game = games.make("gomoku")
    solver = GomokuSolver(game)
    crossing = Match(game, [("a", None), ("b", None)], opening=opening(game, "h8 a1 h9 a3 j7 a5 k7 o15"))
    best, value = solver.best(crossing.state)
    assert value == 1
    assert {game.action_text(game.initial, int(move)) for move in np.flatnonzero(best)} == {"h7"}
    three = Match(game, [("a", None), ("b", None)], opening=opening(game, "h8 a1 h9 a3 h10"))
    best, value = solver.best(three.state)
    assert np.isnan(value)
    assert {game.action_text(game.initial, int(move)) for move in np.flatnonzero(best)} == {"h7", "h11"}
    assert solver.best(game.initial) is None


def test_wins_by_threes_are_won_against_a_search():
    """From positions with a win by threes, not by fours alone, whatever the other plays."""
    game = games.make("gomoku")
    solver = GomokuSolver(game)
    openings = []
    for seed in range(60):
        match = Match(game, [(name, make_agent("rave:60", game)) for name in "ab"], seed=seed)
        while not match.over and len(match.actions) < 60:
            stones, seat = solver._stones(match.state), match.seat
            if solver.winning_move(stones, seat) is not None and win_by_fours(stones, seat, solver._search) < 0:
                openings.append(tuple(match.actions))
                break
            match.advance()
        if len(openings) == 5:
            break
    players = [("solved", make_agent("solved:random", game)), ("search", make_agent("rave:300", game))]
    pairings = [Pairing((0, 1) if len(moves) % 2 == 0 else (1, 0), opening=moves) for moves in openings]
    records = play_matches(game, players, pairings, 0)
    assert len(records) == 5
    assert all(
        record.verdict.returns[pairing.seating.index(0)] == 1 for record, pairing in zip(records, pairings, strict=True)
    )
