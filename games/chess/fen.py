"""Positions as text, in Forsyth-Edwards notation: board, player to move, castling rights, en passant, both clocks.

>>> fen(starting_position())
'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
"""

import re
from functools import cache, reduce
from operator import xor
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from games.chess.board import BOARDS, KING, PAWN, ROOK
from games.chess.draws import FIFTY_MOVES
from games.chess.keys import CASTLING_KEYS, PIECE_KEYS
from games.chess.rules import STATE_DTYPE
from games.engine.compiler import instantiate
from games.engine.errors import UsageError
from games.engine.game import State
from games.engine.registry import make_game

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
Draws = Literal["automatic", "pettingzoo"]
"""Which draws end a game."""
LETTERS = " PNBRQK"
"""By kind of piece."""


def pieces(state: State) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return the piece on each square, a1 first: kinds [64] (0 for nothing) and seats [64] (-1 for nobody's)."""
    words = state["boards"][int(state["length"]) % BOARDS].astype("<u8")
    low, middle, high, white = np.unpackbits(words.view(np.uint8).reshape(4, 8), axis=1, bitorder="little")
    kinds = (low + 2 * middle + 4 * high).astype(np.int8)
    return kinds, np.where(kinds > 0, 1 - white, -1).astype(np.int8)


def letters(kinds: NDArray[np.int8], seats: NDArray[np.int8]) -> NDArray[np.str_]:
    """Return a letter for each piece: large for white, small for black; a space where there is none."""
    signs = np.array([*LETTERS, *LETTERS.lower()])
    return np.asarray(signs[kinds + len(LETTERS) * (seats == 1)])


def fen(state: State) -> str:
    """Return the position as text; the square of en passant stands there only where such a capture is legal."""
    kinds, seats = pieces(state)
    ranks = ["".join(rank) for rank in letters(kinds, seats).reshape(8, 8)[::-1]]
    board = re.sub(" +", lambda gap: str(len(gap[0])), "/".join(ranks))
    rights = "".join(sign for i, sign in enumerate("KQkq") if int(state["castling"]) >> i & 1)
    turn, square = int(state["turn"]), "-"
    if state["ep_capture"]:
        square = "abcdefgh"[state["ep_files"][int(state["length"]) % BOARDS]] + "63"[turn]
    return f"{board} {'wb'[turn]} {rights or '-'} {square} {state['clock']} {state['number']}"


def starting_position(draws: Draws = "automatic") -> State:
    """Return the first position; its legal moves are written out, so that describing chess compiles nothing."""
    state = _placed(START.split()[0])
    state["ep_files"] = state["last_action"] = state["winner"] = -1
    state["castling"], state["number"], state["claims"] = 15, 1, draws == "pettingzoo"
    pawns = [(8 + file, [16 + file, 24 + file]) for file in range(8)]
    for i, (origin, targets) in enumerate([*pawns, (1, [16, 18]), (6, [21, 23])]):
        state["origins"][i], state["targets"][i] = origin, sum(1 << target for target in targets)
        state["movers"] = i + 1
    kinds, seats = pieces(state)
    occupied = np.flatnonzero(kinds)
    state["keys"][0] = reduce(xor, PIECE_KEYS[seats[occupied], kinds[occupied], occupied], CASTLING_KEYS[15])
    return state


def position(text: str, draws: Draws = "automatic") -> State:
    """Return the position of a FEN; `UsageError` if it cannot be read or cannot arise by the rules.

    A game that begins there is `dataclasses.replace(chess.game(), initial=chess.position(text))`.
    """
    fields = text.split()
    pattern = r"[KQRBNPkqrbnp1-8/]+ [wb] (-|K?Q?k?q?) (-|[a-h][36])( \d{1,3} \d{1,4})?"
    if not re.fullmatch(pattern, " ".join(fields)) or fields[2] == "":
        raise UsageError(f"{text.strip()!r} is not a FEN; a game begins with {START!r}")
    state = _placed(fields[0])
    state["ep_files"] = state["last_action"] = state["winner"] = -1
    state["claims"] = draws == "pettingzoo"
    state["turn"] = "wb".index(fields[1])
    state["castling"] = sum(1 << i for i, sign in enumerate("KQkq") if sign in fields[2])
    state["clock"], state["number"] = (int(field) for field in fields[4:] or (0, 1))
    if fields[3] != "-":
        state["ep_files"][0] = "abcdefgh".index(fields[3][0])
    fault = _fault(state, fields[3])
    if not fault and not _complete(state):
        fault = "the player who has just moved is in check"
    if fault:
        raise UsageError(f"{text.strip()!r} is no position of chess: {fault}")
    return state


def _placed(board: str) -> State:
    """Return a record with these pieces on its board, and nothing else."""
    ranks = [re.sub("[1-8]", lambda gap: " " * int(gap[0]), rank) for rank in board.split("/")]
    if len(ranks) != 8 or any(len(rank) != 8 for rank in ranks):
        raise UsageError(f"{board!r} is not a board of 8 ranks with 8 squares each")
    state = np.zeros((), STATE_DTYPE)
    for square, sign in enumerate("".join(reversed(ranks))):
        kind = LETTERS.index(sign.upper())
        for i, layer in enumerate((kind & 1, kind & 2, kind & 4, sign.isupper())):
            state["boards"][0, i] |= np.uint64(bool(layer) << square)
    return state


def _fault(state: State, ep_square: str) -> str:
    """Return why a position is impossible, "" if it is not."""
    kinds, seats = pieces(state)
    for seat, name in enumerate(("white", "black")):
        own = kinds[seats == seat]
        if (own == KING).sum() != 1:
            return f"{name} has {(own == KING).sum()} kings"
        if len(own) > 16 or (own == PAWN).sum() > 8:
            return f"{name} has more than 16 pieces, or than 8 pawns"
    if (kinds[[*range(8), *range(56, 64)]] == PAWN).any():
        return "a pawn stands on the first or last rank"
    homes = ((4, 7), (4, 0), (60, 63), (60, 56))
    for i, (king, rook) in enumerate(homes):
        there = kinds[[king, rook]].tolist() == [KING, ROOK] and (seats[[king, rook]] == i // 2).all()
        if state["castling"] >> i & 1 and not there:
            return f"castling right {'KQkq'[i]} without king and rook at home"
    if ep_square != "-":
        up = -1 if state["turn"] else 1  # as the player to move sees it
        square = "abcdefgh".index(ep_square[0]) + 8 * (int(ep_square[1]) - 1)
        passed = kinds[square] == 0 and kinds[square + 8 * up] == 0 if 0 <= square + 8 * up < 64 else False
        if not passed or kinds[square - 8 * up] != PAWN or seats[square - 8 * up] != 1 - state["turn"]:
            return f"no pawn has just gone two squares over {ep_square}"
    if state["clock"] > FIFTY_MOVES:
        return f"{state['clock']} moves without a capture or a pawn's move are more than {FIFTY_MOVES}"
    return ""


def _complete(state: State) -> bool:
    """Fill in the legal moves, the key and the end; False if the king that could be taken is not the mover's."""
    return bool(chess_kernels().set_up(state.reshape(1)))


@cache
def chess_kernels() -> Any:
    """Return the kernels of `games.chess.kernels`, made of the rules of the game as it is registered."""
    return instantiate("games.chess.kernels", make_game("chess"))
