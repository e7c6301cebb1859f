"""Chess in text: moves beside python-chess, positions as FEN, games as PGN, and what is refused."""

import io
from dataclasses import replace

import chess.pgn as peer_pgn
import numpy as np
import pytest
from chess import Board

from arena.env.native import GameVectorEnv
from games import chess
from games.chess.fen import START
from games.chess.notation import legal_moves
from games.engine.errors import IllegalActionError, UsageError
from games.engine.game import TERMINAL
from tests.games.playing import random_line

POSITIONS = [
    START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r3k2r/8/8/8/8/8/6p1/R3K2R b KQkq - 0 1",
    "2k5/8/8/Q6Q/8/8/8/Q3K2Q w - - 0 1",
    "6k1/5ppp/8/8/N7/8/N3N3/4R1K1 w - - 0 1",
]


@pytest.mark.full
@pytest.mark.parametrize("start", POSITIONS)
def test_moves_are_written_as_python_chess_writes_them_and_read_back(start):
    state, board = chess.position(start), Board(start)
    actions = [move.action for move in legal_moves(state)]
    assert sorted(chess.uci(state, action) for action in actions) == sorted(m.uci() for m in board.legal_moves)
    for action in actions:
        squares = chess.uci(state, action)
        text = board.san(board.parse_uci(squares))
        assert chess.action_text(state, action) == text
        for way in (text, text.rstrip("+#"), text + "!?", text.replace("=", ""), squares, squares.upper()):
            assert chess.parse_action(state, way) == action


@pytest.mark.parametrize(
    ("start", "text", "means"),
    [
        (POSITIONS[1], "0-0", "e1g1"),
        (POSITIONS[1], "o-o-o", "e1c1"),
        (POSITIONS[1], "NXF7", "e5f7"),
        (POSITIONS[3], "dxc8=n", "d7c8n"),
        (POSITIONS[3], "d7xc8q", "d7c8q"),
        (POSITIONS[3], "d7c8", "d7c8q"),
        ("4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1", "fxe3", "f4e3"),
        (START, "Ng1f3", "g1f3"),
        (START, "e2e5", "e2e5"),  # not legal, but readable
        (START, "b7b8", "b7b8"),
    ],
)
def test_other_ways_to_write_a_move(start, text, means):
    state = chess.position(start)
    assert chess.uci(state, chess.parse_action(state, text)) == means


@pytest.mark.parametrize(
    ("start", "text", "message"),
    [
        (START, "e5", "'e5' is not a move in this position; type a move such as e4, Nf3, O-O or e2e4"),
        (START, "O-O", "'O-O' is not a move in this position; type a move"),
        (START, "e2d7", "no piece moves from e2 to d7, 'e2d7'; type a move"),
        (START, "e2e4q", "no piece moves from e2 to e4, 'e2e4q'; type a move"),
        (START, "#4672", "'#4672' is not a move in this position; type a move"),
        (POSITIONS[3], "dxc8", "'dxc8' may mean each of d7c8b, d7c8n, d7c8q, d7c8r; type one of these"),
        (POSITIONS[5], "Qe5", "'Qe5' may mean each of a1e5, a5e5, h5e5; type one"),
    ],
)
def test_moves_that_cannot_be_read(start, text, message):
    with pytest.raises(UsageError) as caught:
        chess.parse_action(chess.position(start), text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("start", POSITIONS)
def test_a_position_is_read_and_written(start):
    assert chess.fen(chess.position(start)) == Board(start).fen()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a FEN; a game begins with"),
        ("start", "'start' is not a FEN"),
        (START.replace(" w ", " x "), "is not a FEN"),
        (START.replace("KQkq", "kK"), "is not a FEN"),
        (START.replace("0 1", "-1 1"), "is not a FEN"),
        (START.replace("pppppppp", "ppppppp"), "is not a board of 8 ranks with 8 squares each"),
        ("/8/8/8/8/8/8/k6K w - - 0 1", "is not a board of 8 ranks"),
        ("8/8/8/8/8/8/8/k7 w - - 0 1", "is no position of chess: white has 0 kings"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "black has 2 kings"),
        ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "a pawn stands on the first or last rank"),
        ("k7/pppppppp/p7/8/8/8/8/K7 w - - 0 1", "black has more than 16 pieces, or than 8 pawns"),
        ("k7/8/8/8/8/8/8/K6R w K - 0 1", "castling right K without king and rook at home"),
        ("k7/8/8/8/8/8/8/K7 w - e6 0 1", "no pawn has just gone two squares over e6"),
        ("k7/8/8/4p3/8/8/8/K7 b - e6 0 1", "no pawn has just gone two squares over e6"),
        ("k7/8/8/8/8/8/8/K7 w - - 101 90", "101 moves without a capture or a pawn's move are more than 100"),
        ("k7/8/8/8/8/8/8/R6K w - - 0 1", "the player who has just moved is in check"),
    ],
)
def test_what_is_no_position(text, message):
    with pytest.raises(UsageError, match=message.replace("(", r"\(")) as caught:
        chess.position(text)
    assert "\n" not in str(caught.value)


