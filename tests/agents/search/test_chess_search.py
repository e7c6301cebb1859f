"""The search for chess: its moves beside the game's, its values by symmetry, and mates that it has to find."""

import threading
from pathlib import Path

import numpy as np
import pytest

import games
from agents.search.alphabeta import AlphaBetaPolicy
from agents.search.chess.engine import ChessSearchPolicy
from agents.search.chess.evaluate import evaluate
from agents.search.chess.exchange import exchange_wins
from agents.search.chess.generate import MOST_MOVES, list_moves
from agents.search.chess.position import BECOMES, POSITION, TO, make, set_up
from agents.search.chess.weights import new_weights
from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent
from games import chess
from games.engine.game import TERMINAL
from games.engine.jit import njit
from tests.agents.positions_by_hand import children, random_positions, view
from tests.tiers import mostly_slow

pytestmark = pytest.mark.full

CHESS = games.make("chess")
MATES = (Path(__file__).parent / "mates_in_three.txt").read_text().splitlines()
SQUARES = [file + rank for rank in "12345678" for file in "abcdefgh"]


@njit(cache=True)
def placed(positions, board, turn, castling, passing):
    """Set up positions[0]."""
    set_up(positions[0], board, turn, castling, passing, 0)


@njit(cache=True)
def moved(positions, move):
    """Make a move in positions[0]."""
    return make(positions[0], move)


@njit(cache=True)
def listed(positions, moves):
    """Return the number of moves, written into `moves`."""
    return list_moves(positions[0], True, True, moves)


@njit(cache=True)
def valued(positions, weights):
    """Return the value of positions[0]."""
    return evaluate(positions[0], weights[0])


@njit(cache=True)
def wins(positions, move, least):
    """Return whether captures from a move on bring so much."""
    return exchange_wins(positions[0], move, least)


def of_state(state):
    """The position of a record of the game, as the search holds it."""
    positions, last = np.zeros(1, POSITION), int(state["length"]) % 9
    file, turn = int(state["ep_files"][last]), int(state["turn"])
    passing = -1 if file < 0 else file + (40 if turn == 0 else 16)
    placed(positions, np.array(state["boards"][last]), turn, int(state["castling"]), passing)
    return positions


def move_of(text):
    """The number of a move in UCI's notation."""
    becomes = "  nbrq".index(text[4]) << BECOMES if len(text) == 5 else 0
    return SQUARES.index(text[:2]) | SQUARES.index(text[2:4]) << TO | becomes


def legal(positions):
    """Legal moves of a position, with the positions that they lead to."""
    moves, after = np.zeros(MOST_MOVES, np.int32), {}
    for move in moves[: listed(positions, moves)].tolist():
        child = positions.copy()
        if moved(child, move):
            after[move] = child
    return after


@pytest.mark.parametrize("plies", mostly_slow([6, 20, 60, 120], {60}, "moves of the game are slow to list"))
def test_moves_are_those_of_the_game_and_lead_to_the_same_positions(plies):
    for state in random_positions(CHESS, plies, count=8, seed=plies):
        found = legal(of_state(state))
        expected = {move_of(chess.uci(state, action)): after for action, (after, _) in children(CHESS, state).items()}
        assert found.keys() == expected.keys()
        for move, after in expected.items():
            wanted, got = of_state(after), found[move]
            for field in ("kinds", "seats", "squares", "key", "middle", "end", "phase", "turn", "castling", "passing"):
                assert np.array_equal(wanted[field], got[field]), (chess.fen(state), move, field)


@pytest.mark.parametrize(
    ("fen", "depth", "lines"),  # https://www.chessprogramming.org/Perft_Results
    [
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2, 2039),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3, 2812),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 2, 264),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 2, 1486),
    ],
)
def test_lines_are_as_many_as_are_known(fen, depth, lines):
    positions = [of_state(chess.position(fen))]
    for _ in range(depth):
        positions = [after for position in positions for after in legal(position).values()]
    assert len(positions) == lines


def test_a_position_is_worth_the_same_with_the_sides_changed():
    for state in random_positions(CHESS, 40, count=20, seed=4):
        placed_, side, _, _, *rest = chess.fen(state).split()
        turned = "/".join(reversed(placed_.swapcase().split("/"))), "wb"["bw".index(side)], "-", "-", *rest
        plain = of_state(chess.position(" ".join([placed_, side, "-", "-", *rest])))
        other = of_state(chess.position(" ".join(turned)))
        assert valued(plain, new_weights()) == valued(other, new_weights()), chess.fen(state)


@pytest.mark.parametrize(
    ("fen", "move", "won"),  # https://www.chessprogramming.org/SEE_-_The_Swap_Algorithm
    [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", 100 - 325),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
        ("3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1", "c7d8q", 500 + 875 - 975),
        ("4k3/8/4p3/3p4/8/3Q4/8/4K3 w - - 0 1", "d3d5", 100 - 975),
    ],
)
def test_captures_on_a_square_come_to_what_they_do_by_hand(fen, move, won):
    positions = of_state(chess.position(fen))
    assert wins(positions, move_of(move), won)
    assert not wins(positions, move_of(move), won + 1)


def test_every_mate_in_three_is_found():
    """In positions of games of Stockfish with chance, in which its own analysis said three moves."""
    policy, missed = ChessSearchPolicy(CHESS, 18), []
    for fen in MATES:
        answer = policy.forward(view(CHESS, [chess.position(fen)]))
        if answer.value[0] != 1.0:
            missed.append(fen)
    assert len(MATES) == 100
    assert not missed


def test_a_mate_that_is_found_is_played():
    state = chess.position(MATES[0])
    policy, seat = ChessSearchPolicy(CHESS, 18), int(state["turn"])
    while int(state["current_player"]) != TERMINAL:
        state = children(CHESS, state)[int(policy.forward(view(CHESS, [state])).act[0])][0]
    assert int(state["winner"]) == seat


def test_a_search_to_a_depth_depends_on_nothing_before_it():
    one, other = (random_positions(CHESS, plies, count=1, seed=plies)[0] for plies in (10, 30))
    policy = make_agent("alphabeta:6", CHESS)
    first = policy.forward(view(CHESS, [one, other]))
    policy.forward(view(CHESS, [other]))
    again = policy.forward(view(CHESS, [one, other]))
    for field in ("act", "value", "depth", "pv"):
        assert np.array_equal(first[field], again[field])


def test_a_lost_seat_checks_for_ever():
    state = chess.position("5r1k/5p1p/8/6Q1/8/1r6/q5PP/7K w - - 0 1")
    assert ChessSearchPolicy(CHESS, 10).forward(view(CHESS, [state])).value[0] == 0.0


def test_a_search_with_a_time_answers_at_once_when_it_is_hurried():
    policy = ChessSearchPolicy(CHESS, seconds=3600.0)
    policy.forward(view(CHESS, [chess.position(MATES[0])]))  # certain, so that it ends; the kernel is there now
    threading.Timer(0.2, policy.hurry).start()
    state = CHESS.initial
    answer = policy.forward(view(CHESS, [state]))
    assert int(answer.act[0]) in children(CHESS, state)
    assert answer.depth[0] >= 1


def test_it_beats_a_search_by_material_that_looks_as_far():
    players = [("search", make_agent("alphabeta:3", CHESS)), ("material", AlphaBetaPolicy(CHESS, 3, seed=0))]
    records = play_matches(CHESS, players, [Pairing((i % 2, 1 - i % 2), i) for i in range(4)], seed=1)
    assert sum(record.verdict.returns[i % 2] for i, record in enumerate(records)) >= 3
