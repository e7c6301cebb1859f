"""Backgammon, one game without the doubling cube.

Rules: each player moves 15 checkers around the board, home, and off. Both roll one die to begin (again, if they are
equal), and the higher plays the two numbers; from then on a turn begins with a roll of two dice, of which doubles are
played four times. A number moves one checker; a point with two or more of the other's checkers is closed, a single one
is hit and goes to the bar. Checkers on the bar must enter first; a player with all in the home board (points 1
to 6) may bear them off, with a higher number than needed only from the highest point. As many numbers as possible must
be played, and the higher one if either can be but not both. First to bear off all wins: 1 point, or with
`scoring="full"` 2 for a gammon (the loser has borne off none) and 3 for a backgammon (and has a checker on the bar or
in the winner's home). (US Backgammon Federation.) A game of `LONGEST` actions is a draw.

An action moves one checker by one number: `(point - 1) * 6 + number - 1`, where 25 is the bar. Single checkers, as in
pgx, need 150 actions where OpenSpiel's pairs need 1,352; the same player moves on until the roll is played, and is
never asked where nothing can be. Points count from 24 down to 1 on the way of the player to move. In text a move is two
points, `24/18`, `bar/20`, `13/11*` with a hit, `6/off`, and `4/off:6` if the number is higher than needed. A
position is a line `board:...` of FIBS, the First Internet Backgammon Server, as GNU Backgammon exchanges it.
"""

import re
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from games.backgammon.features import BAR, NUM_FEATURES, OFF, features
from games.engine.bits import lowest_index
from games.engine.cards import DICE
from games.engine.chance import RANDOM_FIELD
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL, State
from games.engine.jit import njit
from games.engine.options import checked_options
from games.engine.picture import NOBODY, Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views

CHECKERS = 15
START = {24: 2, 13: 5, 8: 3, 6: 5}
LONGEST = 5_000
ROWS = 11  # of the picture: five for each half, and one between them for the dice
STATE = np.dtype(
    [
        ("checkers", np.int8, (2, 26)),  # of each seat, on points as that seat counts them; OFF and BAR included
        ("occupied", np.int32, 2),  # bit p: that seat has checkers on its point p (or the bar)
        ("closed", np.int32, 2),  # bit p: the other has two or more on this seat's point p
        ("sources", np.int32, 2),  # bit p: by the first, the second number, the seat to move may move from its point p
        ("dice", np.int8, 2),  # higher first; 0 before the opening roll
        ("uses", np.int8, 2),  # how often each of them is still to be played
        ("length", np.int16),  # actions so far
        ("last_action", np.int16),  # -1 before the first
        ("last_seat", np.int8),
        ("full", np.int8),  # whether gammons and backgammons count more
        ("turn", np.int8),  # whose roll it is
        ("current_player", np.int8),  # seat to move, CHANCE or TERMINAL
        RANDOM_FIELD,
    ]
)


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write the probabilities of rolls: outcome 6 * (a - 1) + b - 1 is a and b, at the opening by seat, else a >= b."""
    opening = state.dice[0] == 0
    for a in range(6):
        for b in range(6):
            if opening:
                probabilities[6 * a + b] = 0 if a == b else 1 / 30
            else:
                probabilities[6 * a + b] = 1 / 36 if a == b else 2 / 36 if a > b else 0


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow the moves that `find_sources` has written down."""
    for i in range(2):
        points = np.uint64(state.sources[i])
        while points != 0:
            mask[(lowest_index(points) - 1) * 6 + state.dice[i] - 1] = True
            points &= points - np.uint64(1)


