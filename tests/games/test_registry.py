"""Games are found by name with their options, and a wrong word gets one line that says what would be right."""

from importlib.metadata import entry_points

import pytest

import games
from games.engine.errors import UnknownNameError, UsageError
from games.engine.registry import GAMES, Registry, make_game

KNOWN = ", ".join(GAMES.names())


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("conect_four", "unknown game 'conect_four'; did you mean 'connect_four'?"),
        ("qwfpz", f"unknown game 'qwfpz'; known: {KNOWN}"),
        ("", f"unknown game ''; known: {KNOWN}"),
        ("connect_four:row=5", "unknown option of connect_four 'row'; did you mean 'rows'?"),
        ("connect_four:rows", "connect_four: option 'rows' is not of the form name=value"),
        ("connect_four:rows=six", "connect_four: option rows='six' is not a whole number"),
        ("connect_four:rows=5.5", "connect_four: option rows='5.5' is not a whole number"),
        ("connect_four:rows=5,rows=6", "connect_four: option rows is given twice"),
        ("connect_four:rows=0", "connect_four: rows=0 is not between 1 and 20"),
        ("connect_four:columns=-7", "connect_four: columns=-7 is not between 1 and 20"),
        ("connect_four:columns=21", "connect_four: columns=21 is not between 1 and 20"),
        ("connect_four:k=8", "connect_four: k=8 is not between 1 and the longer side, 7"),
        ("connect_four:k=0", "connect_four: k=0 is not between 1 and the longer side, 7"),
        ("tic_tac_toe:m=0", "tic_tac_toe: m=0 is not between 1 and 20"),
        ("tic_tac_toe:n=21", "tic_tac_toe: n=21 is not between 1 and 20"),
        ("tic_tac_toe:m=4,n=5,k=6", "tic_tac_toe: k=6 is not between 1 and the longer side, 5"),
    ],
)
def test_what_cannot_be_made(spec, message):
    with pytest.raises(UsageError) as caught:
        make_game(spec)
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [3.0, "3", None, True, [3]])
def test_an_option_is_a_whole_number(value):
    with pytest.raises(UsageError, match=r"tic_tac_toe: option m=.* is not a whole number"):
        make_game("tic_tac_toe", m=value)


def test_options_follow_the_name_or_stand_as_keywords():
    assert make_game("tic_tac_toe:m=6,n=5", k=4).label == "tic_tac_toe(m=6, n=5, k=4)"
    assert make_game("tic_tac_toe").label == "tic_tac_toe(m=3, n=3, k=3)"
    with pytest.raises(UsageError, match="option m is given twice"):
        make_game("tic_tac_toe:m=6", m=5)


def test_constructors_refuse_the_same():
    with pytest.raises(UsageError, match="rows=0"):
        games.connect_four.env(rows=0)
    with pytest.raises(AttributeError, match="no attribute 'qwfpz'"):
        _ = games.qwfpz


def test_every_name_of_this_distribution_is_registered_and_loads():
    assert set(games.GAMES) <= set(GAMES.names())
    assert all(games.make(name).name == name for name in games.GAMES)
    assert games.make("connect_four") is games.make("connect_four")


def test_one_name_for_two_things_is_a_mistake(monkeypatch):
    class Point:
        def __init__(self, mapping):
            self.load = lambda: mapping

    points = [Point({"nim": "a:game"}), Point({"nim": "b:game"})]
    monkeypatch.setattr("games.engine.registry.entry_points", lambda group: points)
    with pytest.raises(UsageError, match="'nim' is registered as 'a:game' and as 'b:game'"):
        Registry("some.group", "game").names()
    monkeypatch.setattr("games.engine.registry.entry_points", lambda group: points[:1] * 2)
    assert Registry("some.group", "game").names() == ["nim"]


class Broken:
    """An entry point of a package that cannot be imported."""

    value = "broken:GAMES"

    def load(self):
        raise ImportError("no module named broken")


def test_a_package_that_cannot_be_imported_takes_nothing_else_away(monkeypatch):
    monkeypatch.setattr("games.engine.registry.entry_points", lambda group: [Broken(), *entry_points(group=group)])
    games_there = Registry("arena.games", "game")
    with pytest.warns(UserWarning, match="games of broken:GAMES are missing, .* no module named broken"):
        assert "nim" not in games_there.names()
    assert games_there.load("connect_four")


def test_what_a_package_raises_is_told_as_its_own(monkeypatch, tmp_path):
    (tmp_path / "strange.py").write_text("def game():\n    return 1 / 0\n")
    (tmp_path / "stranger.py").write_text("import qwfpz\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = GAMES.references | {"strange": "strange:game", "stranger": "stranger:game", "none": "strange:none"}
    monkeypatch.setattr(GAMES, "references", found)
    with pytest.raises(UsageError, match=r"^game 'strange' cannot be described: ZeroDivisionError: ") as caught:
        make_game("strange")
    assert "strange.py" in caught.value.__notes__[0]
    with pytest.raises(UsageError, match=r"^game 'stranger' \(stranger\): ModuleNotFoundError: No module named"):
        make_game("stranger")
    with pytest.raises(UsageError, match=r"^game 'none' \(strange\): AttributeError: "):
        make_game("none")


def test_unknown_names():
    assert str(UnknownNameError("agent", "x", [])) == "unknown agent 'x'; known: none"
