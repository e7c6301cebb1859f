"""`cmd:` agents: the page's own example, what a program is told, and all that it can do wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from itertools import pairwise

import numpy as np
import pytest

import games
from arena.base.errors import UsageError
from arena.match.batch import Pairing, play_matches
from arena.match.contained import ContainedPolicy
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.verdict import Reason
from arena.policy.registry import make_agent
from tests.agents.outside.programs import bot, page_example
from tests.match.players import Lowest

pytestmark = pytest.mark.full  # programs are started

TIC_TAC_TOE = games.make("tic_tac_toe")


def against_lowest(spec, game=TIC_TAC_TOE, count=1):
    """Records of matches, one after the other, between an agent, which begins, and one that plays the lowest action."""
    with closing(make_agent(spec, game)) as agent:
        players = [("bot", agent), ("low", Lowest())]
        return [play_matches(game, players, [Pairing((0, 1), seed)], seed)[0] for seed in range(count)]


@pytest.mark.parametrize("name", ["connect_four", "chess", "backgammon", "leduc_poker", "goofspiel", "hanabi"])
def test_the_example_of_the_page_plays_any_game(tmp_path, name):
    game = games.make(name)
    with closing(make_agent(page_example(tmp_path), game)) as agent:
        seating = (0,) + (1,) * (game.num_players - 1)
        pairings = [Pairing(seating, seed=1), Pairing(seating[::-1], seed=2), Pairing((0,) * len(seating))]
        records = play_matches(game, [("bot", agent), ("low", Lowest())], pairings, seed=3)
    assert [(record.verdict.reason, record.verdict.detail) for record in records] == [(Reason.FINISHED, "")] * 3


def test_the_same_seed_gives_the_same_games(tmp_path):
    game, spec = games.make("connect_four"), page_example(tmp_path)

    def lines(seed):
        with closing(make_agent(spec, game)) as agent:
            play_matches(game, [("bot", agent)], [Pairing((0, 0))], seed=9)  # what was before does not matter
            return [r.actions for r in play_matches(game, [("bot", agent)], [Pairing((0, 0))] * 3, seed=seed)]

    assert lines(1) == lines(1) != lines(2)
    assert len(set(lines(1))) == 3


def test_a_program_is_told_where_the_game_began(tmp_path):
    log, game, start = tmp_path / "log", games.make("chess"), "8/8/8/4k3/8/4K3/4P3/8 b - - 3 40"
    spec = bot(tmp_path, f'print(line, end="", file=open({str(log)!r}, "a"))\nreturn {{"action": message["legal"][0]}}')
    with closing(make_agent(spec, game)) as agent:
        play_matches(game, [("bot", agent)], [Pairing((0, 0), 1, start), Pairing((0, 0), 2)])
    told = list(map(json.loads, log.read_text().splitlines()))
    assert {message["start"] for message in told if message["game_id"] == 1} == {start}
    assert {message["start"] for message in told if message["game_id"] == 2} == {None}
    assert (told[0]["moves"], told[0]["position"]) == ([], start)


def test_a_program_is_told_all_that_it_needs(tmp_path):
    log = tmp_path / "log"
    game = games.make("connect_four:rows=4,columns=5,k=3")
    spec = bot(
        tmp_path, f'print(line, end="", file=open({str(log)!r}, "a"))\nreturn {{"action": message["notation"][-1]}}'
    )
    record = against_lowest(spec, game)[0]
    assert record.actions == (4, 0, 4, 0, 4)
    first, _, last = map(json.loads, log.read_text().splitlines())
    assert (first["game_id"], first["seat"], first["moves"]) == (1, 0, [])
    assert (last["game_id"], last["legal"], last["moves"]) == (1, [0, 1, 2, 3, 4], [4, 0, 4, 0])
    assert last["notation"] == [game.action_text(game.initial, action) for action in range(5)]
    assert last["moves_notation"] == [last["notation"][move] for move in last["moves"]]
    assert np.array(last["observation"]).shape == game.observation_shape
    assert np.array(last["observation"])[..., 0].sum() == 2
    assert (last["position"], last["seconds_left"], last["game_seconds_left"]) == (None, None, None)
    assert last["board"].count("●") == last["board"].count("○") == 2


@pytest.mark.parametrize(
    ("limits", "clocks"),
    [
        (Limits(time_per_move="200s"), ("move", None)),
        (Limits(time_per_game="300s"), ("game", "game")),
        (Limits(time_per_move="299900ms", time_per_game="300s"), ("both", "game")),
    ],
)
def test_a_program_is_told_its_time(tmp_path, limits, clocks):
    log = tmp_path / "log"
    slow = f'print(line, end="", file=open({str(log)!r}, "a"))\ntime.sleep(0.2)\n'
    spec = bot(tmp_path, slow + 'return {"action": message["legal"][-1]}')
    with closing(ContainedPolicy(spec, TIC_TAC_TOE, limits)) as agent:
        match = Match(TIC_TAC_TOE, [("bot", agent), ("low", Lowest())], limits=limits)
        while not match.over:
            match.advance()
    assert match.record().actions == (8, 0, 7, 1, 6)
    warm_up, *told = [json.loads(line) for line in log.read_text().splitlines()]
    assert (warm_up["seconds_left"], warm_up["game_seconds_left"]) == (None, None)
    games = [message["game_seconds_left"] for message in told]
    if clocks[1] is None:
        assert games == [None] * 3
    else:
        assert games[0] == 300
        assert all(after <= before - 0.2 for before, after in pairwise(games))
    moves = {"move": [200] * 3, "game": games, "both": [299.9, *games[1:]]}[clocks[0]]
    assert [message["seconds_left"] for message in told] == pytest.approx(moves)


def test_chess_is_told_as_fen_and_moves_are_read_in_notation(tmp_path):
    log = tmp_path / "log"
    answer = f'print(message["position"], file=open({str(log)!r}, "a"))\nreturn {{"action": "e2e4", "value": 0.5}}'
    game = games.make("chess")
    with closing(make_agent(bot(tmp_path, answer), game)) as agent:
        match = Match(game, [("bot", agent), ("low", Lowest())])
        answered = match.advance()
    assert log.read_text().strip() == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert game.action_text(game.initial, match.actions[0]) == "e4"
    assert (answered.value, answered.probs) == (0.5, None)


def test_what_others_hold_is_not_shown(tmp_path):
    log = tmp_path / "log"
    game = games.make("leduc_poker")
    answer = f'print(json.dumps(message), file=open({str(log)!r}, "a"))\nreturn {{"action": message["legal"][-1]}}'
    against_lowest(bot(tmp_path, answer), game, count=20)
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert {message["moves"] for message in told} == {None}
    hands = {message["board"].splitlines()[2 + message["seat"]] for message in told}
    others = {message["board"].splitlines()[3 - message["seat"]].split("│")[1] for message in told}
    assert len(hands) >= 3
    assert len(others) == 1


def test_probabilities_are_passed_on(tmp_path):
    with closing(
        make_agent(bot(tmp_path, 'return {"action": 3, "probs": [0.25] * 4 + [0] * 5}'), TIC_TAC_TOE)
    ) as agent:
        answered = Match(TIC_TAC_TOE, [("bot", agent), ("low", Lowest())]).advance()
    assert answered.action == 3
    assert answered.probs is not None
    assert answered.probs.tolist() == [0.25] * 4 + [0] * 5


@pytest.mark.parametrize(
    ("answer", "reason", "detail"),
    [
        ('return {"resign": True}', Reason.RESIGNED, ""),
        ('return {"action": 9}', Reason.ILLEGAL, "action 9"),
        ('return {"action": -2}', Reason.ILLEGAL, "action -1"),
        ('return {"action": "z9"}', Reason.CRASHED, "ProgramError: python[^ ]* answered 'z9': .*"),
        ('return {"action": True}', Reason.CRASHED, "ProgramError: python[^ ]* named no action in .*"),
        ("return [1]", Reason.CRASHED, r"ProgramError: python[^ ]* said '\[1\]', which is not a JSON object; .*"),
        ('print("hm"); return {"action": 0}', Reason.CRASHED, "ProgramError: python[^ ]* said 'hm', which is not .*"),
        ('return {"action": 0, "value": "good"}', Reason.CRASHED, "ProgramError: .* value 'good', .* not a number"),
        (
            'return {"action": 0, "probs": [1]}',
            Reason.CRASHED,
            "ProgramError: .* probs that are not a list of 9 numbers",
        ),
        ("sys.exit(3)", Reason.CRASHED, "ProgramError: python[^ ]* ended with status 3"),
        ("os.kill(os.getpid(), 11)", Reason.CRASHED, "ProgramError: python[^ ]* was killed by SIGSEGV"),
        ("os.close(1); time.sleep(99)", Reason.CRASHED, "ProgramError: .* closed its input or output, and was killed"),
        ('raise KeyError("lost")', Reason.CRASHED, "ProgramError: .* ended with status 1; it said: KeyError: 'lost'"),
        ('while True: print("x" * 9999, end="")', Reason.CRASHED, "ProgramError: .* said more than 1000000 bytes .*"),
        ('print("[" * 99999); return {}', Reason.CRASHED, "ProgramError: .* which is not a JSON object; .*"),
    ],
)
def test_a_fault_loses_the_game_and_the_program_is_started_again(tmp_path, answer, reason, detail):
    mark = tmp_path / "mark"  # the first program that is asked leaves it, and is the only one to do wrong
    answer = f"if not os.path.exists({str(mark)!r}):\n    open({str(mark)!r}, 'w')\n    {answer}\n"
    bad, good = against_lowest(bot(tmp_path, answer + 'return {"action": message["legal"][-1]}'), count=2)
    assert (bad.verdict.reason, bad.verdict.offender, bad.actions) == (reason, 0, ())
    assert bad.verdict.detail == detail or re.fullmatch(detail, bad.verdict.detail)
    assert (good.verdict.reason, good.actions[0]) == (Reason.FINISHED, 8)


def test_floods_of_complaints_are_read_and_forgotten(tmp_path):
    flood = 'for _ in range(20000): print("." * 500, file=sys.stderr)\n'
    record = against_lowest(bot(tmp_path, flood + 'return {"action": message["legal"][0]}'))[0]
    assert record.verdict.reason is Reason.FINISHED


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("sys.exit('no licence')", "cmd: python[^ ]* ended with status 1; it said: no licence"),
        ('print("welcome", flush=True)', "cmd: python[^ ]* said 'welcome', which is not a JSON object"),
        ('hello = lambda m: {"type": "refuse", "reason": "only go"}', "does not answer hello with ready: only go"),
        ('hello = lambda m: {"type": "move"}', 'does not answer hello with ready, but {"type": "move"}'),
    ],
)
def test_a_program_that_is_not_ready_is_refused(tmp_path, more, message):
    with pytest.raises(UsageError, match=message):
        make_agent(bot(tmp_path, more=more), TIC_TAC_TOE)


def test_a_program_that_says_nothing_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("agents.outside.command.START_LIMIT_S", 0.3)
    with pytest.raises(UsageError, match=r"cmd: python[^ ]* said nothing for 0\.3 s"):
        make_agent(bot(tmp_path, more="time.sleep(99)"), TIC_TAC_TOE)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cmd", "cmd needs a command, as in cmd:./my-bot"),
        ("cmd:./nobody --level 3", "cmd: ./nobody is not a program found here"),
        ("cmd:/etc/passwd", "cmd: /etc/passwd may not be executed"),
        ("cmd:'open", "cmd:'open: No closing quotation"),
    ],
)
def test_what_is_no_command_is_refused(spec, message):
    with pytest.raises(UsageError, match=message):
        make_agent(spec, TIC_TAC_TOE)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def family(tmp_path, then=""):
    """A bot that has started a program of its own, which would sleep on; and where it writes their ids."""
    pids = tmp_path / "pids"
    more = (
        f"child = subprocess.Popen(['sleep', '600'])\nopen({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')"
    )
    return bot(tmp_path, more=f"{more}\n{then}"), pids


def test_closing_ends_the_program_and_what_it_has_started(tmp_path):
    spec, pids = family(tmp_path)
    agent = make_agent(spec, TIC_TAC_TOE)
    running = [int(pid) for pid in pids.read_text().split()]
    assert all(map(is_running, running))
    agent.close()
    agent.close()
    wait_for(lambda: not any(map(is_running, running)))


def test_what_an_ended_program_has_left_ends_with_the_process_that_held_it(tmp_path):
    spec, pids = family(tmp_path, then="import threading\nthreading.Timer(0.5, os._exit, (0,)).start()")
    code = "import time; from arena.policy.registry import make_agent, make_game\n"
    code += f"agent = make_agent({spec!r}, make_game('tic_tac_toe')); print('made', flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"made\n"
        program, left = (int(pid) for pid in pids.read_text().split())
        wait_for(lambda: not is_running(program))
        assert is_running(left)
        holder.kill()
    wait_for(lambda: not is_running(left))


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, "forgotten", "exit"])
def test_programs_end_with_the_process_that_holds_them(tmp_path, end):
    """The bot itself ends by the end of its input, perhaps before its guard knows; what it has started does not."""
    spec, pids = family(tmp_path)
    last = {"forgotten": "del agent; time.sleep(600)", "exit": "sys.exit()"}.get(end, "time.sleep(600)")
    code = "import sys, time; from arena.policy.registry import make_agent, make_game\n"
    code += f"agent = make_agent({spec!r}, make_game('tic_tac_toe')); print('made', flush=True); {last}"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"made\n"
        running = [int(pid) for pid in pids.read_text().split()]
        if isinstance(end, signal.Signals):
            assert all(map(is_running, running))
            os.kill(holder.pid, end)
        wait_for(lambda: not any(map(is_running, running)))
        holder.kill()
