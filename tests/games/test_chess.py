"""Chess beside python-chess, published counts, and positions in which each rule shows."""

from dataclasses import replace

import chess as peer
import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games import chess
from games.chess.actions import MOVES, PROMOTIONS, UNDERPROMOTED
from games.chess.fen import START, chess_kernels
from games.engine.compiler import kernels
from games.engine.game import TERMINAL, Game

pytestmark = pytest.mark.full

PERFT = {
    START: [20, 400, 8902, 197281],
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": [48, 2039, 97862, 4085603],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [14, 191, 2812, 43238, 674624],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": [6, 264, 9467, 422333],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1486, 62379, 2103487],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [46, 2079, 89890, 3894594],
}
"""Lines of one move, of two, ...: https://www.chessprogramming.org/Perft_Results."""


@pytest.mark.parametrize(("start", "counts"), PERFT.items())
def test_perft(start, counts):
    deepest = len(counts)
    states = np.zeros(deepest + 1, chess.game().state_dtype)
    masks = np.zeros((deepest + 1, chess.game().num_actions), np.bool_)
    states[:] = chess.position(start)
    assert [int(chess_kernels().perft(states, masks, depth)) for depth in range(1, deepest + 1)] == counts


def test_a_record_is_small():
    dtype = chess.game().state_dtype
    assert dtype.itemsize - dtype["keys"].itemsize <= 512


def test_the_start_that_is_written_down_is_the_start_that_is_found():
    for draws in ("automatic", "pettingzoo"):
        assert chess.position(START, draws) == chess.game(draws).initial


def action_of(move: peer.Move, turn: peer.Color) -> int:
    """Our number of python-chess's move."""
    upside_down = 0 if turn == peer.WHITE else 56
    origin, target = move.from_square ^ upside_down, move.to_square ^ upside_down
    if move.promotion in PROMOTIONS:
        return int(UNDERPROMOTED[origin, target, PROMOTIONS.index(move.promotion)])
    return int(MOVES[origin, target])


def game_from(start: str, draws: str = "automatic") -> Game:
    """Chess begun at a position."""
    return replace(chess.game(draws), initial=chess.position(start, draws))


def is_over(board: peer.Board, draws: str) -> bool:
    if draws == "pettingzoo":
        return board.is_game_over() or board.can_claim_draw()
    return board.is_game_over() or board.halfmove_clock >= 100 or board.is_repetition(3)


def require_same(state, mask, board, draws):
    """Everything that both know of a position."""
    assert chess.fen(state) == board.fen()
    assert bool(state["in_check"]) == board.is_check()
    over = is_over(board, draws)
    assert (state["current_player"] == TERMINAL) == over
    if over:
        winner = board.outcome(claim_draw=True).winner
        assert state["winner"] == {None: -1, True: 0, False: 1}[winner]
    else:
        assert set(np.flatnonzero(mask)) == {action_of(m, board.turn) for m in board.legal_moves}


def play_beside(env, board, rng):
    """One random game on both; returns how it ended."""
    env.reset()
    draws = env.game.options["draws"]
    while True:
        state = env.states[0]
        require_same(state, env.mask[0], board, draws)
        if env.over[0] or state["current_player"] == TERMINAL:
            return board.outcome(claim_draw=True).termination
        moves = {action_of(move, board.turn): move for move in board.legal_moves}
        action = int(rng.choice(np.flatnonzero(env.mask[0])))
        board.push(moves[action])
        env.step([action])


@pytest.mark.parametrize(("draws", "num_games"), [("automatic", 8), ("pettingzoo", 2)])
def test_random_games_beside_python_chess(draws, num_games):
    rng = np.random.default_rng(21)
    env = GameVectorEnv(chess.game(draws), 1)
    for _ in range(num_games):
        play_beside(env, peer.Board(), rng)


ENDINGS = [
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 88 80",
    "8/8/4k3/8/8/4K3/8/q7 b - - 94 80",
    "1nb1k3/8/8/8/8/8/8/4KB2 w - - 80 60",
    "4k3/2pp4/8/4P3/3p4/8/2P1P3/4K3 w - - 0 1",
    "k7/8/8/8/8/8/8/K6R w - - 10 10",
]


@pytest.mark.parametrize("draws", ["automatic", "pettingzoo"])
def test_endings_beside_python_chess(draws):
    """Few pieces: draws of every kind, mates, promotions, captures en passant."""
    rng = np.random.default_rng(22)
    ends = set()
    for start in ENDINGS:
        env = GameVectorEnv(game_from(start, draws), 1)
        for _ in range(6):
            ends.add(play_beside(env, peer.Board(start), rng).name)
    assert {"FIFTY_MOVES", "INSUFFICIENT_MATERIAL", "THREEFOLD_REPETITION"} <= ends


@pytest.mark.parametrize("start", list(PERFT)[2:5])
def test_random_moves_are_legal_and_each_as_likely_as_the_others(start):
    """Counts of 400 draws a move lie within five standard deviations of 400."""
    env = GameVectorEnv(game_from(start), 1)
    env.reset()
    legal = np.flatnonzero(env.mask[0])
    bits = np.random.default_rng(5).integers(0, 2**64, 400 * len(legal), np.uint64)
    drawn = np.array([chess.game().rules.random_action(env.states[0], word) for word in bits])
    actions, counts = np.unique(drawn, return_counts=True)
    assert actions.tolist() == legal.tolist()
    assert np.abs(counts - 400).max() < 5 * 20


def test_playouts_end():
    game = chess.game()
    states = np.zeros(20, game.state_dtype)
    actions = kernels(game).playouts(states, game.initial.reshape(1), np.zeros(0, np.bool_), None, 3)
    assert (states["current_player"] == TERMINAL).all()
    assert states["length"].sum() == actions
