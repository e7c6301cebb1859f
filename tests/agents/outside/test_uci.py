"""`uci:` agents and `arena uci`: with each other, and with the real Stockfish."""

import io
import re
import shlex
import sys
from contextlib import closing, contextmanager
from dataclasses import replace

import chess
import chess.engine
import pytest

import games
from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.cli.main import main
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.registry import make_agent
from tests.agents.outside.programs import ARENA, require_program
from tests.match.players import Lowest

pytestmark = pytest.mark.full  # programs are started

CHESS = games.make("chess")


@contextmanager
def served(spec="random"):
    """`arena uci` of an agent, as python-chess runs any engine."""
    engine = chess.engine.SimpleEngine.popen_uci([sys.executable, "-m", "arena", "uci", *spec.split()], timeout=120)
    try:
        yield engine
    finally:
        engine.quit()


def test_stockfish_beats_a_random_mover_from_both_seats():
    stockfish = require_program("stockfish")
    with closing(make_agent(f"uci:{stockfish},nodes=500,Skill Level=10", CHESS)) as agent:
        players = [("stockfish", agent), ("random", make_agent("random", CHESS))]
        first, second = play_matches(CHESS, players, [Pairing((0, 1)), Pairing((1, 0))], seed=1)
    assert (first.verdict.returns, second.verdict.returns) == ((1.0, -1.0), (-1.0, 1.0))
    assert first.verdict.reason is second.verdict.reason is Reason.FINISHED


def test_stockfish_plays_the_same_again():
    stockfish = require_program("stockfish")

    def moves():
        with closing(make_agent(f"uci:{stockfish},nodes=300", CHESS)) as agent:
            return play_matches(CHESS, [("stockfish", agent), ("low", Lowest())], [Pairing((0, 1))])[0].actions

    assert moves() == moves()


def test_stockfish_tells_what_it_expects_and_sees_mate():
    stockfish = require_program("stockfish")
    game = replace(CHESS, initial=games.chess.position("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"))
    with closing(make_agent(f"uci:{stockfish},depth=3", game)) as agent:
        match = Match(game, [("stockfish", agent), ("low", Lowest())])
        answer = match.advance()
    assert match.verdict is not None
    assert match.verdict.returns == (1.0, -1.0)
    assert answer.value is not None
    assert answer.value > 0.99


def test_the_line_that_stockfish_expects_is_legal_from_its_move_on():
    with closing(make_agent(f"uci:{require_program('stockfish')},depth=8", CHESS)) as agent:
        match = Match(CHESS, [("stockfish", agent)] * 2)
        before = [match.advance() for _ in range(3)][-1].pv.tolist()
        expected = match.line(before[1:])  # from behind its move
    assert before[0] == match.actions[-1]
    assert len(expected) == sum(action >= 0 for action in before) - 1 > 1


def test_stockfish_knows_what_has_been_played():
    """A queen up it shuns the draw by repetition, which the position alone does not show."""
    stockfish = require_program("stockfish")
    game = replace(CHESS, initial=games.chess.position("7k/8/8/8/8/8/6Q1/6K1 w - - 0 1"))
    there_and_back = ["Qg3", "Kh7", "Qg2", "Kh8"] * 2
    with closing(make_agent(f"uci:{stockfish},nodes=2000", CHESS)) as agent:  # it is told where the game began
        match = Match(game, [("stockfish", agent), ("black", None)])
        for text in there_and_back[:-1]:
            match.play(game.parse_action(match.state, text))
        match = Match(game, [("stockfish", agent), ("stockfish", agent)], opening=match.actions[:-1])
        match.advance()
    assert match.verdict is None


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("uci", "uci needs a command, as in uci:./my-bot"),
        ("uci:nobody", "uci: nobody is not a program found here"),
        ("uci:cat,nodes", "uci:cat,nodes: 'nodes' is not of the form NAME=VALUE, as in uci:stockfish,nodes=1000"),
        ("uci:cat,nodes=few", "uci:cat,nodes=few: nodes=few is not a whole number of at least 1"),
        ("uci:cat,depth=0", "uci:cat,depth=0: depth=0 is not a whole number of at least 1"),
        ("uci:'cat", "uci:'cat: No closing quotation"),
        ("uci:false", "uci: false: engine .* died .*exit code: 1"),
        (f"uci:{ARENA} uci random,Speed=3", "unknown option of python[^ ]* 'Speed'; did you mean 'Seed'"),
        (f"uci:{ARENA} uci random,Seed=-1", "uci: python[^ ]*: expected value for option 'Seed' to be at least 0"),
        (f"uci:{ARENA} uci nobody", "uci: python[^ ]*: .*exit code: 2.*; it said: arena: unknown agent 'nobody'"),
    ],
)
def test_what_is_no_engine_is_refused(spec, message):
    with pytest.raises(UsageError, match=message):
        make_agent(spec, CHESS)


def test_another_game_is_refused():
    with pytest.raises(UsageError, match="uci: engines play chess, not connect_four"):
        make_agent("uci:cat", games.make("connect_four"))


def test_an_engine_that_says_nothing_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("agents.outside.uci_engine.START_LIMIT_S", 0.3)
    with pytest.raises(UsageError, match=r"uci: sleep does not answer uci within 0\.3 s"):
        make_agent("uci:sleep 600", CHESS)


def test_where_python_chess_is_missing_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "chess.engine", None)
    with pytest.raises(UsageError, match=re.escape(f"uci: engines need python-chess: {install_command('chess')}")):
        make_agent("uci:cat", CHESS)


def test_our_engine_plays_ours():
    """Both ends of the protocol are ours: what one says, the other understands."""
    with closing(make_agent(f"uci:{ARENA} uci random,Seed=5", CHESS)) as agent:
        players = [("engine", agent), ("low", Lowest())]
        record = play_matches(CHESS, players, [Pairing((1, 0), opening=tuple(openers()))])[0]
    assert record.verdict.reason is Reason.FINISHED
    assert len(record.actions) > 20


