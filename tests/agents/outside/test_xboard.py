"""`xboard:`: what an engine is told, and what becomes of its answers."""

import sys
from contextlib import closing

import numpy as np
import pytest

import games
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.env.native import GameVectorEnv
from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.starts import with_start
from arena.match.verdict import Reason
from arena.policy.clock import ClockReading
from arena.policy.registry import make_agent

pytestmark = pytest.mark.full

CHESS = games.make("chess")
ENGINE = """
import sys
answers = {answers!r}
for line in sys.stdin:
    print(line, end="", file=open({log!r}, "a"))
    words = line.split()
    if words[0] == "protover":
        print('feature myname="A bot" usermove={usermove} setboard={setboard} ping=1 done=1', flush=True)
    elif words[0] == "ping":
        print("pong", words[1], flush=True)
    elif words[0] == "go":
        print(answers.pop(0), flush=True)
"""


@pytest.fixture
def engine(tmp_path):
    """Make the spec of an engine that gives these answers to `go`, and the file of what it was sent."""

    def make(*answers, usermove=0, setboard=0):
        script, log = tmp_path / "engine.py", tmp_path / "log"
        script.write_text(ENGINE.format(answers=list(answers), log=str(log), usermove=usermove, setboard=setboard))
        return f"xboard:{sys.executable} {script}", log

    return make


def played(spec, *moves, clock=None):
    """Play moves of the other side in turn with those of an engine that is White; return the match."""
    with closing(make_agent(spec, CHESS)) as agent:
        match = Match(CHESS, [("engine", agent), ("", None)])
        match.advance(clock)
        for move in moves:
            match.play(CHESS.parse_action(match.state, move))
            match.advance(clock)
        return match


def told(log):
    """The lines that an engine was sent after the start of its game."""
    lines = log.read_text().splitlines()
    return lines[len(lines) - lines[::-1].index("ping 1") :]


def test_an_engine_is_told_moves_by_their_squares(engine):
    spec, log = engine("move e2e4", "move g1f3", usermove=1)
    match = played(spec, "e5")
    assert match.over is False
    assert told(log) == ["st 1", "go", "force", "usermove e7e5", "st 1", "go", "force", "quit"]


def test_a_move_may_be_named_as_in_the_first_version_of_the_protocol(engine):
    spec, _ = engine("1. ... e2e4\nMy move is : e2e4", "My move is: g1f3")
    match, board = played(spec, "e5"), Match(CHESS, [("", None), ("", None)])
    for action, text in zip(match.actions, ("e4", "e5", "Nf3"), strict=True):
        assert board.game.action_text(board.state, action) == text
        board.play(action)


def test_an_engine_is_told_its_clock(engine):
    spec, log = engine("move e2e4")
    played(spec, clock=ClockReading(90.5, 90.5, 0.1, 12, all_seconds_left=(90.5, 61)))
    assert told(log)[:4] == ["level 12 1:30 0.1", "time 9050", "otim 6100", "go"]


def test_what_is_said_of_the_game_before_is_skipped(engine):
    spec, _ = engine("move e2e4\n1-0 {White mates}", "move d2d4")
    with closing(make_agent(spec, CHESS)) as agent:
        for move in ("e4", "d4"):
            match = Match(CHESS, [("engine", agent), ("", None)])
            match.advance()
            assert CHESS.action_text(CHESS.initial, match.actions[0]) == move


@pytest.mark.parametrize(
    ("thinking", "value"),
    [
        ("12 400 5 9000 e2e4 e7e5", 0.818),
        (" 1 30 5 9 e2e4\n 2. -400 5 9 d2d4", -0.818),
        ("9+ 100003 5 9000 e2e4 {mate in 3}", 1.0),
        ("9 -999999999 5 9000", -1.0),
        ("0 0 0 0 (e2e4, from a book)", None),
        ("# 12 400 5 9000 of other things", None),
        ("12 400 moves in all", None),
        ("5 9999999999 5 9000", None),
    ],
)
def test_its_score_is_that_of_its_last_line_of_thinking(engine, thinking, value):
    with closing(make_agent(engine(f"{thinking}\nmove e2e4")[0], CHESS)) as agent:
        answer = Match(CHESS, [("engine", agent), ("", None)]).advance()
    assert answer.value == (None if value is None else pytest.approx(value, abs=1e-3))


