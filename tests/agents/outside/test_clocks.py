"""Clocks in the protocols: what engines are told, and what ours do with what they are told."""

import io
import json
import shlex
import sys
import time
from contextlib import closing

import chess
import chess.engine
import pytest

import games
from arena.base.errors import UsageError
from arena.cli.gtp_clock import GtpClocks
from arena.cli.main import main
from arena.cli.uci import ENDLESS_S, after_pondering_s, read_go
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.clock import ClockReading
from arena.policy.registry import make_agent
from tests.agents.outside.programs import bot, require_program

CHESS, GO = games.make("chess"), games.make("go:size=5")


def logged(command, log):
    """A command that runs another one and writes down what it is sent."""
    code = (
        "import subprocess, sys\n"
        f"process = subprocess.Popen({shlex.split(command)!r}, stdin=subprocess.PIPE, text=True)\n"
        "for line in sys.stdin:\n"
        f"    open({str(log)!r}, 'a').write(line)\n"
        "    process.stdin.write(line); process.stdin.flush()\n"
    )
    script = log.with_suffix(".py")
    script.write_text(code)
    return f"{sys.executable} {script}"


@pytest.mark.full
@pytest.mark.parametrize(
    ("spec_limits", "clock", "told"),
    [
        ("", ClockReading(9, 9, 0.1, all_seconds_left=(9, 8)), "go wtime 9000 btime 8000 winc 100 binc 100"),
        ("", ClockReading(6, 6, 0, 12, all_seconds_left=(6, 6)), "go wtime 6000 btime 6000 winc 0 binc 0 movestogo 12"),
        ("", ClockReading(0.5), "go movetime 500"),
        (",nodes=50", ClockReading(depth=3), "go depth 3 nodes 50"),
        (",nodes=500", ClockReading(nodes=70), "go nodes 70"),
    ],
)  # fmt: skip
def test_an_engine_is_told_its_clock(tmp_path, spec_limits, clock, told):
    log = tmp_path / "log"
    spec = f"uci:{logged(f'{sys.executable} -m arena uci random', log)}{spec_limits}"
    with closing(make_agent(spec, CHESS)) as agent:
        assert Match(CHESS, [("", None)] * 2).consult(agent, clock).failure is None
    (go,) = [line for line in log.read_text().splitlines() if line.startswith("go")]
    words, expected = go.split(), told.split()
    assert sorted(words) == sorted(expected)


@pytest.mark.full
@pytest.mark.parametrize(
    ("clock", "told"),
    [
        (ClockReading(60, 60, 2, None, 0), ["time_settings 60 0 0", "time_left black 60 0"]),
        (ClockReading(40, 40, 0, 9, 0), ["time_settings 0 40 9", "time_left black 40 9"]),
        (ClockReading(5), ["time_settings 0 5 1", "time_left black 5 1"]),
    ],
)
def test_a_go_program_is_told_its_clock(tmp_path, clock, told):
    log = tmp_path / "log"
    program = logged(f"{require_program('gnugo')} --mode gtp --level 1", log)
    with closing(make_agent(f"gtp:{program}", GO)) as agent:
        assert Match(GO, [("", None)] * 2).consult(agent, clock).failure is None
    assert [line for line in log.read_text().splitlines() if line.startswith("time_")] == told


@pytest.mark.full
def test_a_program_is_told_all_of_its_clock(tmp_path):
    log = tmp_path / "log"
    game, first = games.make("tic_tac_toe"), 'return {"action": message["legal"][0]}'
    with closing(make_agent(bot(tmp_path, f'print(line, file=open({str(log)!r}, "a"))\n{first}'), game)) as agent:
        Match(game, [("", None)] * 2).consult(agent, ClockReading(3, 9, 0.5, 4, 2, 100, 5, (9, 8)))
    message = json.loads(log.read_text().splitlines()[0])
    assert [message[name] for name in ("seconds_left", "game_seconds_left", "increment_s", "moves_to_go")] == [
        3,
        9,
        0.5,
        4,
    ]
    assert [message[name] for name in ("moves_played", "nodes", "depth", "all_seconds_left")] == [2, 100, 5, [9, 8]]


