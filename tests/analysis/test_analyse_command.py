"""`arena analyse` as it is typed."""

import json
import re
from itertools import count

import pytest

from arena.cli.main import main
from tests.agents.outside.endpoints import first_move, said, serving

pytestmark = pytest.mark.full


def test_a_table_and_a_picture(capsys, tmp_path):
    picture = tmp_path / "a.png"
    assert main(f"analyse tic_tac_toe one-ply perfect --positions 40 --plot {picture}".split()) == 0
    text = capsys.readouterr().out
    assert "moves that keep the value, by perfect" in text
    assert text.count("one-ply") > 2
    assert "100.0%" in text
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_json_and_the_seed(capsys):
    told = []
    for seed in (0, 0, 1):
        command = f"analyse othello:size=6 random --against alphabeta:2 --positions 30 --json --seed {seed}"
        assert main(command.split()) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1] != told[2]
    total = told[0]["agents"][0]["total"]
    assert total["positions"] == 30 == sum(phase["positions"] for phase in told[0]["agents"][0]["phases"])
    assert total["interval"][0] < total["share"] < total["interval"][1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("tic_tac_toe random --against one-ply", "one-ply reports no values of positions"),
        ("tic_tac_toe random --positions 0", "--positions 0 is not at least 1"),
        ("tic_tac_toe random --seed -1", "--seed -1 is not at least 0"),
        ("hex random", "perfect cannot solve hex"),
        ("kuhn_poker random", "nothing is hidden"),
        ("tic_tac_toe nobody", "unknown agent 'nobody'"),
        ("tic_tac_toe random --plot /nowhere/a.png", "there is no folder /nowhere"),
        ("tic_tac_toe random --plot a.svg", "the file name must end in .png"),
        ("tic_tac_toe random --positions 10 --plot /proc/a.png", "/proc/a.png cannot be written"),
    ],
)
def test_wrong_input_is_one_line(words, message, capsys):
    assert main(["analyse", *words.split()]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_failures_of_a_language_model_are_counted_by_kind(capsys):
    """Of 40 first answers 10 each name no move, are illegal and are cut off; a move comes after the illegal ones."""
    pytest.importorskip("httpx", reason="language models need httpx")
    numbers = count()

    def answer(body):
        if len(body["messages"]) > 2:  # once more, after a remark
            return first_move(body) if "not a legal move" in body["messages"][-1]["content"] else said("I do not know.")
        faults = (said("I do not know."), said("Final Answer: a9"), said("", finish="length"))
        return (*faults, first_move(body))[next(numbers) % 4]

    with serving(answer) as server:
        words = ["analyse", "tic_tac_toe", f"llm:{server.url},model=m,rethink=1,concurrency=1", "--positions", "40"]
        assert main(words) == 0
        table = capsys.readouterr().out
        assert main([*words, "--json"]) == 0
    assert "gave no legal move in 20 positions (20 unreadable); these count as moves that lose" in table
    (agent,) = json.loads(capsys.readouterr().out)["agents"]
    assert (agent["failures"], agent["failures_by_kind"]) == (20, {"unreadable": 20})
    answers = agent["answers"]
    assert [answers[name] for name in ("moves", "answers", "unreadable", "illegal", "truncated")] == [
        40,
        70,
        30,
        10,
        10,
    ]
    assert re.search(r"answers of .*unreadable +illegal +truncated", table)
    assert agent["total"]["kept"] <= 20
    assert sum(phase["positions"] for phase in agent["phases"]) == 40
