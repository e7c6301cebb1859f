"""Games of go as SGF: what is written reads back, what others wrote is understood, and nonsense is refused."""

import pytest

import games
from games.engine.errors import IllegalActionError, UsageError
from games.go import from_sgf, to_sgf
from tests.games.playing import random_line


@pytest.mark.full
@pytest.mark.parametrize("spec", ["go:size=5", "go:size=5,komi=0.5,ko=simple", "go:size=3,komi=-2"])
def test_what_is_written_reads_back(spec):
    game = games.make(spec)
    for seed in range(3):
        actions = random_line(spec, seed)
        record = from_sgf(to_sgf(game, actions, {"PB": r"a [b] \ c", "PW": "two\nlines"}))
        assert record.game.label == game.label
        assert record.actions == actions
        assert record.properties["PB"] == r"a [b] \ c"
        assert record.properties["PW"] == "two\nlines"


def test_a_game_in_full():
    game = games.make("go:size=5,komi=0.5")
    text = to_sgf(game, [0, 24, 25, 25], {"PB": "Ann"})
    assert text == "(;GM[1]FF[4]CA[UTF-8]SZ[5]KM[0.5]RU[CGOS]RE[W+0.5]PB[Ann]\n;B[aa];W[ee];B[];W[])\n"
    assert "RE" not in to_sgf(game, [0, 24])
    assert "RE[B+24.5]" in to_sgf(game, [0, 25, 25])
    assert "RE[0]" in to_sgf(games.make("go:size=5,komi=0"), [25, 25])


def test_what_others_write():
    text = """\ufeff  From some server:
    (;GaMe[1] FF[3]
      SiZe[5] KM[0] RU[Japanese] C[a \\] ; ( comment)] PB[B\\
ob]
      ;B[cc]C[good](;W[bb](;B[tt];W[])(;B[dd]))(;W[aa])) (;GM[1];B[zz])"""
    record = from_sgf(text)
    assert record.game.options == {"size": 5, "komi": 0.0, "ko": "simple"}
    assert record.actions == [12, 6, 25, 25]
    assert record.properties["PB"] == "Bob"
    assert record.properties["C"] == "a ] ; ( comment)"
    assert from_sgf(text, ko="positional").game.options["ko"] == "positional"


def test_what_a_record_need_not_say():
    assert from_sgf("(;)").game is games.make("go:size=19,komi=7.5,ko=positional")
    assert from_sgf("(;)").actions == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no game in the text"),
        ("[Event]", "there is no game in the text"),
        ("(;SZ[5];B[aa]", "the game is not closed by its bracket"),
        ("(;SZ[5]B[aa)", "is neither a move nor a property"),
        ("(;SZ[5];B aa)", "is neither a move nor a property"),
        ("(;GM[2])", r"GM\[2\] is another game than go"),
        ("(;SZ[five])", r"SZ\[five\] is not a number"),
        ("(;SZ[5.5])", r"SZ\[5.5\] is not a whole number"),
        ("(;SZ[5:7])", r"SZ\[5:7\] is not a number"),
        ("(;SZ[25])", "size=25 is not between 1 and 19"),
        ("(;SZ[5]KM[nan])", "komi=nan is not a number"),
        ("(;SZ[5]SZ[6])", "SZ is given twice"),
        ("(;SZ[5]AB[aa][bb];W[cc])", r"AB \(handicap stones\) cannot be replayed"),
        ("(;SZ[5];W[aa])", "move 1 is W's, but black and white move in turn"),
        ("(;SZ[5];B[aa];B[bb])", "move 2 is B's, but black and white move in turn"),
        ("(;SZ[5];B[ff])", r"move 1, \[ff\], is no point of a board of 5 x 5"),
        ("(;SZ[5];B[a])", r"move 1, \[a\], is no point"),
        ("(;SZ[5];B[aa];W[aa])", r"move 2, action 0 \(A5\), is illegal"),
        ("(;SZ[5];B[];W[];B[aa])", r"move 3, action 0 \(A5\), is played after the end"),
    ],
)
def test_what_is_not_a_game(text, message):
    with pytest.raises(UsageError, match=message) as caught:
        from_sgf(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("actions", [[0, 0], [26], [-1], [25, 25, 25]])
def test_what_cannot_be_played_is_not_written(actions):
    with pytest.raises(IllegalActionError, match=f"move {len(actions)}, action {actions[-1]}"):
        to_sgf(games.make("go:size=5"), actions)
