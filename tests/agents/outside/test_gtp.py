"""`gtp:` agents and `arena gtp`: with each other, and with the real GNU Go."""

import io
import shlex
import subprocess
import sys
from contextlib import closing

import pytest

import games
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.data.batch import Batch
from arena.env.native import GameVectorEnv
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.registry import make_agent
from tests.agents.outside.programs import ARENA, require_program
from tests.match.players import Lowest

pytestmark = pytest.mark.full  # programs are started

GO = games.make("go", size=5, komi=3.5)


def gnu_go(size=5):
    return f"{require_program('gnugo')} --mode gtp --level 1 --chinese-rules --boardsize {size}"


def test_gnu_go_beats_a_random_mover_from_both_seats():
    with closing(make_agent(f"gtp:{gnu_go()}", GO)) as agent:
        players = [("gnugo", agent), ("random", make_agent("random", GO))]
        first, second = (play_matches(GO, players, [Pairing(seating)], seed=1)[0] for seating in [(0, 1), (1, 0)])
    assert (first.verdict.returns, second.verdict.returns) == ((1.0, -1.0), (-1.0, 1.0))
    assert first.verdict.reason is second.verdict.reason is Reason.FINISHED


def test_gnu_go_plays_several_games_at_once_and_the_same_again():
    def lines(seed):
        with closing(make_agent(f"gtp:{gnu_go()}", GO)) as agent:
            players = [("gnugo", agent), ("random", make_agent("random", GO))]
            return [
                r.actions for r in play_matches(GO, players, [Pairing((0, 1)), Pairing((1, 0)), Pairing((0, 0))], seed)
            ]

    assert lines(1) == lines(1) != lines(2)


@pytest.mark.parametrize("last", ["pass", "E3"])
def test_gnu_go_takes_what_is_dead_before_it_passes(last):
    """White's stone in the corner is dead; left there, the points around it would be nobody's."""
    game = games.make("go", size=5, komi=0.0)
    opening = ["C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4", "C5", "D5", "B2", "A1", "B3", last]
    with closing(make_agent(f"gtp:{gnu_go()}", game)) as agent:
        match = Match(game, [("gnugo", agent), ("white", None)])
        for text in opening:
            match.play(game.parse_action(match.state, text))
        while not match.over:
            if match.seat == 0:
                match.advance()
            else:
                match.play(25)
        assert match.state["score"] == 15 - 10


def test_boards_without_a_history_are_set_up_stone_by_stone():
    """As a collector gives them, which tells positions and no moves."""
    env = GameVectorEnv(GO, 1)
    seen, _ = env.reset()
    with closing(make_agent(f"gtp:{gnu_go()} --never-resign", GO)) as agent:
        answer = None
        while not env.over[0]:
            seen.state = env.positions()
            answer = agent.forward(Batch(obs=seen), None if answer is None else answer.state)
            assert seen.mask[0, answer.act[0]]
            seen, *_ = env.step(answer.act)
    assert env.states["length"][0] > 6


PROGRAM = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    print({"list_commands": "= play", "genmove": GENMOVE}.get(word, "= "), end="\\n\\n", flush=True)
    if word == "quit":
        break
