"""The zoo that comes with the package: every game has a card, a champion and, where they make sense, levels."""

import hashlib
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from arena.base.errors import CheckpointError, UsageError
from arena.policy.registry import GAMES, make_agent, make_game
from arena.policy.snapshots import read_config
from arena.policy.zoo.adding import add_entry, check_files, files_of
from arena.policy.zoo.card import NUM_LEVELS, SOLVE, Figure, Level, Training, ZooCard, card_text, parse_card
from arena.policy.zoo.entries import card_of, entries, find_entry
from arena.policy.zoo.opponents import first_opponent
from tests.policy.test_checkpoint import saved

pytestmark = pytest.mark.full

WITHOUT_LEVELS = {"rock_paper_scissors", "matrix_game"}


@pytest.fixture(autouse=True)
def own_zoo(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_ZOO", str(tmp_path / "zoo"))
    return tmp_path / "zoo"


@pytest.mark.parametrize("name", GAMES.names())
def test_every_game_has_a_champion_that_plays_it(name):
    game = make_game(name)
    card = card_of(game)
    assert make_game(card.game).label == game.label
    assert len(card.why) > 10
    make_agent("champion", game).close()


@pytest.mark.parametrize("name", sorted({*GAMES.names()} - WITHOUT_LEVELS))
def test_levels_go_from_random_upwards(name):
    levels = card_of(make_game(name)).levels
    assert len(levels) == NUM_LEVELS
    assert levels[0].agent == "random"
    assert levels[-1].rating > levels[4].rating > levels[0].rating
    for level in levels:
        for error in (level.error, level.rating):
            assert abs(error) < 5000
    make_agent("level:2", make_game(name)).close()


def test_weights_are_small_and_have_the_hash_of_their_card():
    weights = [file for entry in entries().values() for file in entry.folder.glob("*.safetensors")]
    assert weights
    assert sum(file.stat().st_size for file in weights) < 8e6
    for file in weights:
        assert file.stat().st_size < 1e6
        assert hashlib.sha256(file.read_bytes()).hexdigest() == read_config(file.parent)["sha256"]


def test_trained_entries_say_how_they_were_trained():
    trained = [entry for entry in entries().values() if entry.trained]
    for entry in trained:
        training = entry.card.training
        assert training is not None, entry.name
        task, algorithm = training.command.split()[:2]
        config = read_config(entry.folder)
        assert make_game(task).name == make_game(entry.card.game).name == config["game"]
        assert dict(make_game(task).options) == config["options"]
        assert (config["config"]["solver"] if training.by == SOLVE else config["algorithm"]) == algorithm
        assert training.core_seconds > 0


def test_a_person_meets_a_level_and_without_levels_the_champion():
    assert first_opponent(make_game("tic_tac_toe")) == "level:3"
    assert first_opponent(make_game("rock_paper_scissors")) == "champion"
    assert first_opponent(make_game("hanabi")) == "champion", "who is no opponent there"
    assert first_opponent(make_game("go:size=9")) == "level:3", "searches play on any board"
    assert first_opponent(make_game("connect_four:rows=7,columns=7")) == "champion", "a network plays on its own board"


@pytest.mark.parametrize(
    ("game", "agent", "words"),
    [
        ("tic_tac_toe", "level:0", "levels go from 1 to 10"),
        ("tic_tac_toe", "level:11", "levels go from 1 to 10"),
        ("tic_tac_toe", "level:x", "give a level from 1 to 10"),
        ("tic_tac_toe", "level", "give a level from 1 to 10"),
        ("rock_paper_scissors", "level:3", "has no levels"),
        ("connect_four:rows=7", "level:3", "play connect_four only, not connect_four:rows=7"),
        ("tic_tac_toe", "champion:4", "takes no argument"),
        ("tic_tac_toe", "zoo:nobody", "unknown entry of the zoo 'nobody'"),
        ("tic_tac_toe", "zoo:tic_tac_toe", "has no weights"),
        ("tic_tac_toe", "zoo:connect_four", "plays connect_four.* not tic_tac_toe"),
    ],
)
def test_what_is_not_there_is_refused_in_one_line(game, agent, words):
    with pytest.raises(UsageError, match=words) as refused:
        make_agent(agent, make_game(game))
    assert "\n" not in str(refused.value)


FULL = ZooCard(
    "hex:size=5",
    "zoo:mine",
    'quotes " and\nlines',
    levels=tuple(Level("random", float(number), 1.5) for number in range(NUM_LEVELS)),
    figures=(Figure("zoo:mine", "random", 0.9, 0.8, 0.95, 40, 1, "random:4", 2.5, "2026-01-01"),),
    training=Training("hex:size=5 alphazero", 100, "2026-01-01"),
)


def test_a_card_is_read_as_it_was_written():
    assert parse_card(card_text(FULL).encode(), "x") == FULL
    assert tomllib.loads(card_text(replace(FULL, levels=()))).get("levels") is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"game = ",
        b'game = 3\nchampion = "a"\nwhy = "b"',
        b'game = "hex"\nchampion = "a"\nwhy = "b"\nodd = 1',
        b'game = "hex"\nchampion = "a"\nwhy = "b"\n[[levels]]\nagent = "random"\nrating = 0.0\nerror = 1.0',
        b'game = "hex"\nchampion = "a"\nwhy = "b"\nscale = "glicko"',
    ],
)
def test_nonsense_is_no_card(content):
    with pytest.raises(CheckpointError, match=r"^x is no card of the zoo") as refused:
        parse_card(content, "x")
    assert "\n" not in str(refused.value)


