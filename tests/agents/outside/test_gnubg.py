"""GNU Backgammon as an agent, and our agents as its external players."""

import shlex
import socket
import subprocess
import sys
from contextlib import closing, contextmanager

import numpy as np
import pytest

import games
from arena.base.errors import UsageError
from arena.cli.gnubg import ExternalPlayer
from arena.cli.main import main
from arena.env.native import GameVectorEnv
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.registry import make_agent
from tests.agents.outside.programs import ARENA, require_program

pytestmark = pytest.mark.full  # programs are started

GAME = games.make("backgammon")
START = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
OPENING = f"board:you:opp:1:0:0:{START}:1:{{}}:{{}}:1:1:1:0:1:-1:0:25:0:0:0:0:1:0:0:0"
OFFERED = OPENING.format("0:0", "0:0").replace(":1:1:1:0:1:-1:0:25", ":1:1:1:1:1:-1:0:25")


def test_positions_are_written_as_fibs_and_read_again():
    env = GameVectorEnv(GAME, 64)
    env.reset(seed=1)
    rng, seen = np.random.default_rng(2), 0
    for _ in range(200):
        rows = np.flatnonzero(~env.over)
        for state in env.states[rows[:4]]:
            if tuple(state["uses"]) in ((1, 1), (4, 0)):
                again, seat = GAME.parse_position(GAME.position_text(state)), int(state["turn"])
                order = [seat, 1 - seat]
                for field in ("checkers", "occupied", "closed"):
                    assert (again[field] == state[field][order]).all()
                for field in ("dice", "uses", "sources"):
                    assert (again[field] == state[field]).all()
                seen += 1
        env.step(GAME.draw_actions(env.seats[rows], env.mask[rows], rng), rows)
    assert seen > 100


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("board:you", "is no board:... of FIBS"),
        (OPENING.format("7:1", "7:1"), "has the dice 7 and 1"),
        (OPENING.format("3:0", "3:0"), "has the dice 3 and 0"),
        (OPENING.format("3:1", "3:1").replace(":5:", ":9:", 1), "gives a player 19 checkers, of 15"),
    ],
)
def test_boards_that_cannot_be_are_refused(line, message):
    with pytest.raises(UsageError, match=message):
        GAME.parse_position(line)


def test_gnu_backgammon_beats_a_random_mover():
    require_program("gnubg")
    with closing(make_agent("gnubg:plies=0", GAME)) as agent:
        players = [("gnubg", agent), ("random", make_agent("random", GAME))]
        records = play_matches(GAME, players, [Pairing((n % 2, 1 - n % 2), n) for n in range(6)])
    assert [record.verdict.reason for record in records] == [Reason.FINISHED] * 6
    assert all(record.verdict.returns[record.players.index("gnubg")] == 1 for record in records)


@contextmanager
def served(*arguments):
    command = [*shlex.split(ARENA), "gnubg", *arguments, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ours:
        try:
            yield ours.stdout.readline().split()[-1]
        finally:
            ours.kill()


def test_gnu_backgammon_plays_a_match_against_ours():
    """It checks each move, and plays one of its own for an illegal one."""
    program = require_program("gnubg")
    with served("random") as place:
        settings = ("set player 1 gnubg", "set player 1 chequer evaluation plies 0", "set automatic game off")
        orders = [f"set player 0 external {place}", *settings, "set seed 3", "new match 3", *["play"] * 20]
        result = subprocess.run(
            [program, "-t", "-q", "-r"], input="\n".join(orders), text=True, capture_output=True, timeout=120
        )
    assert "has won the match" in result.stdout
    assert "illegal" not in result.stdout.lower()


def test_questions_are_answered_as_those_of_an_external_player():
    player = ExternalPlayer(GAME, "random", make_agent("random", GAME), 0)
    assert player.answer("version").startswith("Interface: 2")
    assert player.answer(OPENING.format("0:0", "0:0")) == "roll"
    move = player.answer(OPENING.format("6:6", "6:6")).split()
    assert len(move) == 4
    assert set(move) <= {"24/18", "13/7", "8/2", "18/12", "12/6", "7/1"}
    assert player.answer(OFFERED) in ("take", "drop")
    assert player.answer("fly").startswith("Error: 'fly'")
    assert player.answer("board:you").startswith("Error: 'board:you' is no board")


def test_a_program_that_is_none_or_ends_is_told(tmp_path):
    with pytest.raises(UsageError, match="gnubg plays backgammon, not chess"):
        make_agent("gnubg", games.make("chess"))
    with pytest.raises(UsageError, match="'plies=9' is not plies=N, N from 0 to 4"):
        make_agent("gnubg:plies=9", GAME)
    with pytest.raises(UsageError, match="gnubg: false ended with status 1"):
        make_agent("gnubg:false", GAME)
    with pytest.raises(UsageError, match="gnubg: nowhere-bg is not a program found here"):
        make_agent("gnubg:nowhere-bg", GAME)


FAKE = """
import socket, sys
for line in sys.stdin:
    if line.startswith("external"):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(line.split()[1])
        listener.listen()
        lines = listener.accept()[0].makefile("rw")
        lines.readline()
        lines.write(sys.argv[1])
        lines.flush()
        sys.exit()
"""


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        ("fly\n", "gnubg answered 'fly', which is no move"),
        ("1/24 1/24\n", "gnubg has named no legal move for the rest of this roll"),
        ("", "ended with status 0"),
    ],
)
def test_a_wrong_answer_loses_the_game(tmp_path, answer, detail):
    script = tmp_path / "fake.py"
    script.write_text(FAKE)
    command = shlex.join([sys.executable, str(script), answer])
    with closing(make_agent(f"gnubg:{command}", GAME)) as agent:
        match = Match(GAME, [("fake", agent)] * 2)
        match.advance()
    assert match.verdict.reason is Reason.CRASHED
    assert detail in match.verdict.detail


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random", "--game", "chess"], "--game chess: GNU Backgammon plays backgammon"),
        (["random", "--port", "70000"], "--port 70000"),
        (["nobody"], "unknown agent 'nobody'"),
    ],
)
def test_wrong_options_are_refused(arguments, message, capsys):
    assert main(["gnubg", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_port_in_use_is_told(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["gnubg", "random", "--port", str(taken.getsockname()[1])]) == 2
    assert "Address already in use" in capsys.readouterr().err
