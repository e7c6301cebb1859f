"""What a league knows of itself is kept in a file, and read back, or refused in a line."""

import json

import pytest

from arena.base.errors import CheckpointError
from arena.training.league.payoff import Payoff
from arena.training.league.records import LEAGUE, League, Learner, Member, Rated, read_league, write_league


def member(name: str, parent: str | None = None, learner: str = "main") -> Member:
    return Member(name, "main", learner, int(name[-4:]), 100, parent, f"snapshot-{name[-4:]}", "ab12")


def league() -> League:
    found = League("tic_tac_toe", {"m": 3}, "ppo", ["random"], [Learner("main", "main", turns=2, step=40)])
    found.members = [member("main-0001"), member("main-0002", "main-0001"), member("main-0003", "main-0002")]
    found.training = Payoff()
    found.training.add("main", "main-0001", 1, 2, 3)
    found.evaluation.add("main-0001", "random", 9, 1, 0)
    found.ratings = {"random": (0.0, 0.0), "main-0001": (381.5, 120.25)}
    found.history = [Rated(40, "main", "main-0001", 381.5, 120.25)]
    found.next_opponents = {"main": {"main": 0.8, "main-0001": 0.2}}
    return found


def test_it_reads_as_it_was_written(tmp_path):
    write_league(tmp_path, league())
    assert read_league(tmp_path) == league()
    assert [path.name for path in tmp_path.iterdir()] == [LEAGUE]


def test_who_comes_from_whom():
    found = league()
    assert found.lineage("main-0003") == ["main-0003", "main-0002", "main-0001"]
    assert found.lineage("main-0001") == ["main-0001"]
    assert [each.name for each in found.members_of("main")] == ["main-0001", "main-0002", "main-0003"]
    assert found.members_of(["main-exploiter"]) == []
    assert found.member("main-0002").parent == "main-0001"
    with pytest.raises(KeyError):
        found.member("main-0009")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("members"),
        lambda data: data.update(format=99),
        lambda data: data["members"][0].pop("sha256"),
        lambda data: data["learners"][0].update(role="king"),
        lambda data: data["training"]["main"]["main-0001"].update(recent=[1]),
        lambda data: data.update(ratings=[]),
    ],
)
def test_what_is_no_league_is_refused_in_a_line(spoil, tmp_path):
    data = league().to_json()
    spoil(data)
    (tmp_path / LEAGUE).write_text(json.dumps(data))
    with pytest.raises(CheckpointError, match="is not the file of a league") as refusal:
        read_league(tmp_path)
    assert "\n" not in str(refusal.value)


def test_a_folder_without_a_league_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="it has no league"):
        read_league(tmp_path)
    (tmp_path / LEAGUE).write_text("{")
    with pytest.raises(CheckpointError, match="is not the file of a league"):
        read_league(tmp_path)
