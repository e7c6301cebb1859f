"""Checkers beside a plain version of its rules, and beside published counts."""

import numpy as np
import pytest

from games.engine.compiler import kernels
from games.engine.errors import UsageError
from games.engine.registry import make_game
from tests.games.playing import children, positions, random_line
from tests.games.test_rules import play

pytestmark = pytest.mark.full


class Reference:
    """The rules on a dictionary of squares, 1 to 32, of pieces: (seat, whether it is a king)."""

    def __init__(self, draw_after=40):
        self.pieces = {n: (0, False) for n in range(1, 13)} | {n: (1, False) for n in range(21, 33)}
        self.seat, self.jumper, self.quiet, self.draw_after = 0, None, 0, draw_after
        self.over, self.winner = False, -1

    @staticmethod
    def beside(number, down, right):
        """The square so many rows down and columns to the right; None beside the board."""
        row, index = divmod(number - 1, 4)
        column = 2 * index + (1 if row % 2 == 0 else 0) + right
        row += down
        return row * 4 + column // 2 + 1 if 0 <= row < 8 and 0 <= column < 8 else None

    def moves(self, jumping):
        """Steps or jumps of the player to move, as (from, to, taken or None)."""
        for number, (seat, king) in self.pieces.items():
            if seat != self.seat or self.jumper not in (None, number):
                continue
            for down in (-1, 1) if king else (1 if seat == 0 else -1,):
                for right in (-1, 1):
                    near, far = self.beside(number, down, right), self.beside(number, 2 * down, 2 * right)
                    if jumping and near in self.pieces and self.pieces[near][0] != seat:
                        if far and far not in self.pieces:
                            yield number, far, near
                    elif not jumping and near and near not in self.pieces:
                        yield number, near, None

    def legal(self):
        return list(self.moves(True)) or ([] if self.jumper else list(self.moves(False)))

    def play(self, start, end, taken):
        seat, king = self.pieces.pop(start)
        crowned = not king and end in ((29, 30, 31, 32) if seat == 0 else (1, 2, 3, 4))
        self.pieces[end] = (seat, king or crowned)
        self.quiet = self.quiet + 1 if king and not taken else 0
        if taken:
            del self.pieces[taken]
            self.jumper = end
            if not crowned and self.legal():
                return
        self.jumper, self.seat = None, 1 - seat
        if not self.legal():
            self.over, self.winner = True, seat
        elif self.quiet >= 2 * self.draw_after:
            self.over = True


def pieces_of(game, state):
    picture = game.picture(state)
    return {
        int(row) * 4 + int(column) // 2 + 1: (int(picture.pieces[row, column]), bool(picture.letters[row, column]))
        for row, column in np.argwhere(picture.pieces >= 0)
    }


@pytest.mark.parametrize("draw_after", [3, 40])
def test_random_games_beside_the_reference(draw_after):
    game = make_game("checkers", draw_after=draw_after)
    further_jumps = kings = draws = 0
    for seed in range(30):
        reference = Reference(draw_after)
        line = random_line(f"checkers:draw_after={draw_after}", seed)
        for action, (state, mask) in zip([*line, None], positions(game, seed), strict=True):
            assert pieces_of(game, state) == reference.pieces
            assert reference.over == (action is None)
            if action is None:
                assert state["winner"] == reference.winner
                draws += reference.winner < 0
                break
            assert state["current_player"] == reference.seat
            moves = {f"{move[0]}{'x' if move[2] else '-'}{move[1]}": move for move in reference.legal()}
            assert sorted(game.action_text(state, a) for a in np.flatnonzero(mask)) == sorted(moves)
            reference.play(*moves[game.action_text(state, action)])
            further_jumps += reference.jumper is not None
            kings += any(king for _, king in reference.pieces.values())
    assert further_jumps
    assert kings
    assert draws or draw_after > 3


