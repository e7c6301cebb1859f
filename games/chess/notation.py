"""Moves as text: standard algebraic notation (`Nf3`, `exd5`, `O-O`, `e8=Q+`), or squares as in UCI (`g1f3`, `e7e8q`).

A legal action is written in the former, any other one in the latter, or as `#` and its number if it leads off the
board. Both are read; letters of either case, where that leaves no doubt.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from games.chess.actions import (
    MOVES,
    NUM_ACTIONS,
    ORIGINS,
    PLANES,
    PROMOTIONS,
    TARGETS,
    UNDERPROMOTED,
    UNDERPROMOTIONS,
)
from games.chess.board import KING, PAWN, QUEEN
from games.chess.drawing import UPSIDE_DOWN
from games.chess.fen import LETTERS, chess_kernels, pieces
from games.chess.rules import STATE_DTYPE
from games.engine.errors import UsageError
from games.engine.game import State

SAN = re.compile(r"([KQRBN])?([a-h])?([1-8])?x?([a-h][1-8])=?([QRBNqrbn])?")
UCI = re.compile(r"([a-h][1-8])([a-h][1-8])([qrbn])?")
CASTLING = {"O-O": 2, "O-O-O": -2}
"""Files by which the king goes."""
HELP = "type a move such as e4, Nf3, O-O or e2e4"


@dataclass(frozen=True)
class Move:
    """An action with what it means in a position; squares are white's (0 = a1)."""

    action: int
    kind: int
    origin: int
    target: int
    takes: bool
    promotion: int
    """Kind of piece that a pawn becomes, 0 if it stays one."""


def square_name(square: int) -> str:
    """File and rank, `a1` for 0."""
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


def square_number(name: str) -> int:
    """The square with that name."""
    return "abcdefgh".index(name[0]) + 8 * int(name[1]) - 8


def legal_moves(state: State) -> tuple[Move, ...]:
    """Every legal move; also where a draw has ended the game."""
    return _legal_moves(state.tobytes())


@lru_cache(maxsize=16)  # a position is asked about many moves in a row
def _legal_moves(record: bytes) -> tuple[Move, ...]:
    state = np.frombuffer(record, STATE_DTYPE)[0]
    kinds, _ = pieces(state)
    upside_down = UPSIDE_DOWN * int(state["turn"])
    moves = []
    for origin, targets in zip(state["origins"][: state["movers"]], state["targets"], strict=False):
        for target in range(64):
            if not int(targets) >> target & 1:
                continue
            start, goal = int(origin) ^ upside_down, target ^ upside_down
            kind = int(kinds[start])
            takes = bool(kinds[goal] or (kind == PAWN and (goal - start) % 8))
            promotes = bool(kind == PAWN and target >= 56)
            moves.append(Move(int(MOVES[origin, target]), kind, start, goal, takes, int(QUEEN) if promotes else 0))
            for piece, promotion in enumerate(PROMOTIONS if promotes else ()):
                action = int(UNDERPROMOTED[origin, target, piece])
                moves.append(Move(action, kind, start, goal, takes, int(promotion)))
    return tuple(moves)


def action_text(state: State, action: int) -> str:
    """The move in standard algebraic notation if it is legal, else by its squares."""
    legal = legal_moves(state)
    move = next((move for move in legal if move.action == action), None)
    return uci(state, action) if move is None else _san(state, move, legal)


def uci(state: State, action: int) -> str:
    """The squares that a move leads from and to, with the letter of a promotion."""
    if ORIGINS[action] < 0:
        return f"#{action}"
    upside_down = UPSIDE_DOWN * int(state["turn"])
    origin, target = int(ORIGINS[action]) ^ upside_down, int(TARGETS[action]) ^ upside_down
    plane, promotion = action % PLANES, ""
    if plane >= UNDERPROMOTIONS:
        promotion = LETTERS[PROMOTIONS[(plane - UNDERPROMOTIONS) % 3]].lower()
    elif _promotes(state, origin, target):
        promotion = "q"
    return square_name(origin) + square_name(target) + promotion