@pytest.mark.full
def test_stockfish_plays_a_game_by_its_clock():
    limits = Limits(clock="2+0.02")
    with closing(make_agent(f"uci:{require_program('stockfish')}", CHESS)) as stockfish:
        players = [("stockfish", stockfish), ("random", make_agent("random", CHESS))]
        record = Match(CHESS, players, seed=1, limits=limits).play_out()
    assert (record.verdict.reason, record.verdict.returns) == (Reason.FINISHED, (1.0, -1.0))
    assert sum(record.move_ms[::2]) > 200  # it used its time


@pytest.mark.parametrize(
    ("words", "seat", "clock"),
    [
        ("wtime 9000 btime 8000 winc 100 binc 50", 0, ClockReading(9, 9, 0.1, all_seconds_left=(9, 8))),
        ("wtime 9000 btime 8000 winc 100 binc 50", 1, ClockReading(8, 8, 0.05, all_seconds_left=(9, 8))),
        ("movetime 250", 0, ClockReading(0.25)),
        ("wtime 60000 btime 60000 movestogo 7 movetime 100", 0, ClockReading(0.1, 60, 0, 7, all_seconds_left=(60, 60))),
        ("depth 5 nodes 1000", 1, ClockReading(nodes=1000, depth=5)),
        ("infinite", 0, ClockReading(ENDLESS_S)),
        ("wtime -40 btime 5", 0, ClockReading(0.001, 0.001, all_seconds_left=(0.001, 0.005))),
        ("searchmoves e2e4", 0, ClockReading()),
        ("", 0, ClockReading()),
    ],
)
def test_go_is_read(words, seat, clock):
    assert read_go(words.split(), seat) == clock


@pytest.mark.parametrize("words", ["movetime", "movetime soon", "wtime 1.5", "depth x"])
def test_a_limit_without_a_number_is_refused(words):
    with pytest.raises(UsageError, match=r"go \w+ .*: expected a whole number"):
        read_go(words.split(), 0)


def test_time_after_pondering_is_a_share_of_the_clock():
    assert after_pondering_s(ClockReading(40, 40, 1)) == pytest.approx(1.5)
    assert after_pondering_s(ClockReading(2)) == pytest.approx(1.8)
    assert after_pondering_s(ClockReading()) == 0


@pytest.mark.full
def test_our_engine_obeys_its_clock_and_stops_and_ponders():
    command = [sys.executable, "-m", "arena", "uci", "alphabeta"]
    engine = chess.engine.SimpleEngine.popen_uci(command, timeout=300)
    try:
        board = chess.Board()
        engine.ping()  # compiled or loaded
        began = time.monotonic()
        engine.play(board, chess.engine.Limit(time=0.3))
        assert 0.15 < time.monotonic() - began < 5  # without its clock it would look four plies ahead
        with engine.analysis(board, chess.engine.Limit()) as analysis:  # go infinite
            time.sleep(0.5)
            analysis.stop()
            assert analysis.wait().move in board.legal_moves
        result = engine.play(board, chess.engine.Limit(white_clock=2, black_clock=2), ponder=True)
        board.push(result.move)
        assert result.ponder in board.legal_moves
        board.push(result.ponder)
        began = time.monotonic()
        assert engine.play(board, chess.engine.Limit(white_clock=2, black_clock=2)).move in board.legal_moves
        assert time.monotonic() - began < 5
    finally:
        engine.quit()


def test_clocks_of_the_go_text_protocol():
    clocks = GtpClocks(60, 30, 5)
    clocks.spend(0, 61)
    assert clocks.reading(0, 3) == ClockReading(30, 30, 0, 5, 3)
    clocks.spend(0, 10)
    assert clocks.reading(0, 4) == ClockReading(20, 20, 0, 4, 4)
    assert clocks.reading(1, 0) == ClockReading(60, 60)
    clocks.tell(1, 7, 2)
    assert clocks.reading(1, 0) == ClockReading(7, 7, 0, 2)
    assert GtpClocks(0, 10, 0).reading(0, 0) is None
    assert GtpClocks(0, 10, 1).reading(0, 0) == ClockReading(10, 10, 0, 1)


@pytest.mark.full
def test_our_go_program_obeys_its_clock(capsys, monkeypatch):
    lines = ["time_settings 0 1 1", "genmove b", "time_left w 1 0", "genmove w", "time_left x 1 0", "time_settings 1"]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    assert main(["gtp", "mcts:100000000", "--game", "go:size=5"]) == 0  # alone it would search for minutes
    answers = capsys.readouterr().out.split("\n\n")
    assert [answer[0] for answer in answers[:6]] == ["=", "=", "=", "=", "?", "?"]