def turns(game, states):
    """The positions after one whole turn, of several jumps where there are, from `states` [B]."""
    whole = []
    while len(states):
        after = children(game, states)
        going_on = after["jumper"] >= 0
        whole.append(after[~going_on])
        states = after[going_on]
    return np.concatenate(whole)


def test_perft():
    """The usual counts of lines from the first position, a turn of several jumps as one move."""
    game = make_game("checkers")
    states, counts = game.initial.reshape(1), []
    for _ in range(7):
        states = turns(game, states)
        counts.append(len(states))
    counts.append(sum(len(turns(game, part)) for part in np.array_split(states, 20)))
    assert counts == [7, 49, 302, 1469, 7361, 36_768, 179_740, 845_931]


def test_who_can_jump_must():
    env = play("checkers", "11-15 22-18")
    state = env.states[0]
    assert [env.game.action_text(state, a) for a in np.flatnonzero(env.mask[0])] == ["15x22"]
    env = play("checkers", "11-15 22-18 15x22")
    assert {env.game.action_text(env.states[0], a) for a in np.flatnonzero(env.mask[0])} == {"25x18", "26x17"}


def test_a_piece_that_can_jump_again_must_and_only_it():
    game = make_game("checkers")
    count = 0
    for seed in range(10):
        for state, mask in positions(game, seed):
            planes = observation(game, state)
            assert planes[:, :, 4].sum() == (state["jumper"] >= 0)
            if state["jumper"] >= 0:
                count += 1
                texts = [game.action_text(state, a) for a in np.flatnonzero(mask)]
                assert {int(text.split("x")[0]) for text in texts} == {state["last_square"] + 1}
                assert set(np.flatnonzero(mask) // 4) == {state["jumper"]}
    assert count


def observation(game, state):
    """Return the observation of the player to move."""
    out = np.zeros((1, 2, *game.observation_shape), game.observation_dtype)
    mask = np.zeros((1, 2, game.num_actions), np.bool_)
    kernels(game).observe_all(state.reshape(1), np.arange(1), out, mask)
    return out[0, max(int(state["current_player"]), 0)]


def test_both_see_the_board_from_their_own_side():
    game = make_game("checkers")
    env = play("checkers", "11-15")
    assert (env.final_obs().obs[0, 0, ..., 2:4] == observation(game, game.initial)[..., :2][::-1, ::-1]).all()
    assert game.parse_action(game.initial, "11-15") == game.parse_action(env.states[0], "22-18")


def test_kings_are_letters_and_men_are_not():
    game = make_game("checkers")
    with_kings = [state for seed in range(10) for state, _ in positions(game, seed) if state["kings"].all()]
    for state in with_kings[:10]:
        letters = game.picture(state).letters
        for seat, letter in enumerate("Kk"):
            assert (letters == letter).sum() == int(state["kings"][seat]).bit_count()
    assert with_kings


def test_a_game_in_which_nothing_happens_is_drawn():
    lines = [random_line("checkers:draw_after=1", seed) for seed in range(20)]
    finals = [[state for state, _ in positions(make_game("checkers:draw_after=1"), seed)][-1] for seed in range(20)]
    assert any(state["winner"] < 0 and state["quiet"] == 2 for state in finals)
    assert all(state["quiet"] <= 2 for state in finals)
    assert max(map(len, lines)) < make_game("checkers:draw_after=1").max_length


@pytest.mark.parametrize("text", ["11", "11-11", "11-16-20", "0-4", "4-", "33-29", "11-17", "22x15x8"])
def test_what_is_no_move(text):
    game = make_game("checkers")
    with pytest.raises(UsageError, match="each jump by itself"):
        game.parse_action(game.initial, text)


@pytest.mark.parametrize("value", [0, 101])
def test_options_out_of_range(value):
    with pytest.raises(UsageError, match=f"checkers: draw_after={value} is not between 1 and 100"):
        make_game("checkers", draw_after=value)
