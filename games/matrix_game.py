"""Matrix games: two players choose at once, and a matrix says what each earns; once, or `rounds` times.

`payoffs` is a name, or the matrix of what the first player earns, a row for each of its actions and a column for each
of the second player's, and behind `|` what the second earns (the opposite, if nothing stands there). Rows end in `;`:
the prisoner's dilemma is `3 0;5 1|3 5;0 1`. The known names, with the usual payoffs:

- zero-sum: matching_pennies; rock_paper_scissors
- general: prisoners_dilemma (5, 3, 1, 0; Axelrod 1980), chicken, stag_hunt, battle_of_the_sexes; shapley (Shapley 1964:
  fictitious play goes round in circles)

Four of them have other payoffs than OpenSpiel's of that name, in which the order that makes the game is the same:

- prisoners_dilemma: `matrix_pd` is `5 0;10 1|5 10;0 1`
- chicken: `matrix_cd` is `0 4;1 3|0 1;4 3`, and its first action is to go straight
- stag_hunt: `matrix_sh` is `2 0;1 1|2 1;0 1`
- shapley: `matrix_shapleys_game` is `0 0 1;1 0 0;0 1 0|0 1 0;0 0 1;1 0 0`

A seat sees what both chose last; its information state holds all choices. Actions have words in the games that are
known by name, else `action_1`, `action_2`, ...
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.cards import UNKNOWN, Card, hand_picture
from games.engine.chance import RANDOM_FIELD, draw_below
from games.engine.compiled import CompiledGame
from games.engine.errors import UnknownNameError, UsageError
from games.engine.game import TERMINAL, State
from games.engine.jit import njit
from games.engine.joint import NOT_YET, choose, has_chosen, hide_choices
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views

MOST_ACTIONS, MOST_ROUNDS = 100, 1000
MOST_SHOWN = 4
"""Most actions of a player whose payoffs are shown with the board."""


@dataclass(frozen=True)
class NamedMatrix:
    """A matrix game with a name of its own."""

    payoffs: str
    words: tuple[str, ...]
    """Names of the actions of either player."""


KNOWN = {
    "battle_of_the_sexes": NamedMatrix("3 0;0 2|2 0;0 3", ("opera", "football")),
    "chicken": NamedMatrix("0 -1;1 -10|0 1;-1 -10", ("swerve", "straight")),
    "matching_pennies": NamedMatrix("1 -1;-1 1", ("heads", "tails")),
    "prisoners_dilemma": NamedMatrix("3 0;5 1|3 5;0 1", ("cooperate", "defect")),
    "rock_paper_scissors": NamedMatrix("0 -1 1;1 0 -1;-1 1 0", ("rock", "paper", "scissors")),
    "shapley": NamedMatrix("1 0 0;0 1 0;0 0 1|0 1 0;0 0 1;1 0 0", ("action_1", "action_2", "action_3")),
    "stag_hunt": NamedMatrix("4 0;3 3|4 3;0 3", ("stag", "hare")),
}


def state_dtype(rows: int, columns: int, rounds: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    return np.dtype(
        [
            ("payoffs", np.float32, (2, rows, columns)),  # of each seat, by what the first and the second choose
            ("earned", np.float32, 2),
            ("chosen", np.int16, 2),
            ("history", np.int8, (rounds, 2)),  # what both chose, -1 not yet
            ("length", np.int16),  # rounds played
            ("current_player", np.int8),  # seat to choose, or TERMINAL
            RANDOM_FIELD,  # for guesses only
        ]
    )


@njit
def num_choices(state: Any, seat: int) -> int:
    """Return the number of actions of a seat."""
    return state.payoffs.shape[1 + seat]


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow the rows, or the columns; none at the end."""
    if state.current_player >= 0:
        mask[: num_choices(state, state.current_player)] = True


@njit
def apply(state: Any, action: int) -> None:
    """Choose; when both have, pay."""
    if not choose(state, action):
        return
    for seat in range(2):
        state.earned[seat] += state.payoffs[seat, state.chosen[0], state.chosen[1]]
        state.history[state.length, seat] = state.chosen[seat]
    state.chosen[:] = NOT_YET
    state.length += 1
    state.current_player = TERMINAL if state.length == state.history.shape[0] else 0


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write the last choices, one-hot [2, A]: of `seat`, and of the other; all zero before the first round's end."""
    out[:] = 0
    if state.length > 0:
        out[0, state.history[state.length - 1, seat]] = 1
        out[1, state.history[state.length - 1, 1 - seat]] = 1


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write all choices [2 * rounds], of `seat` and the other in turn, from 1 (0: none yet); then its unseen one."""
    for i in range(state.history.shape[0]):
        out[2 * i] = state.history[i, seat] + 1
        out[2 * i + 1] = state.history[i, 1 - seat] + 1
    out[2 * state.history.shape[0]] = state.chosen[seat] + 1


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write the payoffs so far."""
    for seat in range(2):
        out[seat] = state.earned[seat]


@njit
def determinize(state: Any, seat: int) -> None:
    """Draw what the other has chosen but not yet played."""
    if has_chosen(state, 1 - seat):
        state.chosen[1 - seat] = draw_below(state, num_choices(state, 1 - seat))


