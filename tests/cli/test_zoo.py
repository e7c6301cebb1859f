"""`arena zoo`: listing, measuring again, adding, and fetching from a server that may answer anything."""

import hashlib
import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from arena.cli.main import main
from arena.policy.registry import GAMES, make_agent, make_game
from arena.policy.zoo.adding import files_of
from arena.policy.zoo.card import ZooCard
from arena.policy.zoo.entries import entries, find_entry
from tests.policy.test_checkpoint import saved

pytestmark = pytest.mark.full


@pytest.fixture(autouse=True)
def own_zoo(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_ZOO", str(tmp_path / "zoo"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "zoo"


@pytest.fixture
def served(tmp_path):
    """A folder `theirs` with a whole entry, and the address of a server of it."""
    folder = tmp_path / "served" / "theirs"
    folder.mkdir(parents=True)
    saved(tmp_path / "c", spec="tic_tac_toe")
    for name, content in files_of(tmp_path / "c", ZooCard("tic_tac_toe", "zoo:theirs", "a test")).items():
        (folder / name).write_bytes(content)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder.parent)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}/theirs"
    server.shutdown()
    server.server_close()
    thread.join()


def refused(capsys, *words):
    """The line in which a command is refused."""
    assert main(["zoo", *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("arena: ")
    assert error.count("\n") == 1
    return error


def test_all_games_are_listed(capsys):
    assert main(["zoo", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows.keys() >= {*GAMES.names()}
    assert rows["othello"]["bytes"] > 0
    assert main(["zoo"]) == 0
    assert "connect_four" in capsys.readouterr().out


def test_what_is_trained_here_stands_beside_them_and_is_measured_again(tmp_path, capsys):
    saved(tmp_path / "c", spec="tic_tac_toe")
    assert main(["zoo", "add", "c", "--name", "mine"]) == 0
    assert "arena play tic_tac_toe:m=3,n=3,k=3 zoo:mine" in capsys.readouterr().out
    figure = find_entry("mine").card.main_figure
    assert (figure.agent, figure.against, figure.games) == ("zoo:mine", "random", 200)
    assert figure.low < figure.score < figure.high
    (tmp_path / "mine").mkdir()  # which is not what zoo:mine names
    assert main(["zoo", "verify", "mine"]) == 0
    assert "intervals overlap" in capsys.readouterr().out
    assert main(["tournament", "tic_tac_toe", "zoo:mine", "random", "--games", "4", "--out", "t"]) == 0
    assert "has an entry 'mine' already" in refused(capsys, "add", "c", "--name", "mine")


def test_a_figure_that_is_not_reached_again_is_said(tmp_path, capsys, own_zoo):
    saved(tmp_path / "c", spec="tic_tac_toe")
    assert main(["zoo", "add", "c", "--name", "mine", "--against", "perfect"]) == 0
    card = own_zoo / "mine" / "card.toml"
    text = card.read_text()
    figure = find_entry("mine").card.main_figure
    text = text.replace(f"low = {figure.low}", "low = 0.98").replace(f"high = {figure.high}", "high = 1.0")
    card.write_text(text)
    capsys.readouterr()
    assert main(["zoo", "verify", "mine"]) == 1
    assert "do not overlap" in capsys.readouterr().out


def test_an_entry_is_fetched_and_plays(served, capsys):
    folder, address = served
    digest = hashlib.sha256((folder / "weights.safetensors").read_bytes()).hexdigest()
    assert main(["zoo", "get", address, "--sha256", digest.upper()]) == 0
    assert main(["tournament", "tic_tac_toe", "zoo:theirs", "random", "--games", "4", "--out", "t"]) == 0


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("weights.safetensors", b"\0" * 100, "does not have the hash"),
        ("weights.safetensors", b"\0" * (2**24 + 1), "more than the 16,777,216 bytes allowed"),
        ("card.toml", b"x" * (2**16 + 1), "more than the 65,536 bytes allowed"),
        ("card.toml", b"<html>not found</html>", "is no card of the zoo"),
        ("config.json", b"{", "config.json cannot be read"),
        ("config.json", None, "the server answers 404"),
    ],
)
def test_what_does_not_fit_is_not_kept(served, capsys, own_zoo, file, content, words):
    folder, address = served
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_bytes(content)
    assert words in refused(capsys, "get", address)
    assert not own_zoo.exists() or not list(own_zoo.iterdir())
    assert "theirs" not in entries()


def test_another_hash_than_the_one_named_is_refused(served, capsys, own_zoo):
    assert "does not have the hash --sha256 00ff" in refused(capsys, "get", served[1], "--sha256", "00ff")
    assert not own_zoo.exists()


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["get", "file:///etc/passwd", "--name", "x"], "is not the address of an entry's folder"),
        (["get", "http://127.0.0.1:9/x"], "cannot be fetched"),
        (["get", "http://127.0.0.1:9/othello"], "has an entry 'othello' already"),
        (["get"], "needs an address"),
        (["add", "nowhere"], "no checkpoint at nowhere"),
        (["add", "nowhere", "--name", "../x"], "is no name of an entry"),
        (["verify", "nobody"], "unknown entry of the zoo 'nobody'"),
        (["train", "tic_tac_toe"], "its card has no recipe"),
        (["list", "othello"], "takes no name"),
    ],
)
def test_wrong_words_are_refused_in_one_line(capsys, words, answer):
    assert answer in refused(capsys, *words)


