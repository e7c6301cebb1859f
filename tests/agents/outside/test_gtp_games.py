"""The Go Text Protocol in hex, othello and gomoku, in the words of MoHex, Edax and of go's points."""

import io
import shlex
import sys
from contextlib import closing

import pytest

import games
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.gtp_notation import gtp_notation
from arena.policy.registry import make_agent
from tests.agents.outside.programs import ARENA

pytestmark = pytest.mark.full  # programs are started

NOBODY = [("", None)] * 2


@pytest.fixture
def run_gtp(monkeypatch, capsys):
    def run(game, *commands):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{command}\n" for command in commands)))
        assert main(["gtp", "random", "--game", game]) == 0
        return [answer.replace("= ", "=") for answer in capsys.readouterr().out.split("\n\n")[:-1]]

    return run


def test_hex_is_spoken_as_mohex_speaks_it(run_gtp):
    commands = (
        "boardsize 3", "play b a2", "play w swap-pieces", "genmove w", "play black b1", "play w c2", "play b c3",
        "play w b2", "final_score", "play b a3", "genmove b", "list_games", "set_game Hex", "set_game Go",
    )  # fmt: skip
    answers = run_gtp("hex:size=3", *commands)
    # the stone on a2 becomes white's on b1, its mirror image; so black may not go there, and b2, c2 do not join a1 yet
    assert answers[:5] == ["=", "=", "=", "? it is the turn of black", "? illegal move"]
    assert answers[-3:] == ["=Hex", "=", "? unsupported game"]


def test_black_joins_top_and_bottom_in_hex(run_gtp):
    moves = ("a1", "b1", "a2", "b2", "a3")
    plays = [f"play {'bw'[number % 2]} {move}" for number, move in enumerate(moves)]
    answers = run_gtp("hex:size=3", "final_score", *plays, "final_score", "genmove w")
    assert answers == ["? cannot score", *["="] * 5, "=B+", "? the game is over"]


def test_othello_passes_for_a_colour_that_must_as_edax_does(run_gtp):
    """After these moves dark cannot place a disc: light moves twice in a row."""
    game = games.make("othello")
    match = Match(game, NOBODY)
    random = make_agent("random", game)
    record = play_matches(game, [("a", random)] * 2, [Pairing((0, 1), seed) for seed in range(8)], 3)
    passed = next(one.actions for one in record if 64 in one.actions)
    ply = passed.index(64)
    texts = []
    for action in passed[: ply + 2]:
        texts.append(game.action_text(match.state, action))
        match.play(action)
    plays = [f"play {'bw'[number % 2]} {text}" for number, text in enumerate(texts) if text != "pass"]
    answers = run_gtp("othello", "komi 0", *plays, "showboard")
    assert answers[:-1] == ["="] * (len(plays) + 1)
    board = match.picture(match.state).text(ascii_only=True)
    assert answers[-1].removeprefix("=").split() == board.split()
    assert run_gtp("othello", *plays[:-2], f"play {'wb'[ply % 2]} a9")[-1] == "? syntax error"


def test_gomoku_has_the_points_of_go(run_gtp):
    """Columns are without I: five in row 1 from H on are H, J, K, L and M."""
    notation, game = gtp_notation("gomoku", ""), games.make("gomoku")
    state = game.initial
    for action in range(game.num_actions):
        text = game.action_text(state, action)
        assert notation.read(notation.written(text)) == text
    assert notation.written("i10") == "J10"
    with pytest.raises(UsageError, match="not a point"):
        notation.read("I10")
    black, white = ("H1", "J1", "K1", "L1", "M1"), ("A1", "B1", "C1", "D1")
    plays = [line for pair in zip(black, (*white, ""), strict=True) for line in pair]
    commands = [f"play {'bw'[number % 2]} {move}" for number, move in enumerate(plays) if move]
    answers = run_gtp("gomoku", *commands, "final_score", "clear_board", "play b I1")
    assert answers == [*["="] * 9, "=B+", "=", "? syntax error"]


@pytest.mark.parametrize("spec", ["hex:size=5", "othello", "othello:size=6", "gomoku:size=7"])
def test_both_ends_of_the_protocol_understand_each_other(spec):
    name, _, options = spec.partition(":")
    game = games.make(name, **{key: int(value) for key, value in [options.split("=")] if value} if options else {})
    with closing(make_agent(f"gtp:{ARENA} gtp random --game {spec}", game)) as agent:
        players = [("program", agent), ("random", make_agent("random", game))]
        records = play_matches(game, players, [Pairing((0, 1), 1), Pairing((1, 0), 2)], 5)
    assert [record.verdict.reason for record in records] == [Reason.FINISHED] * 2


LISTENS = """
import sys
for line in sys.stdin:
    print(line.strip(), file=open(sys.argv[1], "a"))
    word = line.split()[0]
    print({"list_commands": "= param_game\\n", "genmove": "= %s\\n"}.get(word, "=\\n") % (
        (sys.argv[2],) if word == "genmove" else ()), flush=True)
"""


@pytest.mark.parametrize(
    ("spec", "opening", "answer", "told", "action"),
    [
        ("hex", "b2", "swap-pieces", ["param_game allow_swap 1", "play black b2", "genmove white"], 121),
        ("othello", "d3", "c5", ["play black d3", "genmove white"], 34),
        ("gomoku", "i8", "K10", ["play black J8", "genmove white"], 84),
    ],
)
def test_programs_are_told_in_their_own_words(tmp_path, spec, opening, answer, told, action):
    game = games.make(spec)
    script, heard = tmp_path / "program.py", tmp_path / "heard"
    script.write_text(LISTENS)
    command = shlex.join([sys.executable, str(script), str(heard), answer])
    with closing(make_agent(f"gtp:{command}", game)) as agent:
        match = Match(game, [("", None), ("program", agent)])
        match.play(game.parse_action(match.state, opening))
        assert match.advance().action == action
    lines = heard.read_text().splitlines()
    assert [line for line in lines if line in told] == told
    assert "komi" not in " ".join(lines)
