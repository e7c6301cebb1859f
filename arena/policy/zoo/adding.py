"""Making entries of the zoo: from a checkpoint, or from files that came from elsewhere and are checked first."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from arena.base.errors import CheckpointError, UsageError
from arena.base.files import parse_json
from arena.base.folders import write_folder
from arena.policy.checkpoint import WEIGHTS, Checkpoint, weights_in_half
from arena.policy.registry import learning_algorithm, make_game
from arena.policy.snapshots import CONFIG, as_config, find_snapshot
from arena.policy.zoo.card import CARD, ZooCard, card_text, parse_card
from arena.policy.zoo.entries import NAME, ZooEntry, entries, own_folder
from games.engine.identity import GameId

KEPT = "format", "algorithm", "game", "options", "config", "seats"
"""Fields of a checkpoint's description that an entry keeps: not what it says of its training."""
LARGEST = {CARD: 2**16, CONFIG: 2**16, WEIGHTS: 2**24}
"""Files of an entry, and the largest number of bytes of each."""


def files_of(folder: Path, card: ZooCard) -> dict[str, bytes]:
    """Return the files of an entry with the weights of a checkpoint, in half precision.

    `folder` is a run or a checkpoint. Raises `CheckpointError` if there is none or its weights are too large.
    """
    checkpoint = Checkpoint.read(find_snapshot(folder))
    weights = weights_in_half(checkpoint.weights)
    description = {key: checkpoint.description[key] for key in KEPT if key in checkpoint.description}
    description["sha256"] = hashlib.sha256(weights).hexdigest()
    files = {CARD: card_text(card).encode(), CONFIG: json.dumps(description, indent=2).encode(), WEIGHTS: weights}
    for name, content in files.items():
        if len(content) > LARGEST[name]:
            raise CheckpointError(
                f"{folder}: {name} has {len(content):,} bytes, more than the {LARGEST[name]:,} allowed"
            )
    return files


def game_of(folder: Path) -> str:
    """Return the spec of the game that a run or a checkpoint plays."""
    description = Checkpoint.read(find_snapshot(folder)).description
    return make_game(GameId(description["game"], description["options"]).spec).spec


def check_files(files: Mapping[str, bytes], where: str) -> ZooCard:
    """Return the card of an entry whose files fit each other; `CheckpointError` of one line, naming `where`, if not.

    The network is built and its weights are loaded; nothing else is run.
    """
    card = parse_card(files[CARD], f"{where}/{CARD}")
    try:
        description = as_config(parse_json(files[CONFIG]), f"{where}/{CONFIG}")
    except ValueError as error:
        raise CheckpointError(f"{where}/{CONFIG} cannot be read: {error}") from None
    if hashlib.sha256(files[WEIGHTS]).hexdigest() != description["sha256"]:
        raise CheckpointError(f"{where}/{WEIGHTS} does not have the hash that {CONFIG} says")
    algorithm = str(description["algorithm"])
    Checkpoint(where, description, files[WEIGHTS]).policy(
        algorithm, learning_algorithm(algorithm), make_game(card.game)
    )
    return card


def add_entry(name: str, files: Mapping[str, bytes]) -> ZooEntry:
    """Write an entry into the user's folder, whole or not at all; `UsageError` for a name that is taken or is none."""
    require_free(name)
    folder = own_folder() / name
    try:
        write_folder(folder, files)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}") from None
    return ZooEntry(name, folder, own=True)


def require_free(name: str) -> None:
    """Raise `UsageError` for a name that is no name of an entry, or is one already."""
    if not NAME.fullmatch(name):
        raise UsageError(f"name={name!r} is no name of an entry: letters, digits and _ . - only, at most 64")
    if name in entries():
        raise UsageError(f"the zoo has an entry {name!r} already; give another name")