def test_the_levels_of_a_game_are_listed_with_their_strength(capsys):
    assert main(["agents", "--game", "tic_tac_toe", "--json"]) == 0
    agents = json.loads(capsys.readouterr().out)["agents"]
    assert [row["agent"] for row in agents] == [*(f"level:{number}" for number in range(1, 11)), "champion"]
    assert agents[0]["rating"] == 0
    assert main(["agents", "--game", "tic_tac_toe:players=3"]) == 0  # not what the champion of the usual game is
    assert "champion: perfect plays tic_tac_toe alone" in capsys.readouterr().out
    assert main(["agents", "--game", "rock_paper_scissors"]) == 0
    assert "champion" in capsys.readouterr().out


def add_with_recipe(folder, own_zoo, spec, command, more=""):
    """Put an agent of a game into the zoo as `mine`, with a recipe; `more` are lines of its training."""
    saved(folder / "c", spec=spec)
    assert main(["zoo", "add", "c", "--name", "mine"]) == 0
    with open(own_zoo / "mine" / "card.toml", "a") as card:
        card.write(f'\n[training]\ncommand = "{command}"\ncore_seconds = 1\ndate = "2026-01-01"\n{more}')


def test_a_recipe_is_trained_again(tmp_path, capsys, own_zoo):
    command = "tic_tac_toe ppo --steps 2000 --boards 8 --snapshots 1 --threads 1 --evaluation-games 2"
    add_with_recipe(tmp_path, own_zoo, "tic_tac_toe", command)
    assert main(["zoo", "train", "mine", "--out", "again"]) == 0
    assert (tmp_path / "again" / "snapshot-0001").is_dir()
    with open(own_zoo / "mine" / "card.toml", "a") as card:
        card.write('by = "watch"\n')
    capsys.readouterr()
    assert "a training is by 'train' or 'solve', not by 'watch'" in refused(capsys, "train", "mine")


def test_a_recipe_is_solved_again(tmp_path, capsys, own_zoo):
    add_with_recipe(tmp_path, own_zoo, "kuhn_poker", "kuhn_poker cfr+ --iterations 2", 'by = "solve"\n')
    capsys.readouterr()
    assert main(["zoo", "train", "mine", "--out", "again"]) == 0
    assert capsys.readouterr().out.startswith("arena solve kuhn_poker cfr+ --iterations 2 --out again\n")
    assert make_agent("tabular:again", make_game("kuhn_poker")).needs_state
    assert "'tabular' plays but does not learn" in refused(capsys, "add", "again")
