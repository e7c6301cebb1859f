"""Rock, paper, scissors, repeated; with more actions, rock, paper, scissors, Spock, lizard, and so on.

Rules, actions, observations and rewards are those of PettingZoo's `rps_v2`: both choose at once, `max_cycles` times.
Of two actions of the same parity the lower wins, of different parity the higher; +1 for the winner and -1 for the loser
each time. A seat sees what the other chose last (`num_actions` before that). The end is a truncation.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.cards import UNKNOWN, Card, hand_picture
from games.engine.chance import RANDOM_FIELD, draw_below
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import TERMINAL, State
from games.engine.jit import njit
from games.engine.joint import NOT_YET, choose, has_chosen, hide_choices
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views

WORDS = ("rock", "paper", "scissors", "spock", "lizard")
MOST_ACTIONS, MOST_CYCLES = 99, 10_000


def state_dtype(max_cycles: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    return np.dtype(
        [
            ("chosen", np.int16, 2),
            ("history", np.int8, (max_cycles, 2)),  # what both chose each time
            ("last", np.int16, 2),  # what both chose last; num_actions before the first time
            ("score", np.int32, 2),
            ("cycles", np.int32),  # times played
            ("num_actions", np.int16),
            ("current_player", np.int8),  # seat to choose, or TERMINAL
            RANDOM_FIELD,  # for guesses only
        ]
    )


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow all."""
    mask[:] = True


@njit
def apply(state: Any, action: int) -> None:
    """Choose; when both have, compare."""
    if not choose(state, action):
        return
    first, second = state.chosen[0], state.chosen[1]
    if first != second:
        winner = int((first < second) != ((first + second) % 2 == 0))
        state.score[winner] += 1
        state.score[1 - winner] -= 1
    for seat in range(2):
        state.last[seat] = state.history[state.cycles, seat] = state.chosen[seat]
    state.chosen[:] = NOT_YET
    state.cycles += 1
    state.current_player = TERMINAL if state.cycles == state.history.shape[0] else 0


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write the last choice of the other, [1]."""
    out[0] = state.last[1 - seat]


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write all choices of `seat` and of the other [max_cycles 2], and the unseen one of `seat`; from 1, 0 for none."""
    out[:] = 0
    for i in range(state.cycles):
        out[2 * i] = state.history[i, seat] + 1
        out[2 * i + 1] = state.history[i, 1 - seat] + 1
    out[2 * state.history.shape[0]] = state.chosen[seat] + 1


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write wins less losses."""
    for seat in range(2):
        out[seat] = state.score[seat]


@njit
def determinize(state: Any, seat: int) -> None:
    """Draw what the other has chosen but not yet played."""
    if has_chosen(state, 1 - seat):
        state.chosen[1 - seat] = draw_below(state, state.num_actions)


def picture(state: State) -> Picture:
    """Return a row for each player: the last choice, before it whether one has chosen; the score stands below."""
    words = [action_text(state, int(a)) if state["cycles"] else "" for a in state["last"]]
    rows = [[Card(word)] if word else [UNKNOWN] * has_chosen(state, seat) for seat, word in enumerate(words)]
    score = " : ".join(str(max(int(points), 0)) for points in state["score"])
    note = f"{' against '.join(words)}; ahead {score} after {state['cycles']}" if state["cycles"] else ""
    return hand_picture(rows, int(state["num_actions"]), notes=(note,))


def action_text(state: State, action: int) -> str:
    """Return a word, or from the sixth action on its number."""
    return WORDS[action] if action < len(WORDS) else f"action_{action + 1}"


def parse_action(state: State, text: str) -> int:
    """Read a word, the first letter of only one, or a number behind `action_`."""
    known = [action_text(state, action) for action in range(int(state["num_actions"]))]
    word = text.strip().lower()
    meant = [w for w in known if word in (w, w[0])]
    if len(meant) != 1:
        raise UsageError(f"{text.strip()!r} is no action here; type a word, as {known[0]} or {known[-1]}")
    return known.index(meant[0])


@checked_options
def game(num_actions: int = 3, max_cycles: int = 15) -> CompiledGame:
    """Describe the game; `num_actions` odd from 3 to 99, `max_cycles` from 1 to 10,000; else `UsageError`."""
    if not 3 <= num_actions <= MOST_ACTIONS or num_actions % 2 == 0:
        raise UsageError(
            f"rock_paper_scissors: num_actions={num_actions} is not an odd number from 3 to {MOST_ACTIONS}"
        )
    require_between("rock_paper_scissors", "max_cycles", max_cycles, 1, MOST_CYCLES)
    initial = np.zeros((), state_dtype(max_cycles))
    initial["chosen"], initial["last"] = NOT_YET, num_actions
    initial["num_actions"] = num_actions
    return CompiledGame(
        name="rock_paper_scissors",
        title="Rock, paper, scissors",
        options={"num_actions": num_actions, "max_cycles": max_cycles},
        agents=("player_0", "player_1"),
        num_actions=num_actions,
        observation_shape=(1,),
        observation_dtype=np.int64,
        observation_high=num_actions,
        max_length=2 * max_cycles,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
            redact=hide_choices,
            determinize=determinize,
            information_state=information_state,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        information_shape=(2 * max_cycles + 1,),
        perfect_information=False,
        simultaneous=True,
        truncates=True,
        unmasked_observation=True,
        pettingzoo_name="rps_v2",
    )


env, raw_env, parallel_env = views(game)
