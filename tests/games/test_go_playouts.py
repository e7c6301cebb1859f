"""What searches of go try: eyes and shapes beside a plain reading of them, and the moves of playouts."""

import numpy as np
import pytest

from games.engine.compiler import instantiate
from games.engine.registry import make_game
from games.go.patterns import EYE, FLAGS, SHAPE, SHAPES
from games.go.playouts import playout_action
from tests.games.test_go import position

BITS = np.random.default_rng(5).integers(2**64, size=300, dtype=np.uint64)


def texts(surroundings):
    """The eight points of a code as three rows of text."""
    signs = [".XO#"[surroundings >> 2 * place & 3] for place in range(8)]
    return ["".join(signs[:3]), signs[3] + " " + signs[4], "".join(signs[5:])]


def turned(rows):
    """A square of text in its eight orientations."""
    for mirrored in (rows, ["".join(column) for column in zip(*rows, strict=True)]):
        for _ in range(4):
            yield mirrored
            mirrored = ["".join(column) for column in zip(*mirrored[::-1], strict=True)]


def fits(rows, shape):
    allowed = {"x": "O.", "o": "X.", "?": "XO."}
    pairs = zip("".join(rows), shape.replace("/", ""), strict=True)
    return all(sign in allowed.get(symbol, symbol) for sign, symbol in pairs)


def test_shapes_are_found_in_every_orientation_and_colour():
    rng = np.random.default_rng(0)
    drawn = np.concatenate([rng.choice(np.flatnonzero(FLAGS & SHAPE), 150), rng.integers(1 << 16, size=150)])
    for surroundings in drawn.tolist():
        rows = texts(surroundings)
        exchanged = ["".join({"X": "O", "O": "X"}.get(sign, sign) for sign in row) for row in rows]
        expected = any(fits(square, shape) for s in (rows, exchanged) for square in turned(s) for shape in SHAPES)
        assert bool(FLAGS[surroundings] & SHAPE) == expected, rows


def test_eyes_are_surrounded_by_one_colour_and_not_false():
    for surroundings in np.random.default_rng(1).integers(1 << 16, size=3000).tolist():
        top, middle, bottom = texts(surroundings)
        sides, corners = top[1] + middle[0] + middle[2] + bottom[1], top[0] + top[2] + bottom[0] + bottom[2]
        for seat, (own, other) in enumerate(("XO", "OX")):
            expected = set(sides) <= {own, "#"} and corners.count(other) <= ("#" not in sides + corners)
            assert bool(FLAGS[surroundings] & EYE << seat) == expected, (top, middle, bottom)


def playouts(env, bits):
    """The moves that playouts play here."""
    chosen = np.zeros(len(bits), np.int64)
    instantiate("tests.games.choices", env.game).playout_actions(env.states, bits, chosen)
    return chosen


def share(env, text):
    """How many of the playouts here play a move."""
    return np.mean(playouts(env, BITS) == env.game.parse_action(env.states[0], text))


@pytest.mark.full
@pytest.mark.parametrize("spec", ["go:size=5", "go:size=5,ko=simple", "go:size=2", "go:size=1"])
def test_playouts_play_legal_moves_to_the_end(spec):
    for seed in range(6):
        env, bits = position(spec, ""), np.random.default_rng(seed)
        while not env.over[0]:
            action = int(playouts(env, bits.integers(2**64, size=1, dtype=np.uint64))[0])
            assert env.mask[0, action]
            env.step([action])


@pytest.mark.full
def test_a_playout_leaves_its_eyes_and_passes_when_nothing_else_is_left():
    """Black has A1 and C1, two eyes; white cannot play there, and every other point is taken."""
    env = position("go:size=3", "B1 pass A2 pass B2 pass C2 pass A3 pass B3 pass C3 pass")
    assert share(env, "pass") == 1


def test_a_playout_takes_what_the_last_move_left_in_atari():
    """White puts a stone beside black's, where it has one liberty."""
    assert share(position("go:size=5", "C4 E5 B3 E4 D3 C3"), "C2") > 0.85


def test_a_playout_saves_stones_in_atari():
    """White's C3 has one liberty left, and three more if it goes there; black's A1 would have none."""
    assert share(position("go:size=5", "C4 C3 B3 E5 D3"), "C2") > 0.85
    assert share(position("go:size=5", "A1 A2 pass B2"), "B1") < 0.5


@pytest.mark.full
def test_priors_prefer_what_takes_to_what_gives():
    env = position("go:size=9", "E5 E4 D4 A9 F4 A8")
    worths = np.zeros(env.game.num_actions)
    instantiate("tests.games.choices", env.game).priors(env.states, worths)

    def worth(text):
        return worths[env.game.parse_action(env.states[0], text)]

    assert worth("E3") >= 15, "takes E4"
    assert worth("pass") < 0
    assert worth("G7") > 0 > worth("J5"), "the third line and the first, nothing around"
    assert worth("E3") > worth("G7")


def test_only_go_has_playouts_of_its_own():
    assert make_game("go").ruleset().playout_action is playout_action
    assert make_game("hex").ruleset().playout_action is None
