"""Go: surround more of the board than the other.

Rules: two players in turn put a stone on an empty point, or pass. Stones of one colour that lie next to each other
along the lines are a chain, the empty points next to it its liberties. A move takes all chains of the other player that
have no liberty left; one that would leave its own chain without is illegal (no suicide). Two passes in a row end the
game. Area scoring: a player has the points that its stones stand on and the empty ones from which only its stones are
reached; white gets `komi` on top, and who has more wins. All stones left on the board count as alive. These are John
Tromp's and Bill Taylor's rules (tromp.github.io/go.html) but for suicide, and those of the Computer Go Server (CGOS).

`ko="positional"`: a move that brings back any earlier position of the board is illegal (positional superko).
`ko="simple"`: only to take back, at once, the single stone that has just taken a single stone is illegal; repetitions
beyond that are allowed. In both, a game of 2 x size x size moves (as AlphaGo Zero's; 120 on boards below 8 x 8, more
than a 2 x 2 board has under superko) ends there, and the board is scored as it stands.

An action is the number of a point, row by row from the top left, and size x size to pass; in text a point is a letter
without I and a row counted from the bottom, `D4`, as in the Go Text Protocol:

       A   B   C
     ╭───┬───┬───╮
    3 │ 0 │ 1 │ 2 │
    2 │ 3 │ 4 │ 5 │   9 is pass
    1 │ 6 │ 7 │ 8 │
     ╰───┴───┴───╯

Actions, observations, agents and rewards are those of PettingZoo's `go_v5` with its options' defaults, and with
`ko="simple"` so are the legal moves. As there, planes 2k and 2k + 1 of an observation show the board k moves ago,
first the stones of the player whose move made it (whoever looks), and zeros before the first move; plane 16 is True for
white. Not as there:

* with equal areas nobody wins (PettingZoo gives white the game, though its own `result_string` calls it a draw);
* a game that reaches its greatest length is scored (PettingZoo's never ends until both pass);
* boards of several sizes may be played at once (PettingZoo keeps the size in a variable of its module).
"""

import re
from typing import Literal

import numpy as np

from games.engine.boards import cells_by_row, reflections, star_points, win_or_loss
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import TERMINAL, State
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views
from games.go.playouts import playout_action, prior
from games.go.rules import PAST, apply, legal_actions, observe, random_action, state_dtype
from games.go.sgf import SGF, from_sgf, to_sgf
from games.go.tables import LONGEST_SIDE, MOST_POINTS

__all__ = [
    "env",
    "from_sgf",
    "game",
    "parallel_env",
    "raw_env",
    "to_sgf",
]

COLUMNS = "ABCDEFGHJKLMNOPQRST"
SHORTEST_LIMIT = 120


def picture(state: State) -> Picture:
    """Return the board, row 1 at the bottom; a pass and the result stand below."""
    size, length, last = int(state["size"]), int(state["length"]), int(state["last_action"])
    cell_actions, action_cells = cells_by_row(size, others=1)
    notes = []
    if last == size * size:
        notes.append(f"{'White' if length % 2 == 0 else 'Black'} passes")
    if state["current_player"] == TERMINAL:
        lead = float(state["score"] - state["komi"])
        won = f"{'Black' if lead > 0 else 'White'} wins by {abs(lead):g}" if lead else "The areas are equal"
        black, white = (int((state["flags"][: size * size] == colour).sum()) for colour in (1, 2))
        notes.append(f"{won} (area {black} to {white}, komi {float(state['komi']):g})")
    return Picture(
        pieces=np.array([-1, 0, 1], np.int8)[state["past"][:-1] & 3].reshape(size, size),
        cell_actions=cell_actions,
        action_cells=action_cells,
        row_labels=tuple(str(size - row) for row in range(size)),
        column_labels=tuple(COLUMNS[:size]),
        last=(last // size, last % size) if 0 <= last < size * size else None,
        notes=tuple(notes),
        board="crossings",
        sides=("black", "white"),
        stars=star_points(size),
    )


def action_text(state: State, action: int) -> str:
    """Return column and row, `D4`, or `pass`."""
    row, column = divmod(action, size := int(state["size"]))
    return f"{COLUMNS[column]}{size - row}" if row < size else "pass"


def parse_action(state: State, text: str) -> int:
    """Read a column and a row, or `pass`."""
    size, typed = int(state["size"]), text.strip().upper()
    if typed == "PASS":
        return size * size
    match = re.fullmatch(r"([A-HJ-T])([0-9]{1,2})", typed)
    if match and COLUMNS.index(match[1]) < size and 1 <= int(match[2]) <= size:
        return (size - int(match[2])) * size + COLUMNS.index(match[1])
    corner = f"{COLUMNS[size - 1]}{size}"
    raise UsageError(f"{text.strip()!r} is not a point; type a column and a row, from A1 to {corner} (no I), or pass")


@checked_options
def game(size: int = 19, komi: float = 7.5, ko: Literal["positional", "simple"] = "positional") -> CompiledGame:
    """Describe the game on a board of `size` from 1 to 19, with a `komi` from -361 to 361.

    Raises `UsageError` for an option out of range.
    """
    require_between("go", "size", size, 1, LONGEST_SIDE)
    if not abs(komi) <= MOST_POINTS:
        raise UsageError(f"go: komi={komi} is not between {-MOST_POINTS} and {MOST_POINTS}")
    points = size * size
    max_length = max(2 * points, SHORTEST_LIMIT)
    initial = np.zeros((), state_dtype(size, max_length + 1 if ko == "positional" else 0))
    initial["size"], initial["komi"], initial["superko"], initial["limit"] = size, komi, ko == "positional", max_length
    initial["last_action"] = initial["ko"] = initial["winner"] = -1
    initial["chain"] = points
    initial["past"][points] = 3
    initial["flags"] = 3 if size > 1 else 0
    return CompiledGame(
        name="go",
        title="Go",
        options={"size": size, "komi": komi, "ko": ko},
        agents=("black_0", "white_0"),
        num_actions=points + 1,
        observation_shape=(size, size, 2 * PAST + 1),
        max_length=max_length,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=win_or_loss,
            random_action=random_action,
            playout_action=playout_action,
            prior=prior,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        notation=SGF,
        observation_dtype=np.bool_,
        symmetries=reflections(size, size, 2 * PAST + 1, others=1),
        pettingzoo_name="go_v5" if ko == "simple" else None,
    )


env, raw_env, parallel_env = views(game)
