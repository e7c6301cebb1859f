"""`arena zoo`: the champions of the games, their cards and their weights, and agents that you put beside them."""

import hashlib
import json
import shlex
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from arena.base.errors import UsageError
from arena.base.files import read_bytes, reason
from arena.base.tables import Column, print_table
from arena.cli.agents import rating_words
from arena.policy.registry import learning_algorithm, make_game
from arena.policy.snapshots import find_snapshot, read_config
from arena.policy.zoo.card import CARD, SOLVE, Figure, ZooCard
from arena.policy.zoo.entries import ZooEntry, entries, find_entry

if TYPE_CHECKING:
    from games.engine.game import Game

GAMES = 200
"""Games by which an entry that is added is measured."""


@dataclass(frozen=True)
class Options:
    """List the champions of the games, measure or train one again, and put agents of your own beside them.

    list prints all entries. verify NAME plays the games of an entry's main figure again, from another seed, and says
    whether both agree. train NAME runs the training of an entry again. add DIR takes a trained agent (a run, a
    snapshot, or an entry) into your zoo, in half precision, and measures it; 'zoo:NAME' plays it from then on. get URL
    fetches an entry over HTTP: a folder with card.toml, config.json and weights.safetensors. Nothing of it is executed.
    """

    action: Annotated[Literal["list", "verify", "train", "add", "get"], tyro.conf.Positional] = "list"
    """What to do."""
    what: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME|DIR|URL", help_behavior_hint="")] = ""
    """Entry to verify or to train; folder to add; address to get."""
    name: str = ""
    """Name of the new entry (add, get); by default that of its folder."""
    against: str = "random"
    """Agent against which an agent is measured that is added."""
    sha256: str = ""
    """Hash that the weights must have (get); by default the one that comes with them."""
    out: Path | None = None
    """Folder of the run (train); by default runs/TASK-ALGO."""
    json: bool = False
    """Print JSON instead of a table (list)."""


def run(options: Options) -> int:
    """Do what is asked for."""
    if options.action == "list":
        return _list(options)
    if not options.what:
        raise UsageError(f"arena zoo {options.action} needs {NEEDED[options.action]}")
    return ACTIONS[options.action](options)


def _list(options: Options) -> int:
    if options.what:
        raise UsageError(f"arena zoo list takes no name, not {options.what!r}; 'arena zoo --json' says all of each")
    listed = {name: (entry, entry.card) for name, entry in sorted(entries().items())}
    if options.json:
        rows = [
            {"name": name, "own": entry.own, "bytes": _size(entry), "folder": str(entry.folder), **asdict(card)}
            for name, (entry, card) in listed.items()
        ]
        print(json.dumps(rows, indent=2))
        return 0
    columns = (
        Column("name"),
        Column("champion", least=20),
        Column("measured", least=24),
        Column("strongest level", rank=3),
        Column("KB", rank=4, right=True),
        Column("core-seconds", rank=5, right=True),
        Column("training", rank=6, least=30),
    )
    print_table(columns, [_cells(name, entry, card) for name, (entry, card) in listed.items()])
    return 0


def _cells(name: str, entry: ZooEntry, card: ZooCard) -> list[str]:
    figure = "" if card.main_figure is None else figure_words(card.main_figure)
    top = f"{card.scale} {rating_words(card.levels[-1], card.scale)}" if card.levels else ""
    training = card.training
    size = f"{_size(entry) / 1000:,.0f}" if entry.trained else ""
    trained = ("", "") if training is None else (training.compute, training.command)
    return [name, card.champion, figure, top, size, *trained]


def figure_words(figure: Figure) -> str:
    """Return a figure in words: what was scored against whom, with its interval."""
    if figure.by_return:
        whom = f" against {figure.against}" if figure.against else " a game, in a team of its own"
        return f"{figure.score:+.3f} ({figure.low:+.3f} to {figure.high:+.3f}){whom}, {figure.games} games"
    interval = f"{figure.low:.0%} to {figure.high:.0%}"
    return f"{figure.score:.1%} ({interval}) against {figure.against}, {figure.games} games"


