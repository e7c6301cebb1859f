"""Pig, the game of jeopardy with one die: roll on and add up, or hold and keep what was added up.

Rules: J. Scarne, "Scarne on Dice" (1945); T. W. Neller and C. Presser, "Optimal play of the dice game Pig" (2004). The
player to move rolls or holds. A roll of 1 loses the turn with its total; another roll is added to the total, and the
player moves again. Holding adds the total to the score and passes the turn. The first to reach `target` wins. As in
OpenSpiel, whose actions these are, a player with enough must hold, and a game of `horizon` actions is a draw. The
winner gets 1, which the others pay.

In text the actions are `roll` (0) and `hold` (1).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.cards import Card, die_face, hand_picture
from games.engine.chance import RANDOM_FIELD
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL, State
from games.engine.jit import njit
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.scores import highest, share_win
from games.engine.views import views

ROLL, HOLD = 0, 1
WORDS = ("roll", "hold")
MOST_PLAYERS, HIGHEST_TARGET, MOST_SIDES, LONGEST = 10, 1000, 100, 30_000


def state_dtype(players: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    return np.dtype(
        [
            ("scores", np.int16, players),
            ("turn_total", np.int16),  # rolled in this turn, not yet kept
            ("last_roll", np.int16),  # 0 before the first
            ("length", np.int16),  # actions so far
            ("target", np.int16),
            ("sides", np.int16),  # of the die
            ("horizon", np.int16),  # the game ends after so many actions
            ("turn", np.int8),  # whose turn it is, also while the die rolls
            ("current_player", np.int8),  # seat to move, CHANCE or TERMINAL
            RANDOM_FIELD,
        ]
    )


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write the probability of each side of the die, 1 first."""
    probabilities[:] = 1 / state.sides


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow holding always, and rolling while the turn's total does not reach the target."""
    mask[ROLL] = state.scores[state.turn] + state.turn_total < state.target
    mask[HOLD] = True


@njit
def apply(state: Any, action: int) -> None:
    """Roll, hold, or let the die fall on side `action` + 1."""
    if state.current_player == CHANCE:
        fall(state, action + 1)
        return
    state.length += 1
    if action == ROLL:
        state.current_player = CHANCE
        return
    state.scores[state.turn] += state.turn_total
    won = state.scores[state.turn] >= state.target
    pass_turn(state)
    if won or state.length == state.horizon:
        state.current_player = TERMINAL


@njit
def fall(state: Any, side: int) -> None:
    """Apply the outcome of a roll."""
    state.last_roll = side
    if side == 1:
        pass_turn(state)
    else:
        state.turn_total += side
        state.current_player = state.turn
    if state.length == state.horizon:
        state.current_player = TERMINAL


@njit
def pass_turn(state: Any) -> None:
    """Begin the turn of the next seat."""
    state.turn_total = 0
    state.turn = (state.turn + 1) % state.scores.shape[0]
    state.current_player = state.turn


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write rows [1 + P, target + 1], one-hot: the turn's total, then scores in the order of turns, own first.

    The last entry means the target or more.
    """
    players = state.scores.shape[0]
    out[:] = 0
    out[0, min(state.turn_total, state.target)] = 1
    for i in range(players):
        out[1 + i, min(state.scores[(seat + i) % players], state.target)] = 1


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write +1 for the winner, paid by the others in equal parts."""
    if highest(state.scores) >= state.target:
        share_win(state.scores, out)


def picture(state: State) -> Picture:
    """Return the scores, a row for each player, and the last roll; the turn's total stands below."""
    rows = [[Card(str(score))] for score in state["scores"]]
    rolled = [die_face(int(state["last_roll"]))] if state["last_roll"] else []
    over = state["current_player"] == TERMINAL
    turn = "" if over else f"player {state['turn'] + 1}: {state['turn_total']} in this turn"
    return hand_picture(rows, len(WORDS), (turn, f"to win: {state['target']}"), table=rolled, table_label="rolled")


def action_text(state: State, action: int) -> str:
    """Return `roll` or `hold`."""
    return WORDS[action]


def parse_action(state: State, text: str) -> int:
    """Read `roll`, or `hold` (also `stop`), or their first letters."""
    word = text.strip().lower()
    if word in ("roll", "r"):
        return ROLL
    if word in ("hold", "stop", "h", "s"):
        return HOLD
    raise UsageError(f"{text.strip()!r} is no action here; type a word, roll or hold")


@checked_options
def game(players: int = 2, target: int = 100, sides: int = 6, horizon: int = 1000) -> CompiledGame:
    """Describe the game for 2 to 10 `players`.

    `target` (points that win) from 1 to 1,000, `sides` (of the die) from 2 to 100, `horizon` (actions after which a
    game is drawn) from 1 to 30,000. Raises `UsageError` for an option out of range.
    """
    require_between("pig", "players", players, 2, MOST_PLAYERS)
    require_between("pig", "target", target, 1, HIGHEST_TARGET)
    require_between("pig", "sides", sides, 2, MOST_SIDES)
    require_between("pig", "horizon", horizon, 1, LONGEST)
    initial = np.zeros((), state_dtype(players))
    initial["target"], initial["sides"], initial["horizon"] = target, sides, horizon
    return CompiledGame(
        name="pig",
        title="Pig",
        options={"players": players, "target": target, "sides": sides, "horizon": horizon},
        agents=tuple(f"player_{seat}" for seat in range(players)),
        num_actions=len(WORDS),
        observation_shape=(1 + players, target + 1),
        max_length=horizon,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
            chance_outcomes=chance_outcomes,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        num_outcomes=sides,
    )


env, raw_env, parallel_env = views(game)