def picture(state: State) -> Picture:
    """Return a row for each player: the last choice, before it whether one has chosen; payoffs stand below."""
    if state["length"] == 0:
        chosen = [[UNKNOWN] if has_chosen(state, seat) else [] for seat in range(2)]
        return hand_picture(chosen, num_actions(state), notes=payoff_table(state))
    last = [action_text(state, int(action)) for action in state["history"][state["length"] - 1]]
    totals = ", ".join(f"{float(amount):g}" for amount in state["earned"])
    note = f"{' against '.join(last)}; earned {totals} after {state['length']} of {len(state['history'])}"
    return hand_picture([[Card(word)] for word in last], num_actions(state), notes=(note, *payoff_table(state)))


def payoff_table(state: State) -> tuple[str, ...]:
    """Return the lines of a table of what both earn, the first player's actions downwards; none if it is large."""
    if max(state["payoffs"].shape) > MOST_SHOWN:
        return ()
    words = words_of(state)
    first, second = state["payoffs"] + 0.0  # no -0
    cells = [
        [f"{one:g}, {other:g}" for one, other in zip(*rows, strict=True)] for rows in zip(first, second, strict=True)
    ]
    table = [["", *words[: first.shape[1]]], *([word, *row] for word, row in zip(words, cells, strict=False))]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return tuple("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in table)


def num_actions(state: State) -> int:
    """Return the number of actions of the player with more of them."""
    return max(state["payoffs"].shape[1:])


def words_of(state: State) -> list[str]:
    """Return the names of the actions."""
    for known in KNOWN.values():
        if np.array_equal(read_payoffs(known.payoffs), state["payoffs"]):
            return list(known.words)
    return [f"action_{action + 1}" for action in range(num_actions(state))]


def action_text(state: State, action: int) -> str:
    """Return the name of an action."""
    return words_of(state)[action]


def parse_action(state: State, text: str) -> int:
    """Read the name of an action."""
    words = words_of(state)
    word = text.strip().lower()
    if word not in words:
        raise UsageError(f"{text.strip()!r} is no action here; type a word, as {words[0]} or {words[-1]}")
    return words.index(word)


def read_payoffs(text: str) -> NDArray[np.float32]:
    """Return the payoffs [2, rows, columns] given as text; `UsageError` if it cannot be read."""
    matrices = [_read_matrix(part) for part in text.split("|")]
    if len(matrices) == 1:
        matrices.append(-matrices[0])
    if len(matrices) != 2 or matrices[0].shape != matrices[1].shape:
        shapes = ", ".join(f"{rows} x {columns}" for rows, columns in (matrix.shape for matrix in matrices))
        raise UsageError(f"matrix_game: payoffs={text!r} is not one matrix or two of one size, but {shapes}")
    return np.stack(matrices)


def _read_matrix(text: str) -> NDArray[np.float32]:
    try:
        rows = [[float(entry) for entry in row.split()] for row in text.split(";")]
        matrix = np.array(rows, np.float32)
    except ValueError:  # a word, or rows of different lengths
        matrix = np.empty((0, 0), np.float32)
    if matrix.ndim != 2 or not 1 <= min(matrix.shape) <= max(matrix.shape) <= MOST_ACTIONS:
        raise UsageError(
            f"matrix_game: {text.strip()!r} is no matrix; write rows of equal length, as 3 0;5 1 "
            f"(at most {MOST_ACTIONS} a side), or a name: {', '.join(KNOWN)}"
        )
    if not np.isfinite(matrix).all():
        raise UsageError(f"matrix_game: {text.strip()!r} has a payoff that is not a finite number")
    return matrix


@checked_options
def game(payoffs: str = "prisoners_dilemma", rounds: int = 1) -> CompiledGame:
    """Describe the game with these `payoffs`, played `rounds` (from 1 to 1,000) times; else `UsageError`."""
    require_between("matrix_game", "rounds", rounds, 1, MOST_ROUNDS)
    if payoffs.isidentifier() and payoffs not in KNOWN:
        raise UnknownNameError("matrix game", payoffs, KNOWN)
    payoffs = " ".join(payoffs.split())  # a label goes back and forth as one line
    matrices = read_payoffs(KNOWN[payoffs].payoffs if payoffs in KNOWN else payoffs)
    _, rows, columns = matrices.shape
    initial = np.zeros((), state_dtype(rows, columns, rounds))
    initial["payoffs"], initial["chosen"], initial["history"] = matrices, NOT_YET, -1
    return CompiledGame(
        name="matrix_game",
        title="Matrix game",
        options={"payoffs": payoffs, "rounds": rounds},
        agents=("player_0", "player_1"),
        num_actions=max(rows, columns),
        observation_shape=(2, max(rows, columns)),
        max_length=2 * rounds,
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
        information_shape=(2 * rounds + 1,),
        perfect_information=False,
        simultaneous=True,
        zero_sum=bool((matrices[0] == -matrices[1]).all()),
        cooperative=bool((matrices[0] == matrices[1]).all()),
    )


env, raw_env, parallel_env = views(game)
