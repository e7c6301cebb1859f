"""NEW_GAME: replace this by the rules, their source, and how actions are written.

This one: two players in turn add 1, 2 or 3 to a sum that begins at 0. Whoever brings it to the target wins. An action
is written as the number that is added. Change what follows, piece by piece, and run the test after each.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import TERMINAL, State
from games.engine.options import checked_options
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views

MOST = 3  # what can be added at once
LARGEST = 100

# What `arena games NEW_GAME` and F1 on a board show; these headings are all that there are, and none is required.
MANUAL = """
## How it is played
Two players in turn add 1, 2 or 3 to a sum that begins at 0. Whoever brings it to the target wins.

## Options
- `target`: sum that wins, 1 to 100 (21).

## Notation
A move is the number that is added.

## Strategy
- Leave a multiple of 4 to the target: whatever the other adds, you can do so again.

## Source
A form of Nim.
"""

# A position is one flat record: everything that the game remembers, and `current_player`. Copying it is one assignment,
# so it holds numbers and arrays of fixed size, nothing else. Options that change the rules are fields of it as well.
STATE = np.dtype([("sum", np.int16), ("target", np.int16), ("winner", np.int8), ("current_player", np.int8)])


# The rules are four functions over one record, compiled by numba: plain loops, no Python objects, nothing allocated.
@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every number that does not exceed the target."""
    # `mask` is all False on entry; finished games are asked as well
    for action in range(mask.shape[0]):
        mask[action] = state.sum + action + 1 <= state.target


@njit
def apply(state: Any, action: int) -> None:
    """Add a number; then it is the other seat's turn, or the game is over."""
    # only legal actions come here
    state.sum += action + 1
    if state.sum == state.target:
        state.winner = state.current_player
        state.current_player = TERMINAL
    else:
        state.current_player = 1 - state.current_player


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write the number that is missing, [1]."""
    # write every entry, and nothing that this seat may not know
    out[0] = state.target - state.sum


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """+1 for the winner, -1 for the loser."""
    # what is earned since the start; `out` is all zero on entry
    if state.winner >= 0:
        out[state.winner] = 1
        out[1 - state.winner] = -1


# What people see and type. A picture is a grid; games without a board may put everything into its notes.
def picture(state: State) -> Picture:
    """A row of squares, filled as far as the sum goes."""
    target, done = int(state["target"]), int(state["sum"])
    return Picture(
        pieces=np.where(np.arange(target) < done, 0, -1).astype(np.int8)[None],
        cell_actions=np.full((1, target), -1),
        action_cells=np.full((MOST, 2), -1),
        row_labels=("",),
        column_labels=("",) * target,
        notes=(f"{done} of {target}",),
    )


def action_text(state: State, action: int) -> str:
    """The number that is added."""
    return str(action + 1)


def parse_action(state: State, text: str) -> int:
    """Read a number."""
    if text.strip().isdecimal() and 1 <= int(text) <= MOST:
        return int(text) - 1
    raise UsageError(f"{text.strip()!r} cannot be added; type a number from 1 to {MOST}")


@checked_options
def game(target: int = 21) -> CompiledGame:
    """Describe the game; `target` from 1 to 100. The parameters are the options of the game."""
    if not 1 <= target <= LARGEST:
        raise UsageError(f"NEW_GAME: target={target} is not between 1 and {LARGEST}")
    initial = np.zeros((), STATE)
    initial["target"], initial["winner"] = target, -1
    return CompiledGame(
        name="NEW_GAME",
        title="NEW_TITLE",
        options={"target": target},
        agents=("player_0", "player_1"),
        num_actions=MOST,
        observation_shape=(1,),
        observation_high=LARGEST,
        max_length=target,
        initial=initial,
        rules=Ruleset(  # with chance also chance_outcomes, with secrets redact, determinize and information_state
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        manual_text=MANUAL,
    )


env, raw_env, parallel_env = views(game)  # PettingZoo's constructors
GAMES = {"NEW_GAME": "NEW_GAME:game"}  # the line of the catalogue: pyproject.toml names it
