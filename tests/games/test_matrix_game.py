"""Matrix games: payoffs as given, known games as published, and text that is none refused."""

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games import matrix_game
from games.engine.errors import UnknownNameError, UsageError
from games.engine.registry import make_game

DILEMMA = "3 0;5 1|3 5;0 1"


def earnings(game):
    """Return the payoffs of both seats [2, rows, columns], by playing each pair of actions."""
    rows, columns = game.initial["payoffs"].shape[1:]
    env = GameVectorEnv(game, rows * columns)
    env.reset()
    pairs = np.indices((rows, columns)).reshape(2, -1).T
    _, rewards, terminated, _, _ = env.step_joint(pairs)
    assert terminated.all()
    return rewards.T.reshape(2, rows, columns)


@pytest.mark.full
def test_what_is_paid_is_what_the_text_says():
    assert earnings(make_game("matrix_game", payoffs=DILEMMA)).tolist() == [[[3, 0], [5, 1]], [[3, 5], [0, 1]]]
    one_matrix = earnings(make_game("matrix_game", payoffs="1 -2.5 0 ; 4 0.25 1e1"))
    assert one_matrix.tolist() == [[[1, -2.5, 0], [4, 0.25, 10]], [[-1, 2.5, 0], [-4, -0.25, -10]]]


@pytest.mark.full
@pytest.mark.parametrize("name", matrix_game.KNOWN)
def test_the_order_of_payoffs_makes_the_game(name):
    """The inequalities, and equilibria in pure strategies, by which each game is known."""
    first, second = earnings(make_game("matrix_game", payoffs=name))
    best_rows = first == first.max(axis=0)
    best_columns = second == second.max(axis=1, keepdims=True)
    equilibria = [tuple(cell) for cell in np.argwhere(best_rows & best_columns).tolist()]
    known = {
        "battle_of_the_sexes": [(0, 0), (1, 1)],
        "chicken": [(0, 1), (1, 0)],
        "matching_pennies": [],
        "prisoners_dilemma": [(1, 1)],
        "rock_paper_scissors": [],
        "shapley": [],
        "stag_hunt": [(0, 0), (1, 1)],
    }
    assert equilibria == known[name]
    if name in ("chicken", "prisoners_dilemma", "stag_hunt"):
        assert (first == second.T).all(), "symmetric"
    if name == "prisoners_dilemma":
        assert first[1, 0] > first[0, 0] > first[1, 1] > first[0, 1]
        assert 2 * first[0, 0] > first[1, 0] + first[0, 1]
    if name == "stag_hunt":
        assert first[0, 0] > first[1, 0] >= first[1, 1] > first[0, 1]


def test_fictitious_play_never_settles_in_shapleys_game():
    """Each answers what the other has done so far best; one pair of actions is kept for longer and longer times."""
    first, second = earnings(make_game("matrix_game", payoffs="shapley"))
    counts = np.array([[1.0, 0, 0], [0, 1.0, 0]])
    played = []
    for _ in range(3000):
        choice = (first @ counts[1]).argmax(), (counts[0] @ second).argmax()
        counts[0, choice[0]] += 1
        counts[1, choice[1]] += 1
        played.append(choice)
    changes = [i for i in range(1, len(played)) if played[i] != played[i - 1]]
    assert len(set(played)) == 6
    assert np.diff(changes)[-3:].min() > 2 * np.diff(changes)[:6].max()


@pytest.mark.parametrize(
    ("payoffs", "zero_sum", "cooperative"),
    [
        ("matching_pennies", True, False),
        ("rock_paper_scissors", True, False),
        ("1 2;3 4", True, False),
        ("prisoners_dilemma", False, False),
        ("1 0;0 2|1 0;0 2", False, True),
    ],
)
def test_traits(payoffs, zero_sum, cooperative):
    game = make_game("matrix_game", payoffs=payoffs)
    assert (game.zero_sum, game.cooperative) == (zero_sum, cooperative)


@pytest.mark.full
def test_rounds_add_up_and_are_remembered():
    game = make_game("matrix_game:payoffs=prisoners_dilemma,rounds=3")
    env = GameVectorEnv(game, 1)
    env.reset()
    paid = []
    for actions, both_last in [([0, 1], [0, 1]), ([1, 1], [1, 1]), ([1, 0], [1, 0])]:
        _, rewards, terminated, _, _ = env.step_joint(np.array([actions]))
        paid.append(rewards[0].tolist())
        assert env.final_obs().obs[0, 0].argmax(axis=1).tolist() == both_last
        assert env.final_obs().obs[0, 1].argmax(axis=1).tolist() == both_last[::-1]
    assert paid == [[0, 5], [1, 1], [5, 0]]
    assert terminated.all()
    out = np.empty(game.information_shape, np.int8)
    matrix_game.information_state(env.states[0], 1, out)
    assert out.tolist() == [2, 1, 2, 2, 1, 2, 0]
    assert env.game.picture(env.states[0]).notes == (
        "defect against cooperate; earned 6, 6 after 3 of 3",
        "           cooperate  defect",
        "cooperate  3, 3       0, 5  ",
        "defect     5, 0       1, 1  ",
    )


def test_a_seat_with_fewer_actions_has_no_more():
    env = GameVectorEnv(make_game("matrix_game", payoffs="1 2 3;4 5 6"), 1)
    env.reset()
    assert env.joint_masks()[0].tolist() == [[True, True, False], [True, True, True]]


def test_words():
    game = make_game("matrix_game", payoffs=DILEMMA)
    assert game.parse_action(game.initial, " Defect ") == 1, "the matrices are those of a known game"
    other = make_game("matrix_game", payoffs="1 2;3 4")
    assert [other.action_text(other.initial, action) for action in range(2)] == ["action_1", "action_2"]


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        ("", "'' is no matrix"),
        ("1 x;2 3", "'1 x;2 3' is no matrix"),
        ("1 2;3", "'1 2;3' is no matrix"),
        ("1 2;", "'1 2;' is no matrix"),
        ("1 nan", "a payoff that is not a finite number"),
        ("1 inf", "a payoff that is not a finite number"),
        ("1 2|1 2;3 4", "not one matrix or two of one size, but 1 x 2, 2 x 2"),
        ("1|2|3", "not one matrix or two of one size, but 1 x 1, 1 x 1, 1 x 1"),
        (" ".join(["1"] * 101), "at most 100 a side"),
    ],
)
def test_text_that_is_no_matrix(payoffs, message):
    with pytest.raises(UsageError, match=message) as caught:
        make_game("matrix_game", payoffs=payoffs)
    assert "\n" not in str(caught.value)


def test_options_of_other_kinds():
    with pytest.raises(UnknownNameError, match="unknown matrix game 'prisoner_dilemma'; did you mean 'prisoners_dil"):
        make_game("matrix_game:payoffs=prisoner_dilemma")
    with pytest.raises(UsageError, match="option payoffs=3 is not text"):
        make_game("matrix_game", payoffs=3)
    with pytest.raises(UsageError, match="rounds=0 is not between 1 and 1,000"):
        make_game("matrix_game", rounds=0)