"""
"""A go program that always answers genmove alike."""


@pytest.mark.parametrize(
    ("genmove", "reason", "detail"),
    [
        ("= resign", Reason.RESIGNED, ""),
        ("= A1", Reason.ILLEGAL, "action 20"),
        ("= Z9", Reason.CRASHED, "answered genmove: 'Z9' is not a point"),
        ("? out of time", Reason.CRASHED, "refused 'genmove white': out of time"),
        ("A1", Reason.CRASHED, "said 'A1' to 'genmove white'; answers begin with = or ?"),
    ],
)
def test_how_a_program_can_lose(tmp_path, genmove, reason, detail):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace("GENMOVE", repr(genmove)))
    with closing(make_agent(f"gtp:{sys.executable} {path}", GO)) as agent:
        players = [("program", agent), ("low", Lowest())]
        for _ in range(2):  # and it is there again for another game
            verdict = play_matches(GO, players, [Pairing((1, 0), opening=(20,) * (reason is Reason.ILLEGAL))])[
                0
            ].verdict
            assert (verdict.reason, verdict.offender) == (reason, 1)
            assert detail in verdict.detail


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gtp", "gtp needs a command, as in gtp:./my-bot"),
        ("gtp:nobody --mode gtp", "gtp: nobody is not a program found here"),
        ("gtp:'cat", "gtp:'cat: No closing quotation"),
        ("gtp:false", "gtp: false ended with status 1"),
        ("gtp:cat", "gtp: cat said 'list_commands' to 'list_commands'; answers begin with = or ?"),
    ],
)
def test_what_is_no_go_program_is_refused(spec, message):
    with pytest.raises(UsageError) as refused:
        make_agent(spec, GO)
    assert message in str(refused.value)


def test_another_game_or_size_is_refused(tmp_path):
    with pytest.raises(UsageError, match="gtp: the Go Text Protocol is for go, othello, hex, gomoku, not chess"):
        make_agent("gtp:cat", games.make("chess"))
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.replace('"genmove": GENMOVE', '"boardsize": "? unacceptable size"'))
    with pytest.raises(UsageError, match=r"gtp: python[^ ]* refused 'boardsize 5': unacceptable size"):
        make_agent(f"gtp:{sys.executable} {path}", GO)


def test_our_program_plays_ours():
    """Both ends of the protocol are ours: what one says, the other understands."""
    with closing(make_agent(f"gtp:{ARENA} gtp random --seed 3", GO)) as agent:
        records = [
            play_matches(GO, [("program", agent), ("random", make_agent("random", GO))], [Pairing(seating)], seed)[0]
            for seating, seed in [((0, 1), 1), ((1, 0), 2), ((0, 1), 1)]
        ]
    assert [record.verdict.reason for record in records] == [Reason.FINISHED] * 3
    assert records[0] == records[2]


def test_gnu_go_referees_a_game_of_ours():
    """Two programs and a referee, as gogui-twogtp does it: every move is legal to GNU Go, and so is the score."""
    with (
        subprocess.Popen(shlex.split(gnu_go()), stdin=-1, stdout=-1, text=True) as gnu,
        subprocess.Popen([*shlex.split(ARENA), "gtp", "alphabeta:1"], stdin=-1, stdout=-1, text=True) as ours,
    ):

        def order(program, command):
            program.stdin.write(command + "\n")
            program.stdin.flush()
            answer = program.stdout.readline()
            while (line := program.stdout.readline()).strip():
                answer += line
            assert answer.startswith("="), f"{command}: {answer}"
            return answer[1:].strip()

        for command in ("boardsize 5", "clear_board", "komi 3.5"):
            order(gnu, command), order(ours, command)
        passes, colour = 0, 0
        for _ in range(60):
            mover, other = ((gnu, ours), (ours, gnu))[colour]
            name = ("black", "white")[colour]
            move = order(mover, f"genmove {name}")
            passes = passes + 1 if move.lower() == "pass" else 0
            if passes == 2 or move.lower() == "resign":
                break
            order(other, f"play {name} {move}")
            colour = 1 - colour
        assert order(ours, "final_score")[:2] in ("B+", "W+")
        board = [line.split()[1:-1] for line in order(gnu, "showboard").splitlines() if line.strip()[:1].isdigit()]
        theirs = [[{"X": "X", "O": "O"}.get(cell, " ") for cell in row[:5]] for row in board]
        drawn = [line for line in order(ours, "showboard").splitlines() if line.strip()[:1].isdigit()]
        assert [[cell.strip(" []") or " " for cell in line.split("|")[1:-1]] for line in drawn] == theirs
        order(gnu, "quit"), order(ours, "quit")


@pytest.fixture
def run_gtp(capsys, monkeypatch):
    """Return the responses of `arena gtp` to these lines, one text per response."""

    def run(*lines, arguments="random"):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
        assert main(["gtp", *shlex.split(arguments)]) == 0
        return capsys.readouterr().out.split("\n\n")[:-1]

    return run


def test_commands_are_answered_as_the_protocol_says(run_gtp):
    exchange = {
        "protocol_version": "= 2",
        "name": "= Arena random",
        "12 known_command genmove": "=12 true",
        "known_command fly": "= false",
        "fly": "? unknown command",
        "3 fly # comment": "?3 unknown command",
        "boardsize 40": "? unacceptable size: go: size=40 is not between 1 and 19",
        "boardsize big": "? syntax error",
        "boardsize\t3": "=",
        "komi 400": "? unacceptable komi: go: komi=400.0 is not between -361 and 361",
        "komi 0.5": "=",
        "undo": "? cannot undo",
        "play black": "? syntax error",
        "play red A1": "? syntax error",
        "play b D1": "? syntax error",
        "play b B2": "=",
        "play white B2": "? illegal move",
        "7 play black b1": "=7",
        "showboard": "= \n    A   B   C\n  +---+---+---+\n3 |   |   |   |\n2 |   | X |   |\n"
        "1 |   |[X]|   |\n  +---+---+---+",
        "final_score": "= B+8.5",
        " undo ": "=",
        "komi 10": "=",
        "final_score ": "= W+1",
        "komi 9": "=",
        "final_score  ": "= 0",
        "play w pass": "=",
        "play b PASS": "=",
        "genmove w": "= pass",
        "play w A1": "? illegal move",
        "time_settings 60 10 1": "=",
        "time_left b 10 0": "=",
        "set_random_seed 5": "=",
        "genmove": "? syntax error",
        "clear_board": "=",
        "quit": "=",
        "name ": None,
    }
    answers = run_gtp("# a comment", "", *exchange)
    assert dict(zip(exchange, answers, strict=False)) == {key: answer for key, answer in exchange.items() if answer}


def test_the_seed_decides(run_gtp):
    lines = ["boardsize 9", *["clear_board", "genmove b", "genmove w", "genmove w"] * 2]
    assert run_gtp(*lines) == run_gtp(*lines) != run_gtp("set_random_seed 4", *lines)[1:]
    answers = run_gtp(*lines)
    assert answers[1:5] != answers[5:]
    assert run_gtp(*lines, arguments="random --game go:size=9 --seed 4") != answers


def test_an_agent_that_gives_up_resigns_and_one_that_fails_says_so(run_gtp, tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import json, sys\nfor line in sys.stdin:\n    told = json.loads(line)\n"
        "    if told['type'] == 'hello': print('{\"type\": \"ready\"}', flush=True)\n"
        "    if told['type'] == 'move': print(['{\"resign\": true}', 'oh'][told['seat']], flush=True)\n"
    )
    answers = run_gtp("genmove b", "genmove w", "play b E5", arguments=f"'cmd:{sys.executable} {bot}' --game go:size=5")
    assert answers[0] == "= resign"
    assert answers[1].startswith("? cmd:")
    assert "makes no move: crashed, ProgramError" in answers[1]
    assert answers[2] == "="


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "unknown agent 'nobody'"),
        (["random", "--game", "chess"], "--game chess: the Go Text Protocol is for go"),
        (["random", "--seed", "-1"], "--seed -1 is not at least 0"),
        (["uci:cat"], "uci: engines play chess, not go"),
        ([], "AGENT missing"),
    ],
)
def test_wrong_input_is_refused(arguments, message, capsys):
    assert main(["gtp", *arguments]) == 2
    assert message in capsys.readouterr().err