def test_an_added_agent_plays_in_half_precision_and_a_search_is_guided_by_it(tmp_path):
    game, policy = saved(tmp_path / "c")
    files = files_of(tmp_path / "c", ZooCard("connect_four", "zoo:mine", "a test"))
    assert len(files["weights.safetensors"]) < 0.6 * (tmp_path / "c" / "weights.safetensors").stat().st_size
    assert check_files(files, "here").game == "connect_four"
    entry = add_entry("mine", files)
    assert find_entry("mine") == entry
    loaded = make_agent("zoo:mine", game)
    for name, tensor in policy.state_dict().items():
        assert loaded.state_dict()[name].numpy() == pytest.approx(tensor.numpy(), rel=1e-3, abs=1e-6)
    make_agent("zoo:mine:16", game).close()
    with pytest.raises(UsageError, match="has an entry 'mine' already"):
        add_entry("mine", files)


@pytest.mark.parametrize(
    ("file", "change", "words"),
    [
        ("weights.safetensors", lambda content: content[:-1] + bytes([content[-1] ^ 1]), "does not have the hash"),
        ("config.json", lambda content: b"nonsense", "config.json cannot be read"),
        ("config.json", lambda content: b"[]", "is not a checkpoint"),
        ("card.toml", lambda content: content.replace(b"connect_four", b"tic_tac_toe"), "plays connect_four"),
    ],
)
def test_files_that_do_not_fit_each_other_are_refused(tmp_path, file, change, words):
    saved(tmp_path / "c")
    files = files_of(tmp_path / "c", ZooCard("connect_four", "zoo:mine", "a test"))
    with pytest.raises(CheckpointError, match=words) as refused:
        check_files(files | {file: change(files[file])}, "there")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "x" * 65, "othello"])
def test_names_that_are_none_or_taken_are_refused(tmp_path, name, own_zoo):
    with pytest.raises(UsageError):
        add_entry(name, {})
    assert not own_zoo.exists() or not list(own_zoo.iterdir())


def test_weights_that_were_changed_on_disk_do_not_play(tmp_path):
    game, _ = saved(tmp_path / "c")
    entry = add_entry("mine", files_of(tmp_path / "c", ZooCard("connect_four", "zoo:mine", "a test")))
    file: Path = entry.folder / "weights.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(CheckpointError, match="has changed: its hash differs"):
        make_agent("zoo:mine", game)
