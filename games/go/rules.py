"""The rules of go over one record: chains with their liberties, legal points, superko, area scoring.

A point is a number, row by row from the top left; `NEIGHBOURS` gives the four next to it, those beyond the edge as the
one point after the last, which is never empty. What stands on a point is two bits: 0 nothing, 1 black, 2 white, 3 edge;
so the two bits of what may be played where, or has been taken where, are masks of colours too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import GAMMA, below, mix
from games.engine.game import TERMINAL
from games.engine.jit import njit
from games.engine.planes import write_bits
from games.go.tables import KEYS, NEIGHBOURS

EMPTY, EDGE = 0, 3
TAKES = 2
"""Where in a point's flags the two bits begin of who would take stones by playing there."""
LOST = 4
"""... of who has had a stone taken there; the two lowest are who may play there."""
KEPT = 3 << LOST
"""The flags of a point that outlast what is played around it."""
WEIGHTS = np.array([[3, 3], [1, 2 << TAKES], [2, 1 << TAKES], [0, 0]], np.uint8)
"""[what stands beside a point, whether as a chain with one liberty]: the flags that it gives the point."""
PAST = 8
"""Boards that an observation shows."""


def state_dtype(size: int, remembered: int) -> np.dtype[Any]:
    """Return the layout of a position's record on a board of this size that remembers so many hashes."""
    points = size * size
    return np.dtype(
        [
            ("hashes", np.uint64, (remembered,)),  # of the positions after 0, 1, 2 ... moves; only superko needs them
            ("hash", np.uint64),  # of this position: the keys of its stones, xor
            ("komi", np.float64),  # points that white gets for moving second
            ("past", np.uint16, (points + 1,)),  # what stands on a point, two bits a board: now, one move ago, ...
            ("flags", np.uint8, (points,)),  # two bits each: who may play here, takes by it, has lost a stone here
            ("chain", np.uint16, (points + 1,)),  # the stone that stands for this one's chain; `points` for no stone
            ("next", np.uint16, (points,)),  # the next stone of the chain, in a circle
            ("liberties", np.int16, (points + 1,)),  # of the chain that a stone stands for; the last is scratch
            ("spot", np.uint16, (points + 1,)),  # the liberties of that chain, xor: where there is one, it
            ("fresh", np.int16, (2,)),  # where each seat last put a stone on a point it had never stood on
            ("fresh_move", np.int16, (2,)),  # the number of that move; 0 if that stone has been taken
            ("lost_move", np.int16, (2,)),  # the number of the move that last took stones of each seat, or 0
            ("length", np.int16),  # moves played
            ("limit", np.int16),  # moves after which the game is scored as it stands
            ("last_action", np.int16),  # -1 before the first move
            ("ko", np.int16),  # point that simple ko forbids, -1 for none
            ("score", np.int16),  # black's area less white's, once the game is over
            ("size", np.int8),
            ("superko", np.bool_),
            ("passes", np.int8),  # that the last moves were
            ("winner", np.int8),  # seat, -1 for nobody (yet)
            ("current_player", np.int8),  # seat to move, or TERMINAL
        ]
    )


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every point that may be played, and to pass; in a finished game only to pass."""
    points = state.flags.shape[0]
    mask[points] = True
    seat = state.current_player
    if seat == TERMINAL:
        return
    for point in range(points):
        mask[point] = state.flags[point] >> seat & 1
    if state.ko >= 0:
        mask[state.ko] = False
    if state.superko and state.fresh_move[seat] < state.lost_move[seat]:
        forbid_repetitions(state, seat, mask)


@njit
def forbid_repetitions(state: Any, seat: int, mask: NDArray[Any]) -> None:
    """Take from `mask` the points that would bring back an earlier position.

    Its player's stones stay, and one comes: that position has them all, so it is no older than the youngest of them,
    and of before the last time that stones of its player were taken. Mostly there is no such time.
    """
    first, last = state.fresh_move[seat], state.lost_move[seat]
    for move in range(first, last):
        difference = state.hashes[move] ^ state.hash
        alone = np.int64(difference & np.uint64(511))  # what the key of a single stone has in its last bits
        if alone < state.flags.shape[0] and KEYS[seat, alone] == difference:
            mask[alone] = False
    for point in range(state.flags.shape[0]):
        if state.flags[point] >> (TAKES + seat) & 1 and repeats(state, seat, point):
            mask[point] = False


@njit
def repeats(state: Any, seat: int, point: int) -> bool:
    """Return whether playing here would repeat an earlier position."""
    after, repeated = hash_after(state, seat, point), False
    for move in range(state.fresh_move[seat], state.lost_move[seat]):
        repeated |= state.hashes[move] == after
    return repeated


@njit
def hash_after(state: Any, seat: int, point: int) -> Any:
    """Return the hash of the position after `seat` has played here."""
    after = state.hash ^ KEYS[seat, point]
    for side in range(4):
        root = chain_beside(state, point, side)
        if root != state.flags.shape[0] and state.liberties[root] == 1 and state.past[root] & 3 == 2 - seat:
            stone = root
            while True:
                after ^= KEYS[1 - seat, stone]
                stone = state.next[stone]
                if stone == root:
                    break
    return after


@njit
def random_action(state: Any, bits: Any) -> int:
    """Give one of the legal actions, each as likely as the others: the first that is, of random ones."""
    seat, points = state.current_player, state.flags.shape[0]
    while True:
        bits = mix(bits + GAMMA)
        action = below(bits, points + 1)
        if action == points:
            return action
        if state.flags[action] >> seat & 1 and action != state.ko:
            risky = state.superko and state.fresh_move[seat] < state.lost_move[seat]
            if not (risky and repeats(state, seat, action)):
                return action


@njit
def apply(state: Any, action: int) -> None:
    """Play a point or pass; two passes in a row end the game, and so does its last move."""
    seat = state.current_player
    state.length += 1
    state.last_action = action
    state.ko = -1
    for point in range(state.past.shape[0]):  # what stands there becomes what stood there a move ago, and stays
        state.past[point] = state.past[point] << 2 | state.past[point] & 3
    if action == state.flags.shape[0]:
        state.passes += 1
    else:
        state.passes = 0
        play(state, seat, action)
    if state.superko:
        state.hashes[state.length] = state.hash
    if state.passes == 2 or state.length == state.limit:
        finish(state)
    else:
        state.current_player = 1 - seat


@njit
def play(state: Any, seat: int, point: int) -> None:
    """Put a stone on a point, take what has no liberty left, and update who may play around it."""
    put(state, seat, point)
    enemies, taken = 0, 0
    for side in range(4):
        other = NEIGHBOURS[state.size, point, side]
        stone = state.past[other] & 3
        enemies += stone == 2 - seat or stone == EDGE
        if stone == 2 - seat and state.liberties[state.chain[other]] == 0:
            taken += take(state, 1 - seat, state.chain[other])
            state.ko = other
    if state.superko or taken != 1 or enemies != 4:
        state.ko = -1
    weigh_around(state, point)


@njit
def put(state: Any, seat: int, point: int) -> None:
    """Put a stone on an empty point: the chains beside it lose a liberty, and those of its colour become one."""
    stone = 1 + seat
    state.hash ^= KEYS[seat, point]
    state.past[point] |= stone
    if not state.flags[point] >> LOST & stone:
        state.fresh[seat] = point
        state.fresh_move[seat] = state.length
    state.flags[point] &= KEPT
    home = point
    for side in range(4):
        root = chain_beside(state, point, side)
        state.liberties[root] -= 1  # of no chain as well: a branch would cost more than a write to the scratch entry
        state.spot[root] ^= point
        if state.past[root] & 3 == stone and (home == point or state.liberties[root] > state.liberties[home]):
            home = root  # the chain with most liberties, as one of the longest, takes in the others
    if home == point:
        state.next[point] = point
        state.liberties[point] = state.spot[point] = 0
    else:
        state.next[point], state.next[home] = state.next[home], point
    enlarge(state, home, point)
    for side in range(4):
        root = state.chain[NEIGHBOURS[state.size, point, side]]
        if root != state.flags.shape[0] and root != home and state.past[root] & 3 == stone:
            merge(state, home, root)


@njit
def chain_beside(state: Any, point: int, side: int) -> int:
    """Return the chain on one side of a point, or that of no stone if it was met on an earlier side."""
    root = state.chain[NEIGHBOURS[state.size, point, side]]
    for earlier in range(side):
        if state.chain[NEIGHBOURS[state.size, point, earlier]] == root:
            return state.flags.shape[0]
    return root


@njit
def merge(state: Any, home: int, root: int) -> None:
    """Make the stones of another chain part of this one."""
    stone = root
    while True:
        enlarge(state, home, stone)
        stone = state.next[stone]
        if stone == root:
            break
    state.next[home], state.next[root] = state.next[root], state.next[home]  # of two circles one


@njit
def enlarge(state: Any, home: int, point: int) -> None:
    """Count a stone as one of a chain, with the liberties that it adds."""
    for side in range(4):
        liberty = NEIGHBOURS[state.size, point, side]
        if state.past[liberty] & 3 == EMPTY and not touches(state, liberty, home):
            state.liberties[home] += 1
            state.spot[home] ^= liberty
    state.chain[point] = home


@njit
def touches(state: Any, point: int, root: int) -> bool:
    """Return whether a stone of the chain is next to this point."""
    return (
        state.chain[NEIGHBOURS[state.size, point, 0]] == root
        or state.chain[NEIGHBOURS[state.size, point, 1]] == root
        or state.chain[NEIGHBOURS[state.size, point, 2]] == root
        or state.chain[NEIGHBOURS[state.size, point, 3]] == root
    )


@njit
def take(state: Any, seat: int, root: int) -> int:
    """Take a chain of `seat` off the board; returns how many stones it had."""
    state.lost_move[seat] = state.length
    count = 0
    stone = root
    while True:
        state.hash ^= KEYS[seat, stone]
        state.past[stone] ^= 1 + seat
        state.flags[stone] |= (1 + seat) << LOST
        state.chain[stone] = state.flags.shape[0]
        if stone == state.fresh[seat]:
            state.fresh_move[seat] = 0  # there may be an older one that still stands: unknown
        count += 1
        stone = state.next[stone]
        if stone == root:
            break
    while True:
        free(state, stone)
        stone = state.next[stone]
        if stone == root:
            break
    while True:
        weigh(state, stone)
        stone = state.next[stone]
        if stone == root:
            break
    return count


@njit
def free(state: Any, point: int) -> None:
    """Give the chains around a point this liberty."""
    for side in range(4):
        root = chain_beside(state, point, side)
        state.liberties[root] += 1
        if state.liberties[root] == 2 and root != state.flags.shape[0]:
            weigh(state, state.spot[root])  # until now its only one
        state.spot[root] ^= point


@njit
def weigh_around(state: Any, point: int) -> None:
    """Update who may play where a stone that was just put down makes a difference."""
    if state.liberties[state.chain[point]] == 1:
        weigh(state, state.spot[state.chain[point]])
    for side in range(4):
        other = NEIGHBOURS[state.size, point, side]
        stone = state.past[other] & 3
        if stone == EMPTY:
            weigh(state, other)
        elif stone != EDGE and state.liberties[state.chain[other]] == 1:
            weigh(state, state.spot[state.chain[other]])


@njit
def weigh(state: Any, point: int) -> None:
    """Update who may play on an empty point, ko aside, and who would take stones there.

    A player may where a liberty is left: an empty point beside, a second liberty of a chain of one's own, or one that
    comes from taking a chain whose last liberty this is.
    """
    weight = 0
    for side in range(4):
        other = NEIGHBOURS[state.size, point, side]
        weight |= WEIGHTS[state.past[other] & 3, np.int64(state.liberties[state.chain[other]] == 1)]
    state.flags[point] = state.flags[point] & KEPT | weight | weight >> TAKES


@njit
def finish(state: Any) -> None:
    """Score the game: a point counts for the one colour that stands on it or that empty points lead to from it.

    The flags, of no more use, are used up: they become the colours that reach each point.
    """
    points = state.flags.shape[0]
    for point in range(points):
        state.flags[point] = state.past[point] & 3
    spread = True
    while spread:
        spread = False
        for point in range(points):
            spread |= reach(state, point)
        for point in range(points - 1, -1, -1):
            spread |= reach(state, point)
    state.score = 0
    for point in range(points):
        state.score += (state.flags[point] == 1) - (state.flags[point] == 2)
    if state.score != state.komi:
        state.winner = state.score < state.komi
    state.current_player = TERMINAL


@njit
def reach(state: Any, point: int) -> bool:
    """Let an empty point be reached by what reaches its neighbours; returns whether its flags have changed."""
    if state.past[point] & 3 != EMPTY:
        return False
    before = state.flags[point]
    for side in range(4):
        other = NEIGHBOURS[state.size, point, side]
        if other < state.flags.shape[0]:
            state.flags[point] |= state.flags[other]
    return state.flags[point] != before


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write 17 planes [size, size, 17], for both seats the same but for the last, which is True for white.

    Two planes a board, the last eight boards, the newest first: stones of the player whose move made it, and of the
    other.
    """
    odd = 0x3333 if state.length & 1 else 0xCCCC  # boards made by black, among the 8 of two bits
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            past = np.int64(state.past[row * out.shape[1] + column])
            white_first = (past & 0x5555) << 1 | past >> 1 & 0x5555
            planes = past & odd | white_first & ~odd
            write_bits(planes, out, (row * out.shape[1] + column) * out.shape[2])
            out[row, column, 2 * PAST] = seat == 1
