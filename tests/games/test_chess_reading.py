"""Every legal move, written by algebra and by squares, is read back as itself; python-chess writes it the same."""

from dataclasses import replace
from itertools import product

import chess as peer
import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games import chess
from games.chess.notation import legal_moves, parse_written
from games.engine.errors import UsageError

pytestmark = pytest.mark.full

CROWDED = (
    *(("QB", "QBB", "QQB", "RRR", "NNN", "BBBQ", "RRN", "NNB", "QQQ", "BBN")),
    *(("PPPP", "PPPPB", "PPBB", "PPPQ", "PPPN", "PPRR")),
)
"""Pieces of one side, several of a kind among them, that are put on squares by chance."""


def constructed(count, seed):
    """Positions with several pieces of a kind on each side, and pawns that may promote."""
    rng = np.random.default_rng(seed)
    while count:
        squares = iter(rng.permutation(64).tolist())
        board = peer.Board(None)
        pieces = "Kk" + rng.choice(CROWDED) + rng.choice(CROWDED).lower()
        for letter in pieces:
            square = next(squares)
            while letter in "Pp" and peer.square_rank(square) in (0, 7):
                square = next(squares)
            board.set_piece_at(square, peer.Piece.from_symbol(letter))
        board.turn = bool(rng.integers(2))
        if board.is_valid() and not board.is_game_over():
            count -= 1
            yield board.fen(), chess.position(board.fen())


def played(games, plies, seed):
    """Positions of random games."""
    env = GameVectorEnv("chess", games)
    env.reset(seed=list(range(seed, seed + games)))
    rng = np.random.default_rng(seed)
    for _ in range(plies):
        for state in env.states[~env.over]:
            yield chess.fen(state), state
        rows = np.flatnonzero(~env.over)
        env.step((rng.random(env.mask[rows].shape) * env.mask[rows]).argmax(axis=1), rows)


def require_the_same(fen, state):
    """Check all legal moves of a position; the peer's position, from the same text, is the judge."""
    board = peer.Board(fen)
    moves = {chess.uci(state, move.action): move.action for move in legal_moves(state)}
    assert sorted(moves) == sorted(move.uci() for move in board.legal_moves), fen
    for squares, action in moves.items():
        text = board.san(board.parse_uci(squares))
        assert chess.action_text(state, action) == text, fen
        for way, read in product((text, squares), (chess.parse_action, parse_written)):
            assert read(state, way) == action, (fen, way)


def test_moves_of_random_games():
    for fen, state in played(games=6, plies=100, seed=1):
        require_the_same(fen, state)


def test_moves_of_positions_with_many_pieces_of_a_kind():
    for fen, state in constructed(1000, seed=2):
        require_the_same(fen, state)


def test_games_of_promotions_go_to_pgn_and_back():
    for number, (fen, _) in enumerate(constructed(40, seed=4)):
        rng = np.random.default_rng(number)
        game = replace(chess.game(), initial=chess.position(fen))
        env = GameVectorEnv(game, 1)
        env.reset()
        actions = []
        while not env.over[0] and len(actions) < 40:
            actions.append(int(rng.choice(np.flatnonzero(env.mask[0]))))
            env.step(actions[-1:])
        assert chess.from_pgn(chess.to_pgn(game, actions)).actions == actions


TWO_READINGS = "5B2/k7/8/8/1Q3B2/8/8/6K1 w - - 0 1"
BISHOP_OR_PAWN = "7k/8/8/8/8/2n5/1P1B4/K7 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "text", "means"),
    [
        (TWO_READINGS, "B4d6", "f4d6"),
        (TWO_READINGS, "b4d6", "b4d6"),
        (TWO_READINGS, "B8d6", "f8d6"),
        (TWO_READINGS, "qd6", "b4d6"),
        (TWO_READINGS, "B4D6", "b4d6"),
        (TWO_READINGS, "B4E5", "f4e5"),  # nothing goes from b4 to e5
        (TWO_READINGS, "B4b5", "b4b5"),  # no bishop goes to b5
        (BISHOP_OR_PAWN, "bxc3", "b2c3"),
        (BISHOP_OR_PAWN, "Bxc3", "d2c3"),
    ],
)
def test_case_tells_a_bishop_from_a_file(fen, text, means):
    state = chess.position(fen)
    assert chess.uci(state, chess.parse_action(state, text)) == means


def test_where_case_leaves_a_doubt_it_is_asked_for():
    with pytest.raises(UsageError, match="'BXC3' may mean each of b2c3, d2c3"):
        chess.parse_action(chess.position(BISHOP_OR_PAWN), "BXC3")


@pytest.mark.parametrize("word", ["B4b5", "qd6", "QD6", "B4D6"])
def test_a_file_is_read_with_its_letters_as_they_are(word):
    with pytest.raises(UsageError, match="PGN, move 1 of white"):
        chess.from_pgn(f'[FEN "{TWO_READINGS}"]\n\n1. {word} *\n')
