"""Gomocup's protocol, both ways; the exchanges are those of its page."""

import io
import shlex
import sys
from contextlib import closing

import pytest

import games
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.match.batch import Pairing, play_matches
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.registry import make_agent
from tests.agents.outside.programs import ARENA

pytestmark = pytest.mark.full  # programs are started

GOMOKU = games.make("gomoku", size=7)


@pytest.fixture
def brain(monkeypatch, capsys):
    def run(*commands, agent="alphabeta:1"):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{command}\r\n" for command in commands)))
        assert main(["piskvork", agent]) == 0
        return capsys.readouterr().out.splitlines()

    return run


def test_commands_are_answered_as_the_protocol_says(brain):
    answers = brain(
        "ABOUT", "TURN 1,1", "START 99", "START 7", "INFO timeout_turn 1000", "INFO folder /tmp", "TURN 3,3",
        "TAKEBACK 0,0", "RESTART", "FLY", "", "RECTSTART 7,8", "TURN 9,9", "END", "ABOUT",
    )  # fmt: skip
    assert answers[0].startswith('name="Arena alphabeta:1", version="')
    assert answers[1] == "ERROR START comes first"
    assert answers[2].startswith("ERROR gomoku: size=99")
    assert answers[3] == "OK"
    assert "," in answers[4]
    assert answers[5:] == [
        "ERROR 0,0 is not the last stone", "OK", "UNKNOWN FLY", "ERROR only square boards are played",
        "ERROR '9,9' is no point of a board of 7 x 7",
    ]  # fmt: skip


def test_a_board_is_set_up_for_either_side_and_won(brain):
    """Four of its own in a row, open at one end: it makes five there."""
    own = [f"{column},2,1" for column in range(4)]
    other = [f"{column},5,2" for column in (0, 2, 4, 6)]
    assert brain("START 7", "BOARD", *own, *other, "DONE")[1] == "4,2"
    assert brain("START 7", "BOARD", *own, *other, "1,6,2", "DONE")[1] == "4,2"
    answers = brain("START 7", "BOARD", *own, "DONE", "BOARD", "9,9,1", "BEGIN")
    assert answers[1] == "ERROR it is not our turn with 4 own stones and 0 others"
    assert answers[2].startswith("ERROR '9,9,1' is no point")
    assert "," in answers[3]


def test_stones_are_taken_back(brain):
    answers = brain("START 7", "TURN 0,0", agent="alphabeta:1")
    reply = answers[1]
    assert brain("START 7", "TURN 0,0", f"TAKEBACK {reply}", "TAKEBACK 0,0", "TURN 0,0")[2:] == ["OK", "OK", reply]


def test_the_rule_decides_whether_six_win(brain):
    """Five of one's own in two parts, which one stone joins to six."""
    stones = [f"{column},0,1" for column in (0, 1, 2, 4, 5)] + [f"{column},6,2" for column in (0, 2, 3, 5, 6)]
    assert brain("START 7", "BOARD", *stones, "DONE")[1] == "3,0"
    assert brain("START 7", "INFO rule 1", "BOARD", *stones, "DONE", agent="alphabeta:2")[1] != "3,0"


def test_both_ends_of_the_protocol_understand_each_other():
    with closing(make_agent(f"piskvork:{ARENA} piskvork random", GOMOKU)) as agent:
        players = [("program", agent), ("random", make_agent("random", GOMOKU))]
        records = play_matches(GOMOKU, players, [Pairing((0, 1), 1), Pairing((1, 0), 2), Pairing((0, 1), 3)], 5)
        match = Match(GOMOKU, [("program", agent)] * 2, limits=Limits(clock="5+0.1"))
        assert match.play_out().verdict.reason is Reason.FINISHED
    assert [record.verdict.reason for record in records] == [Reason.FINISHED] * 3


FAKE = """
import sys
answers = sys.argv[2:]
for line in sys.stdin:
    print(line.strip(), file=open(sys.argv[1], "a"))
    word = line.split()[0]
    if word == "START":
        print("MESSAGE hello")
        print(answers.pop(0), flush=True)
    elif word in ("BEGIN", "TURN", "DONE", "RESTART", "PLAY"):
        print(answers.pop(0), flush=True)
"""


def fake(folder, *answers):
    script, heard = folder / "brain.py", folder / "heard"
    script.write_text(FAKE)
    return f"piskvork:{shlex.join([sys.executable, str(script), str(heard), *answers])}", heard


def test_a_program_is_told_turns_boards_and_time(tmp_path):
    spec, heard = fake(tmp_path, "OK", "3,2", "SUGGEST 1,0", "1,0", "OK", "2,2")
    with closing(make_agent(spec, GOMOKU)) as agent:
        match = Match(GOMOKU, [("program", agent), ("", None)], limits=Limits(clock="60"))
        assert match.advance().action == 2 * 7 + 3
        match.play(0)
        assert match.advance().action == 1
        other = Match(GOMOKU, [("", None), ("program", agent)])
        other.play(8)
        other.advance()
    lines = heard.read_text().splitlines()
    told = [line for line in lines if not line.startswith("INFO t")]
    assert told == [
        "START 7", "INFO rule 0", "BEGIN", "TURN 0,0", "PLAY 1,0", "RESTART", "BOARD", "1,1,2", "DONE", "END",
    ]  # fmt: skip
    assert lines[2:5] == ["INFO timeout_turn 60000", "INFO timeout_match 60000", "INFO time_left 60000"]
    assert "INFO timeout_turn 1000" in lines


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        ("7,0", Reason.CRASHED, "answered '7,0', which is no point of the board"),
        ("ERROR no idea", Reason.CRASHED, "answered 'ERROR no idea', which is no point"),
        ("0,0", Reason.ILLEGAL, "action 0"),
    ],
)
def test_a_wrong_answer_loses_the_game(tmp_path, answer, reason, detail):
    spec, _ = fake(tmp_path, "OK", answer)
    with closing(make_agent(spec, GOMOKU)) as agent:
        match = Match(GOMOKU, [("", None), ("program", agent)])
        match.play(0)
        match.advance()
    assert match.verdict.reason is reason
    assert detail in match.verdict.detail


def test_what_is_no_program_of_the_protocol_is_refused(tmp_path):
    with pytest.raises(UsageError, match="piskvork: programs play gomoku, not go"):
        make_agent("piskvork:cat", games.make("go"))
    with pytest.raises(UsageError, match="piskvork: cat answered 'START 7' to START 7, not OK"):
        make_agent("piskvork:cat", GOMOKU)
    spec, _ = fake(tmp_path, "ERROR too small")
    with pytest.raises(UsageError, match="answered 'ERROR too small' to START 7, not OK"):
        make_agent(spec, GOMOKU)
