"""Programs without any limit: what they start ends with them, and one that hangs or hoards loses its game."""

import os
import subprocess
import sys
import time
from contextlib import closing

import pytest

import games
from agents.outside import command, gtp, uci
from arena.match.batch import Pairing, play_matches
from arena.match.verdict import Reason
from arena.policy.registry import make_agent
from arena.processes import sandbox
from arena.processes.guarded import Bounds
from arena.processes.tree import tree
from tests.agents.outside.programs import bot
from tests.match.players import Lowest

pytestmark = pytest.mark.full

TIC_TAC_TOE = games.make("tic_tac_toe")
FIRST = 'return {"action": message["legal"][0]}'


@pytest.fixture
def nobody_left():
    before = set(tree(os.getpid()))
    yield
    deadline = time.monotonic() + 120
    while left := set(tree(os.getpid())) - before:
        assert time.monotonic() < deadline, left
        time.sleep(0.02)


def play(spec, game=TIC_TAC_TOE):
    with closing(make_agent(spec, game)) as agent:
        return play_matches(game, [("bot", agent), ("low", Lowest())], [Pairing((0, 1))])[0]


@pytest.mark.slow("starts fifty programs")
@pytest.mark.parametrize("session", [False, True])
def test_fifty_children_end_with_their_bot(tmp_path, session):
    pids = tmp_path / "pids"
    more = f"""
children = [subprocess.Popen(["sleep", "600"], start_new_session={session}) for _ in range(50)]
open({str(pids)!r}, "w").write(" ".join(str(child.pid) for child in children))
"""
    assert play(bot(tmp_path, FIRST, more)).verdict.reason is Reason.FINISHED
    running = pids.read_text().split()
    assert len(running) == 50
    assert not [pid for pid in running if os.path.exists(f"/proc/{pid}")]


def test_a_daemon_ends_with_its_bot(tmp_path):
    pid = tmp_path / "pid"
    more = f"""
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        open({str(pid)!r}, "w").write(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
while not os.path.exists({str(pid)!r}) or not open({str(pid)!r}).read(): time.sleep(0.01)
"""
    assert play(bot(tmp_path, FIRST, more)).verdict.reason is Reason.FINISHED
    assert not os.path.exists(f"/proc/{pid.read_text()}")


STOPS = "os.kill(os.getpid(), 19)\nreturn {}"
STOPS_ALL = "os.killpg(0, 19)\nreturn {}"


@pytest.mark.usefixtures("nobody_left")
@pytest.mark.parametrize("answer", [STOPS, STOPS_ALL, "time.sleep(600)"])
def test_a_bot_that_hangs_is_late(tmp_path, answer, monkeypatch):
    monkeypatch.setattr(command, "ANSWER_LIMIT_S", 1.0)
    verdict = play(bot(tmp_path, answer)).verdict
    assert (verdict.reason, verdict.offender) == (Reason.LATE, 0)
    assert verdict.detail.startswith("SilentError: python")
    assert verdict.detail.endswith("said nothing for 1 s")


@pytest.mark.usefixtures("nobody_left")
def test_a_bot_that_does_not_read_is_not_written_to_for_ever(tmp_path, monkeypatch):
    spec = bot(tmp_path, more='print(\'{"type": "ready"}\', flush=True); time.sleep(600)')
    with closing(make_agent(spec, TIC_TAC_TOE)) as agent:
        began = time.monotonic()
        with pytest.raises(TimeoutError, match=r"python[^ ]* did not read its input for 0\.5 s"):
            agent._program.send_line("x" * 10**6, 0.5)
        assert time.monotonic() - began < 300


@pytest.mark.usefixtures("nobody_left")
@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        ("x = bytearray(b'x' * 10**9)\ntime.sleep(60)", "used more than 300 MB of memory, and was killed"),
        (
            "for _ in range(60): subprocess.Popen(['sleep', '600'])\ntime.sleep(60)",
            "started more than 40 processes, and",
        ),
    ],
)
def test_a_bot_that_hoards_loses(tmp_path, answer, detail, monkeypatch):
    monkeypatch.setattr(sandbox, "default_bounds", lambda: Bounds(300_000_000, 40))
    verdict = play(bot(tmp_path, answer)).verdict
    assert (verdict.reason, verdict.offender) == (Reason.CRASHED, 0)
    assert detail in verdict.detail


ENGINE = """
import os, sys, time
for line in sys.stdin:
    if line.startswith("uci\\n"): print("uciok", flush=True)
    if line.startswith("isready"): print("readyok", flush=True)
    if line.startswith("go"): os.kill(os.getpid(), 19)
    if line.startswith("list_commands"): print("= genmove\\n", flush=True)
    elif line.startswith("genmove"): time.sleep(600)
    elif line.split()[0] in ("boardsize", "clear_board", "komi", "play"): print("=\\n", flush=True)
"""


@pytest.mark.usefixtures("nobody_left")
@pytest.mark.parametrize(("kind", "module", "game"), [("uci", uci, "chess"), ("gtp", gtp, "go:size=5")])
def test_engines_that_hang_are_late(tmp_path, kind, module, game, monkeypatch):
    if kind == "uci":
        pytest.importorskip("chess")
    monkeypatch.setattr(module, "ANSWER_LIMIT_S", 1.0)
    path = tmp_path / "engine.py"
    path.write_text(ENGINE)
    verdict = play(f"{kind}:{sys.executable} {path}", games.make(game)).verdict
    assert (verdict.reason, verdict.offender) == (Reason.LATE, 0), verdict


@pytest.mark.slow("kills it again and again")
@pytest.mark.parametrize("delay", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("limits", [[], ["--time-per-move", "60s"]])
def test_workers_and_bots_end_with_a_tournament_that_is_killed(tmp_path, delay, limits):
    spec = bot(tmp_path, f"subprocess.Popen(['sleep', '600'])\n{FIRST}")
    command = [
        sys.executable,
        "-m",
        "arena",
        "tournament",
        "connect_four",
        "alphabeta:9",
        "alphabeta:10",
        spec,
        *limits,
    ]
    child = subprocess.Popen([*command, "--workers", "3"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while sum("arena.processes.job_worker" in command_of(pid) for pid in tree(child.pid)) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    time.sleep(delay)  # nothing is imported yet, or some of them play
    pids = tree(child.pid)
    child.kill()
    child.wait()
    deadline = time.monotonic() + 60
    while left := [command for pid in pids if (command := command_of(pid))]:  # a zombie has none
        assert time.monotonic() < deadline, left
        time.sleep(0.02)


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""