@njit
def apply(state: Any, action: int) -> None:
    """Roll, or move a checker."""
    if state.current_player == CHANCE:
        roll(state, action // 6 + 1, action % 6 + 1)
    else:
        seat, number = state.current_player, action % 6 + 1
        move(state, seat, action // 6 + 1, number)
        state.uses[0 if number == state.dice[0] else 1] -= 1
        state.last_action, state.last_seat = action, seat
        state.length += 1
        if state.checkers[seat, OFF] == CHECKERS or state.length == LONGEST:
            state.sources[:] = 0
            state.current_player = TERMINAL
            return
    if find_sources(state, state.turn):
        state.current_player = state.turn
    else:
        state.turn = 1 - state.turn
        state.current_player = CHANCE


@njit
def roll(state: Any, a: int, b: int) -> None:
    """Take the numbers to play; at the opening the higher of both seats' dice decides whose they are."""
    if state.dice[0] == 0:
        state.turn = 0 if a > b else 1
    state.dice[0], state.dice[1] = max(a, b), min(a, b)
    state.uses[0], state.uses[1] = (4, 0) if a == b else (1, 1)


@njit
def move(state: Any, seat: int, point: int, number: int) -> None:
    """Move a checker, hit what stands alone where it lands, and keep `occupied` and `closed` right."""
    other = 1 - seat
    state.checkers[seat, point] -= 1
    if state.checkers[seat, point] == 0:
        state.occupied[seat] &= ~(1 << point)
    elif state.checkers[seat, point] == 1:
        state.closed[other] &= ~(1 << (25 - point))
    target = max(point - number, OFF)
    state.checkers[seat, target] += 1
    if target == OFF:
        return
    state.occupied[seat] |= 1 << target
    if state.checkers[seat, target] == 2:
        state.closed[other] |= 1 << (25 - target)
    if state.checkers[other, 25 - target] == 1:
        state.checkers[other, 25 - target] = 0
        state.checkers[other, BAR] += 1
        state.occupied[other] = (state.occupied[other] & ~(1 << (25 - target))) | 1 << BAR


@njit
def find_sources(state: Any, seat: int) -> bool:
    """Write into `sources` the points from which each number may be played; returns whether there are any.

    Of two numbers either may come first if the other can follow. Only one number can be played: then the higher if it
    can. Doubles need no look ahead, since no move takes away another one.
    """
    occupied, closed = np.int64(state.occupied[seat]), np.int64(state.closed[seat])
    high, low = np.int64(state.dice[0]), np.int64(state.dice[1])
    by_high = by_low = np.int64(0)
    if state.uses[0] > 0 and state.uses[1] > 0:
        by_high, by_low = followed(state, seat, high, low), followed(state, seat, low, high)
        if by_high | by_low == 0:
            by_high = playable(occupied, closed, high)
            if by_high == 0:
                by_low = playable(occupied, closed, low)
    elif state.uses[0] > 0:
        by_high = playable(occupied, closed, high)
    elif state.uses[1] > 0:
        by_low = playable(occupied, closed, low)
    state.sources[0], state.sources[1] = by_high, by_low
    return by_high | by_low != 0


@njit
def playable(occupied: Any, closed: Any, number: Any) -> Any:
    """Return the points (bits) from which a checker may move by a number."""
    if occupied >> BAR:
        return 0 if (closed >> (BAR - number)) & 1 else 1 << BAR
    points = occupied & ~(closed << number) & (-1 << (number + 1))
    if occupied < 1 << 7:  # all home
        highest = 6
        while occupied >> highest == 0:
            highest -= 1
        points |= 1 << highest if highest <= number else occupied & (1 << number)
    return points


@njit
def followed(state: Any, seat: int, number: Any, then: Any) -> Any:
    """Return the points (bits) from which a checker may move by `number` so that `then` can follow."""
    occupied, closed = np.int64(state.occupied[seat]), np.int64(state.closed[seat])
    points, after = playable(occupied, closed, number), playable(occupied, closed, then)
    if after & (after - 1) != 0:  # of two checkers that `then` could move one is left
        return points
    sources, rest = 0, points
    while rest != 0:
        point = lowest_index(np.uint64(rest))
        rest &= rest - 1
        left = occupied & ~(1 << point) if state.checkers[seat, point] == 1 else occupied
        if point > number:
            left |= 1 << (point - number)
        if left != 0 and playable(left, closed, then) != 0:
            sources |= 1 << point
    return sources


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write two rows [2, 32], of `seat` and of the other.

    Checkers on the points 1 to 24 as `seat` counts them, on the bar, and off; then how often each of the numbers 1 to 6
    is still to be played.
    """
    out[:, 26:] = 0
    for row in range(2):
        owner = seat if row == 0 else 1 - seat
        for point in range(1, 25):
            out[row, point - 1] = state.checkers[owner, point if row == 0 else 25 - point]
        out[row, 24], out[row, 25] = state.checkers[owner, BAR], state.checkers[owner, OFF]
        if state.current_player == owner:
            for i in range(2):
                out[row, 25 + state.dice[i]] += state.uses[i]


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write 1 for the winner, or 2 or 3 for a gammon or backgammon where they count; the loser gets the opposite."""
    for seat in range(2):
        if state.checkers[seat, OFF] == CHECKERS:
            loser, points = 1 - seat, 1
            if state.full and state.checkers[loser, OFF] == 0:
                points = 3 if state.occupied[loser] >> 19 else 2
            out[seat], out[loser] = points, -points


def place(seat: int, point: int) -> tuple[int, bool]:
    """Return the column in the picture, and whether it is in the upper half. The first player's home is lower right."""
    if point == BAR:
        return 6, seat == 0
    if point == OFF:
        return 13, seat == 1
    across = point if seat == 0 else 25 - point
    return (across - 13 + (across > 18), True) if across > 12 else (12 - across + (across < 7), False)


def cell(seat: int, point: int, height: int) -> tuple[int, int]:
    """Return row and column of the checker at a height (from 0) of a stack; the fifth stands for all above as well."""
    column, upper = place(seat, point)
    return (min(height, 4) if upper else ROWS - 1 - min(height, 4)), column


def picture(state: State) -> Picture:
    """Return the board. A fifth checker shows the size of its stack; points as player 1 counts."""
    pieces, letters = np.full((ROWS, 14), -1, np.int8), np.full((ROWS, 14), "", "<U2")
    figures = np.full((ROWS, 14), "")
    for seat in range(2):
        for point, count in enumerate(state["checkers"][seat].tolist()):
            for height in range(count):
                pieces[cell(seat, point, height)] = seat
            if count > 5:
                letters[cell(seat, point, 4)] = str(count)
    origins, targets = np.full((150, 2), -1), np.full((150, 2), -1)
    seat = int(state["current_player"])
    for action in range(150 if seat >= 0 else 0):
        point, target = ends(action)
        if state["checkers"][seat, point]:
            origins[action] = cell(seat, point, state["checkers"][seat, point] - 1)
            targets[action] = cell(seat, target, state["checkers"][seat, target])
    last = None
    if state["last_action"] >= 0:
        mover, (_, target) = int(state["last_seat"]), ends(int(state["last_action"]))
        last = cell(mover, target, state["checkers"][mover, target] - 1)
    for column, number in enumerate(dice_left(state), start=9 if seat == 0 else 2):
        pieces[ROWS // 2, column], letters[ROWS // 2, column] = NOBODY, str(number)
        figures[ROWS // 2, column] = DICE[number - 1]
    return Picture(
        pieces=pieces,
        cell_actions=np.full((ROWS, 14), -1),
        action_cells=targets,
        row_labels=("",) * ROWS,
        column_labels=(*map(str, range(13, 19)), "bar", *map(str, range(19, 25)), "off"),
        bottom_labels=(*map(str, range(12, 6, -1)), "", *map(str, range(6, 0, -1)), ""),
        last=last,
        letters=letters,
        figures=figures,
        board="points",
        sides=("white", "black"),
        rails=(6, 13),
        action_origins=origins,
        notes=notes(state),
    )


def notes(state: State) -> tuple[str, ...]:
    """Return a line with the numbers still to be played."""
    left = " ".join(map(str, dice_left(state)))
    return (f"player {state['turn'] + 1} has to play {left}",) if left else ()


def dice_left(state: State) -> list[int]:
    """Return the numbers still to be played, none where no seat is to move."""
    dice = zip(state["dice"].tolist(), state["uses"].tolist(), strict=True)
    return [number for number, uses in dice for _ in range(uses)] if state["current_player"] >= 0 else []


def ends(action: int) -> tuple[int, int]:
    """Return the points from and to which an action moves."""
    point, number = action // 6 + 1, action % 6 + 1
    return point, max(point - number, OFF)


def action_text(state: State, action: int) -> str:
    """Return the two points of a move, with `*` for a hit."""
    point, target = ends(action)
    number = action % 6 + 1
    if target == OFF:
        return f"{point}/off" if number == point else f"{point}/off:{number}"
    hit = state["checkers"][1 - state["turn"], 25 - target] == 1
    return f"{'bar' if point == BAR else point}/{target}{'*' if hit else ''}"


def parse_action(state: State, text: str) -> int:
    """Read two points; without a number, a checker is borne off by the lowest that does."""
    match = re.fullmatch(r"(bar|[0-9]{1,2})/(off|[0-9]{1,2})\*?(?::([1-6]))?", text.strip().lower(), re.ASCII)
    if match:
        point = BAR if match[1] == "bar" else int(match[1])
        target = OFF if match[2] == "off" else int(match[2])
        left = [int(die) for die, uses in zip(state["dice"], state["uses"], strict=True) if uses and die >= point]
        number = int(match[3]) if match[3] else min([*left, 6] if target == OFF != point - 6 else [point - target])
        if 1 <= point <= BAR and 1 <= number <= 6 and max(point - number, OFF) == target:
            return (point - 1) * 6 + number - 1
    raise UsageError(f"{text.strip()!r} is no move; type a point and where to, like 24/18, bar/20 or 6/off")


def board_line(state: State) -> str:
    """Return the position as a `board:...` of FIBS, seen by who is to play; of a roll partly played what is left."""
    seat, left = int(state["turn"]), dice_left(state)
    own, other = state["checkers"][seat].tolist(), state["checkers"][1 - seat].tolist()
    points = [own[point] - other[25 - point] for point in range(1, 25)]
    dice = [*left[:2], 0, 0][:2]
    off_and_bar = [own[OFF], other[OFF], own[BAR], other[BAR]]
    rest = [1, *dice, *dice, 1, 1, 1, 0, 1, -1, 0, 25, *off_and_bar, len(left), 0, 0, 0]
    numbers = [0 if state["full"] else 1, 0, 0, -other[BAR], *points, own[BAR], *rest]
    return f"board:you:other:{':'.join(map(str, numbers))}"


def parse_board(text: str, scoring: str) -> State:
    """Read a `board:...` of FIBS: `you` are the first seat, to play a whole roll, or to roll where the dice are 0."""
    fields = text.strip().split(":")
    if fields[0] != "board" or len(fields) < 51 or not all(re.fullmatch(r"-?[0-9]{1,4}", one) for one in fields[3:51]):
        raise UsageError(f"{text.strip()[:60]!r} is no board:... of FIBS with its 52 fields")
    board, dice = [int(field) for field in fields[6:32]], sorted(map(int, fields[33:35]), reverse=True)
    state = game(scoring).initial.copy().reshape(1)[0]
    for seat, points in enumerate((board, [-count for count in reversed(board)])):
        checkers = [max(count, 0) for count in points]
        state["checkers"][seat] = [max(CHECKERS - sum(checkers), 0), *checkers[1:]]
        state["occupied"][seat] = sum(1 << point for point in range(1, 26) if checkers[point])
        state["closed"][1 - seat] = sum(1 << (25 - point) for point in range(1, 25) if checkers[point] > 1)
        if sum(checkers) > CHECKERS or checkers[0] or not checkers:
            raise UsageError(f"a board of FIBS gives a player {sum(checkers)} checkers, of {CHECKERS}")
    if not all(0 <= die <= 6 for die in dice) or (dice[0] > 0) != (dice[1] > 0):
        raise UsageError(f"a board of FIBS has the dice {dice[0]} and {dice[1]}")
    state["dice"], state["turn"] = dice, 0
    if dice[0]:
        state["uses"] = (4, 0) if dice[0] == dice[1] else (1, 1)
        state["current_player"] = 0 if find_sources(state, 0) else CHANCE
    return np.array(state)


@checked_options
def game(scoring: Literal["winloss", "full"] = "winloss") -> CompiledGame:
    """Describe the game; with `scoring="full"` gammons count 2 and backgammons 3."""
    if scoring not in ("winloss", "full"):
        raise UsageError(f"backgammon: scoring={scoring!r} is none of winloss, full")
    initial = np.zeros((), STATE)
    for point, count in START.items():
        initial["checkers"][:, point] = count
        initial["occupied"] |= 1 << point
        initial["closed"] |= 1 << (25 - point)
    initial["last_action"] = initial["last_seat"] = -1
    initial["full"], initial["current_player"] = scoring == "full", CHANCE
    return CompiledGame(
        name="backgammon",
        title="Backgammon",
        options={"scoring": scoring},
        agents=("player_0", "player_1"),
        num_actions=150,
        observation_shape=(2, 32),
        observation_high=CHECKERS,
        max_length=LONGEST,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
            chance_outcomes=chance_outcomes,
            features=features,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        position_text=board_line,
        parse_position=partial(parse_board, scoring=scoring),
        num_outcomes=36,
        num_features=NUM_FEATURES,
        wins_at_one=scoring == "winloss",
        payoffs=(-3, -2, -1, 0, 1, 2, 3),
        payoff_options=("scoring",),
    )


env, raw_env, parallel_env = views(game)