def test_a_position_may_be_over():
    for text, winner in {
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3": 1,
        "k7/2Q5/8/8/8/8/8/K7 b - - 0 1": -1,
        "k7/8/8/8/8/8/8/K6N w - - 0 1": -1,
        "k7/8/8/8/8/8/8/K6R w - - 100 90": -1,
    }.items():
        state = chess.position(text)
        assert (state["current_player"], state["winner"]) == (TERMINAL, winner)


@pytest.mark.full
@pytest.mark.parametrize("start", [START, POSITIONS[4]])
def test_a_game_goes_to_pgn_and_back(start):
    game = replace(chess.game(), initial=chess.position(start))
    env = GameVectorEnv(game, 1)
    env.reset()
    rng = np.random.default_rng(8)
    actions = []
    while not env.over[0]:
        actions.append(int(rng.choice(np.flatnonzero(env.mask[0]))))
        env.step(actions[-1:])
    text = chess.to_pgn(game, actions, {"White": 'A "quoted" name', "Black": "back\\slash"})
    assert max(map(len, text.splitlines())) <= 80
    record = chess.from_pgn(text)
    assert record.actions == actions
    assert (record.tags["White"], record.tags["Black"]) == ('A "quoted" name', "back\\slash")
    assert record.game.initial == game.initial
    assert chess.to_pgn(record.game, record.actions, record.tags) == text
    theirs = peer_pgn.read_game(io.StringIO(text))
    assert not theirs.errors
    board = theirs.end().board()
    assert board.fen() == chess.fen(env.states[0])
    assert theirs.headers["Result"] == board.result(claim_draw=True)


def test_an_unfinished_game_has_no_result():
    assert chess.to_pgn(chess.game(), random_line("chess", seed=2)[:3]).endswith(" *\n")


def test_pgn_as_people_write_it():
    text = """\ufeff
[Event "Casual game"]
[White "Morphy"] [Black "Allies"]
% a line for programs
1.e4 {king's pawn (1...c5!)} e5 2. Nf3 $1 d6?! (2... Nc6 (2... Nf6) 3. Bb5 {Spanish}) 3.d4 ; the centre 1-0
Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 1/2-1/2
"""
    record = chess.from_pgn(text)
    assert record.tags == {"Event": "Casual game", "White": "Morphy", "Black": "Allies"}
    assert chess.to_pgn(record.game, record.actions).splitlines()[-1] == (
        "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 *"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "PGN: there is neither a tag nor a move in the text"),
        ("1. e4 e5 2. Ke3", "PGN, move 2 of white: 'Ke3' is not a move in this position"),
        ("1. e4 e5 2. e1e3", "PGN, move 2 of white: chess: action .* is illegal in rnbqkbnr/"),
        ("1. e4 (1. d4 d5", "PGN: a variation is not closed"),
        ("1. e4 1-0 1. d4", "PGN: '1.' stands behind the result|PGN: 'd4' stands behind the result"),
        ("1. f3 e5 2. g4 Qh4# 3. a3", "PGN, move 3 of white: the game has ended before 'a3'"),
        ('[FEN "nonsense"]\n\n1. e4', "'nonsense' is not a FEN"),
    ],
)
def test_what_is_no_game(text, message):
    with pytest.raises(UsageError, match=message):
        chess.from_pgn(text)


def test_actions_that_were_not_played_do_not_go_to_pgn():
    with pytest.raises(IllegalActionError, match=r"action 0 \(after 1 others\) is illegal in rnbqkbnr"):
        chess.to_pgn(chess.game(), [chess.parse_action(chess.game().initial, "e4"), 0])