@pytest.mark.parametrize(
    ("thinking", "line"),
    [
        ("5 30 5 9 d2d4\n12 40 5 9000 e2e4 e7e5 g1f3", ["e4", "e5", "Nf3"]),
        ("12 40 5 9000 1. e4 e5 2. Nf3 Nc6", ["e4", "e5", "Nf3", "Nc6"]),
        ("12 40 5 9000  e2-e4 Ng8-f6 e4-e5 Nf6-d5  ", ["e4", "Nf6", "e5", "Nd5"]),
        ("12 40 5 9000 e4 (e5 Nf3)", ["e4"]),
        ("12 40 5 9000 e2e4 e7e5 e1e3 d7d5", ["e4", "e5"]),
        ("12 40 5 9000 d2d4 d7d5", []),
        ("12 40 5 9000", []),
    ],
)
def test_the_line_it_expects_is_that_of_its_last_line_of_thinking(engine, thinking, line):
    with closing(make_agent(engine(f"{thinking}\nmove e2e4")[0], CHESS)) as agent:
        answer = Match(CHESS, [("engine", agent), ("", None)]).advance()
    moves = [] if answer.pv is None else answer.pv.tolist()
    shown = Match(CHESS, [("", None), ("", None)])
    texts = []
    for move in moves[: moves.index(-1)] if -1 in moves else moves:
        texts.append(CHESS.action_text(shown.state, move))
        shown.play(move)
    assert texts == line


def test_one_move_without_a_score_takes_none_from_the_others(engine):
    """Engines have books, and are asked for the moves of several games at once."""
    env = GameVectorEnv(CHESS, 2)
    seen, _ = env.reset()
    seen.state, seen.moves = env.positions(), np.full((2, 0), -1, np.int32)
    with closing(make_agent(engine("5 400 5 9 e2e4\nmove e2e4", "move d2d4")[0], CHESS)) as agent:
        value = agent.forward(Batch(obs=seen)).value
    assert value == pytest.approx([0.818, np.nan], abs=1e-3, nan_ok=True)


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        ("resign", Reason.RESIGNED, ""),
        ("0-1 {White resigns}", Reason.RESIGNED, ""),
        ("Illegal move: go", Reason.CRASHED, "answered 'Illegal move: go' to go"),
        ("move e2e9", Reason.CRASHED, "answered go: 'e2e9' is not a move"),
    ],
)
def test_other_answers_are_verdicts_of_their_game(engine, answer, reason, detail):
    verdict = played(engine(answer)[0]).verdict
    assert (verdict.reason, verdict.offender) == (reason, 0)
    assert detail in verdict.detail


def test_what_an_engine_cannot_play_or_be_told_is_refused_at_the_start(engine):
    spec, _ = engine()
    with pytest.raises(UsageError, match="engines play chess, not tic_tac_toe"):
        make_agent(spec, games.make("tic_tac_toe"))
    with pytest.raises(UsageError, match="is not a program found here"):
        make_agent("xboard:./nothing", CHESS)
    with pytest.raises(UsageError, match="cannot be told depth"):
        ContainedPolicy(spec, CHESS, Limits(clock="depth=3"))


def test_an_engine_is_told_where_the_game_began(engine):
    spec, log = engine("move d1d2", "move d2d8", "move e2e4", setboard=1)
    rook = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
    with closing(make_agent(spec, CHESS)) as agent:
        match = Match(with_start(CHESS, rook), [("engine", agent), ("", None)])
        match.advance()
        match.play(CHESS.parse_action(match.state, "Kh8"))
        match.advance()
        assert match.verdict.returns == (1.0, -1.0)
        Match(CHESS, [("engine", agent), ("", None)]).advance()
    lines = [line for line in log.read_text().splitlines() if line.split()[0] in ("new", "setboard", "g8h8", "go")]
    assert lines == ["new", "new", f"setboard {rook}", "go", "g8h8", "go", "new", "go"]


def test_an_engine_that_begins_with_the_usual_position_alone_loses_elsewhere(engine):
    spec, _ = engine("move d1d2")
    with closing(make_agent(spec, CHESS)) as agent:
        match = Match(with_start(CHESS, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"), [("engine", agent), ("", None)])
        match.advance()
    assert match.verdict.reason is Reason.CRASHED
    assert "has no feature setboard" in match.verdict.detail
