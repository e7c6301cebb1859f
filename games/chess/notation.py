"""Moves as text: standard algebraic notation (`Nf3`, `exd5`, `O-O`, `e8=Q+`), or squares as in UCI (`g1f3`, `e7e8q`).

A legal action is written in the former, any other one in the latter, or as `#` and its number if it leads off the
board. Both are read; typed letters of either case, where that leaves no doubt: `B4d6` is a bishop's move, `b4d6` one
from b4 to d6.
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
    """Return file and rank, `a1` for 0."""
    return f"{'abcdefgh'[square % 8]}{square // 8 + 1}"


def square_number(name: str) -> int:
    """Return the square with that name."""
    return "abcdefgh".index(name[0]) + 8 * int(name[1]) - 8


def legal_moves(state: State) -> tuple[Move, ...]:
    """Return every legal move; also where a draw has ended the game."""
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
    """Return the move in standard algebraic notation if it is legal, else by its squares."""
    legal = legal_moves(state)
    move = next((move for move in legal if move.action == action), None)
    return uci(state, action) if move is None else _san(state, move, legal)


def uci(state: State, action: int) -> str:
    """Return the squares that a move leads from and to, with the letter of a promotion."""
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
    """Return as much of a piece's origin as distinguishes it from others of its kind that could go to its target."""
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
    """Read a typed move in either notation; one by squares may be illegal in the position.

    It is read as `parse_written` reads it. Only where that gives no move are letters of the other case tried: `nf3`,
    `NXF7`, `G1F3`. Raises `UsageError` where they mean several moves, or none.
    """
    text = text.strip()
    actions = _readings(state, text)
    if not actions and UCI.fullmatch(text.lower()):
        actions = _readings(state, text.lower())  # squares in capitals are squares: `B4D6` leads from b4
    if not actions:  # as a pawn's move, and as a piece's
        readings = {text.lower(), text[:1].upper() + text[1:].lower()}
        actions = sorted({action for reading in readings for action in _readings(state, reading)})
    return _only(actions, state, text)


def parse_written(state: State, text: str) -> int:
    """Read a move as files have it: a capital letter is a piece, a small one a file; `UsageError` if it is none."""
    return _only(_readings(state, text.strip()), state, text.strip())


def _readings(state: State, text: str) -> list[int]:
    """Return the actions that a text may mean, with its letters as they are: legal ones, or the one by its squares."""
    if match := UCI.fullmatch(text):
        action = _by_squares(state, *match.groups())
        return [action] if action >= 0 else []
    if re.fullmatch(r"#\d{1,4}", text, re.ASCII) and int(text[1:]) < NUM_ACTIONS:
        return [int(text[1:])]
    return [move.action for move in _matching(re.sub(r"[+#!?]*$", "", text), legal_moves(state))]


def _only(actions: list[int], state: State, text: str) -> int:
    """Return the one of the `actions` that a text may mean; `UsageError` if it is not one."""
    if len(actions) > 1:
        choices = ", ".join(sorted(uci(state, action) for action in actions))
        raise UsageError(f"{text!r} may mean each of {choices}; type one of these")
    if not actions and (match := UCI.fullmatch(text.lower())):
        raise UsageError(f"no piece moves from {match[1]} to {match[2]}, {text!r}; {HELP}")
    if not actions:
        raise UsageError(f"{text!r} is not a move in this position; {HELP}")
    return actions[0]


def _by_squares(state: State, start: str, goal: str, promotion: str | None) -> int:
    """Return the action that leads from one square to another, -1 if no piece moves so."""
    upside_down = UPSIDE_DOWN * int(state["turn"])
    origin, target = square_number(start) ^ upside_down, square_number(goal) ^ upside_down
    if promotion in tuple("nbr"):
        return int(UNDERPROMOTED[origin, target, "nbr".index(promotion)])
    if promotion and not _promotes(state, origin ^ upside_down, target ^ upside_down):
        return -1
    return int(MOVES[origin, target])


def _matching(text: str, legal: tuple[Move, ...]) -> list[Move]:
    """Return the legal moves that a text in standard algebraic notation may mean."""
    castling = CASTLING.get(text.upper().replace("0", "O"))
    if castling is not None:
        return [move for move in legal if move.kind == KING and move.target - move.origin == castling]
    match = SAN.fullmatch(text)
    if not match:
        return []
    letter, file, rank, goal, promotion = match.groups()
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