def openers():
    """1. e4 e5."""
    match = Match(CHESS, [("a", None), ("b", None)])
    for text in ("e4", "e5"):
        match.play(CHESS.parse_action(match.state, text))
    return match.actions


MORTAL = """
import os, sys
for line in sys.stdin:
    if line.startswith("go") and not os.path.exists(MARK):
        open(MARK, "w")
        sys.exit("out of memory")
    word = line.split()[0]
    print({"uci": "uciok", "isready": "readyok", "go": "bestmove a2a3"}.get(word, ""), flush=True)
    if word == "quit":
        break
"""
"""An engine that knows one move, and does not survive its first."""


def test_an_engine_that_dies_loses_and_comes_back(tmp_path):
    mark = tmp_path / "mark"
    program = tmp_path / "engine.py"
    program.write_text(MORTAL.replace("MARK", repr(str(mark))))
    with closing(make_agent(f"uci:{sys.executable} {program}", CHESS)) as agent:
        matches = [Match(CHESS, [("engine", agent), ("low", Lowest())]) for _ in range(2)]
        for match in matches:
            match.advance()
    verdict = matches[0].verdict
    assert verdict is not None
    assert (verdict.reason, verdict.offender) == (Reason.CRASHED, 0)
    assert "exit code: 1" in verdict.detail
    assert "; it said: out of memory" in verdict.detail
    assert matches[1].verdict is None
    assert CHESS.action_text(CHESS.initial, matches[1].actions[0]) == "a3"


def test_python_chess_drives_our_engine_to_the_end_of_a_game():
    with served("alphabeta:1") as engine:
        assert engine.id["name"].endswith("alphabeta:1")
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 60:
            result = engine.play(board, chess.engine.Limit(time=0.01), info=chess.engine.INFO_ALL)
            assert result.move in board.legal_moves
            assert result.info["pv"] == [result.move]
            board.push(result.move)
        assert board.ply() == 60 or board.is_game_over()


def test_our_engine_finds_mate_castles_and_promotes_from_any_position():
    with served("alphabeta:1") as engine:
        mate = chess.Board("k7/7Q/1K6/8/8/8/8/8 w - - 0 1")
        mate.push(engine.play(mate, chess.engine.Limit(nodes=1)).move)
        assert mate.is_checkmate()
        promotion = chess.Board("8/8/8/8/8/k1K5/7p/6N1 b - - 0 1")
        assert engine.play(promotion, chess.engine.Limit(depth=1)).move in promotion.legal_moves
        assert engine.play(mate, chess.engine.Limit(nodes=1)).move is None


def test_our_engine_plays_on_after_a_draw_that_nobody_claims():
    with served() as engine:
        board = chess.Board()
        for move in ["g1f3", "g8f6", "f3g1", "f6g8"] * 3:
            board.push_uci(move)
        assert board.is_repetition(3)
        assert engine.play(board, chess.engine.Limit(nodes=1)).move in board.legal_moves
        board = chess.Board("7k/8/8/8/8/8/6R1/6K1 w - - 99 80")
        for move in ("g2g3", "h8h7", "g3g2"):
            board.push_uci(move)
        assert engine.play(board, chess.engine.Limit(nodes=1)).move in board.legal_moves


def test_commands_are_answered_in_their_order(run_uci):
    said = run_uci(
        "hello", "isready", "position startpos moves e2e5", "position fen x", "setoption name Hash value 1",
        "setoption name Seed value many", "setoption name seed value 7", "go infinite", "isready", "stop", "position",
        "debug on", "register later", "ponderhit", "",
    )  # fmt: skip
    assert said[0] == "readyok"
    assert [line.removeprefix("info string ") for line in said[1:5]] == [
        "e2e5 is illegal after no move",
        "'x' is not a FEN; a game begins with 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'",
        "there is no option 'Hash'; known: Seed, Move Overhead, Ponder",
        "Seed 'many' is not a number from 0 to 2147483647",
    ]
    assert said[5] == "readyok"
    assert said[6].startswith("bestmove ")
    assert said[7:] == ["info string position : expected startpos or fen"]


def test_the_seed_decides(run_uci):
    go = ["position startpos", "go"] * 5
    assert run_uci(*go) == run_uci(*go) != run_uci("setoption name Seed value 8", *go)
    assert run_uci(*go) == run_uci(*go, agent="random --seed 0")
    assert len(set(run_uci(*go))) >= 3


def test_an_agent_that_fails_makes_no_move(run_uci, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text('print(\'{"type": "ready"}\', flush=True); input(); input()')
    said = run_uci("position startpos", "go", "isready", agent=f"cmd:{sys.executable}\\ {bot}")
    said.remove("readyok")
    assert said[0].startswith("info string cmd:")
    assert "makes no move: crashed, ProgramError" in said[0]
    assert said[1:] == ["bestmove 0000"]


@pytest.fixture
def run_uci(capsys, monkeypatch):
    """Return the output of `arena uci` for these lines."""

    def run(*lines, agent="random"):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
        assert main(["uci", *shlex.split(agent)]) == 0
        return capsys.readouterr().out.splitlines()

    return run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "unknown agent 'nobody'"),
        (["random", "--seed", "-1"], "--seed -1 is not between 0 and 2147483647"),
        (["gtp:cat"], "gtp: the Go Text Protocol is for go, othello, hex, gomoku, not chess"),
        ([], "AGENT missing"),
    ],
)
def test_wrong_input_is_refused(arguments, message, capsys):
    assert main(["uci", *arguments]) == 2
    assert message in capsys.readouterr().err