def _promotes(state: State, origin: int, target: int) -> bool:
    turn = int(state["turn"])
    if (origin // 8, target // 8) != ((1, 0) if turn else (6, 7)):
        return False
    kinds, seats = pieces(state)
    return bool(kinds[origin] == PAWN and seats[origin] == turn)


def _san(state: State, move: Move, legal: tuple[Move, ...]) -> str:
    after = state.copy().reshape(1)
    chess_kernels().play(after, move.action)
    suffix = "" if not after["in_check"][0] else "+" if after["movers"][0] else "#"
    if move.kind == KING and abs(move.target - move.origin) == 2:
        return ("O-O" if move.target > move.origin else "O-O-O") + suffix
    letter = LETTERS[move.kind] if move.kind != PAWN else ""
    promotion = f"={LETTERS[move.promotion]}" if move.promotion else ""
    return f"{letter}{_origin(move, legal)}{'x' * move.takes}{square_name(move.target)}{promotion}{suffix}"


def _origin(move: Move, legal: tuple[Move, ...]) -> str:
    """As much of the square that a piece leaves as tells it from others of its kind that could go there."""
    name = square_name(move.origin)
    if move.kind == PAWN:
        return name[0] if move.takes else ""
    others = [
        square_name(other.origin)
        for other in legal
        if (other.kind, other.target) == (move.kind, move.target) and other.origin != move.origin
    ]
    if not others:
        return ""
    if all(other[0] != name[0] for other in others):
        return name[0]
    return name[1] if all(other[1] != name[1] for other in others) else name


def parse_action(state: State, text: str) -> int:
    """Read a move in either notation; one by squares may be illegal in the position."""
    text = text.strip()
    if found := UCI.fullmatch(text.lower()):
        return _by_squares(state, text, *found.groups())
    if re.fullmatch(r"#\d{1,4}", text, re.ASCII) and int(text[1:]) < NUM_ACTIONS:
        return int(text[1:])
    bare = re.sub(r"[+#!?]*$", "", text)
    legal = legal_moves(state)
    matching = _matching(bare, legal)
    if not matching:  # as a pawn's move, and as a piece's
        for reading in {bare.lower(), bare[:1].upper() + bare[1:].lower()}:
            matching += [move for move in _matching(reading, legal) if move not in matching]
    if len(matching) > 1:
        choices = ", ".join(sorted(uci(state, move.action) for move in matching))
        raise UsageError(f"{text!r} may mean each of {choices}; type one of these")
    if not matching:
        raise UsageError(f"{text!r} is not a move in this position; {HELP}")
    return matching[0].action


def _by_squares(state: State, text: str, start: str, goal: str, promotion: str | None) -> int:
    upside_down = UPSIDE_DOWN * int(state["turn"])
    origin, target = square_number(start) ^ upside_down, square_number(goal) ^ upside_down
    action = MOVES[origin, target]
    if promotion in tuple("nbr"):
        action = UNDERPROMOTED[origin, target, "nbr".index(promotion)]
    elif promotion and not _promotes(state, origin ^ upside_down, target ^ upside_down):
        action = -1
    if action >= 0:
        return int(action)
    raise UsageError(f"no piece moves from {start} to {goal}, {text!r}; {HELP}")


def _matching(text: str, legal: tuple[Move, ...]) -> list[Move]:
    """The legal moves that a text in standard algebraic notation may mean."""
    castling = CASTLING.get(text.upper().replace("0", "O"))
    if castling is not None:
        return [move for move in legal if move.kind == KING and move.target - move.origin == castling]
    found = SAN.fullmatch(text)
    if not found:
        return []
    letter, file, rank, goal, promotion = found.groups()
    kind = LETTERS.index(letter) if letter else PAWN
    if kind == PAWN and not file:
        file = goal[0]  # a pawn that takes names its file
    return [
        move
        for move in legal
        if move.kind == kind
        and move.target == square_number(goal)
        and (not file or square_name(move.origin)[0] == file)
        and (not rank or square_name(move.origin)[1] == rank)
        and (not promotion or move.promotion == LETTERS.index(promotion.upper()))
    ]