def _size(entry: ZooEntry) -> int:
    return sum(file.stat().st_size for file in entry.folder.iterdir() if file.suffix == ".safetensors")


def _verify(options: Options) -> int:
    """Measure the main figure of an entry again."""
    from arena.tournament.measuring import again, agree

    entry = find_entry(options.what)
    card = entry.card
    if (figure := card.main_figure) is None:
        raise UsageError(f"the card of {entry.name} has no games of an agent to verify")
    measured = again(figure, make_game(figure.game or card.game))
    same = agree(figure, measured)
    print(f"card      {figure.agent}: {figure_words(figure)}")
    print(f"measured  {measured.agent}: {figure_words(measured)}")
    print("their intervals overlap" if same else "they differ: their intervals do not overlap")
    return 0 if same else 1


def _train(options: Options) -> int:
    """Run the training of an entry again."""
    from arena.cli import solve, train
    from arena.cli.reading import options_type, read_options

    training = find_entry(options.what).card.training
    if training is None:
        raise UsageError(f"{options.what} was not trained: its card has no recipe")
    words = shlex.split(training.command) + ([] if options.out is None else ["--out", str(options.out)])
    print(f"arena {training.by} {shlex.join(words)}", flush=True)
    command = solve if training.by == SOLVE else train
    status: int = command.run(read_options(options_type(command, words), f"arena {training.by}", words))
    return status


def _add(options: Options) -> int:
    """Take a trained agent into the user's zoo."""
    from arena.policy.zoo.adding import LARGEST, add_entry, check_files, files_of, game_of, require_free

    folder = Path(options.what)
    name = options.name or folder.resolve().name
    require_free(name)
    if (folder / CARD).exists():
        try:
            files = {file: read_bytes(folder / file, most) for file, most in LARGEST.items()}
        except OSError as error:
            raise UsageError(f"{folder} is no whole entry: {reason(error)}") from None
    else:
        learning_algorithm(str(read_config(find_snapshot(folder))["algorithm"]))  # a network, or it is refused
        game = make_game(game_of(folder))
        figure = _measured(folder, name, game, options.against)
        files = files_of(
            folder, ZooCard(game.spec, f"zoo:{name}", f"added from {folder.resolve().name}", figures=(figure,))
        )
    check_files(files, str(folder))
    return _say_added(add_entry(name, files))


def _measured(folder: Path, name: str, game: "Game", against: str) -> Figure:
    """Return a figure of the agent in a folder."""
    from arena.tournament.measuring import measure

    snapshot = find_snapshot(folder)
    spec = f"{read_config(snapshot)['algorithm']}:{snapshot}"
    return replace(measure(game, spec, against if game.competitive else "", GAMES), agent=f"zoo:{name}")


def _get(options: Options) -> int:
    """Fetch an entry."""
    from arena.policy.checkpoint import WEIGHTS
    from arena.policy.zoo.adding import add_entry, check_files, require_free
    from arena.policy.zoo.fetching import fetch_entry

    name = options.name or options.what.rstrip("/").rpartition("/")[2]
    require_free(name)
    files = fetch_entry(options.what)
    if options.sha256 and hashlib.sha256(files[WEIGHTS]).hexdigest() != options.sha256.lower():
        raise UsageError(f"{options.what}/{WEIGHTS} does not have the hash --sha256 {options.sha256}; nothing was kept")
    check_files(files, options.what)
    return _say_added(add_entry(name, files))


def _say_added(entry: ZooEntry) -> int:
    card = entry.card
    print(f"added {entry.name} in {entry.folder}; play it: arena play {card.game} zoo:{entry.name}")
    return 0


NEEDED = {"verify": "the name of an entry", "train": "the name of an entry", "add": "a folder", "get": "an address"}
ACTIONS: dict[str, Callable[[Options], int]] = {"verify": _verify, "train": _train, "add": _add, "get": _get}
