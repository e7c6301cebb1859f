"""Runs, stores and files of transitions as accidents and ill will make them, and what a command must do with them."""

import hashlib
import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main

Damage = Callable[[Path], object]

NASTY = "\x1b[2J\x1b]0;owned\x07[/x]\n=1+1\u202e$a"
"""Clears a screen, renames a window, closes no markup, breaks a line, is a formula, turns the writing round."""


def contents(folder: Path) -> dict[str, Any]:
    """Everything in a folder, by path: bytes of files, targets of links, kinds of the rest."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            with path.open("rb") as file:
                found[name] = path.stat().st_size, file.read(2**24)
        else:
            found[name] = "folder" if path.is_dir() else "other"
    return found


def refusal(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> str:
    """The one line with which a command refuses: status 2, nothing else said, nothing in the folder changed."""
    before = contents(folder)
    status = main(list(arguments))
    printed = capsys.readouterr()
    assert status == 2, printed.err
    assert printed.out == ""
    require_one_line(printed.err)
    assert contents(folder) == before
    return printed.err


def require_one_line(said: str) -> None:
    """What a command says when it refuses."""
    assert said.startswith("arena: "), said
    assert said.count("\n") == 1, said
    assert said.removesuffix("\n").isprintable(), said
    assert len(said) < 700, said


def edited(change: Callable[[Any], object]) -> Damage:
    """Change what a file of JSON says."""

    def damage(path: Path) -> None:
        told = json.loads(path.read_text(encoding="utf-8"))
        change(told)
        path.write_text(json.dumps(told), encoding="utf-8")

    return damage


def put(value: Any, *keys: Any) -> Damage:
    """Put a value where these keys lead in a file of JSON."""

    def change(told: Any) -> None:
        for key in keys[:-1]:
            told = told[key]
        told[keys[-1]] = value

    return edited(change)


def without(*keys: Any) -> Damage:
    """Take out what these keys lead to in a file of JSON."""

    def change(told: Any) -> None:
        for key in keys[:-1]:
            told = told[key]
        del told[keys[-1]]

    return edited(change)


def text(content: str | bytes) -> Damage:
    """Put something else in the place of a file."""
    return lambda path: path.write_bytes(content.encode() if isinstance(content, str) else content)


def twice(key: str) -> Damage:
    """Give a key of an object of JSON a second time."""

    def damage(path: Path) -> None:
        path.write_text(f'{{"{key}": 1, {path.read_text(encoding="utf-8").lstrip()[1:]}', encoding="utf-8")

    return damage


def as_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def as_device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def as_link(path: Path) -> None:
    """Move a file, and leave a link to it."""
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def as_sparse(path: Path) -> None:
    os.truncate(path, 2**42)


ANY_JSON: dict[str, Damage] = {
    "empty": text(""),
    "no JSON": text("{"),
    "a list": text("[]"),
    "no UTF-8": text(b"\xff\xfe{}"),
    "deep": text("[" * 100_000),
    "deep in an object": text('{"a":' * 5000 + "1" + "}" * 5000),
    "quite deep": text('{"a":' * 100 + "1" + "}" * 100),
    "many digits": text('{"a": ' + "9" * 10_000 + "}"),
    "NaN": text('{"a": NaN}'),
    "too large a number": text('{"a": 1e999}'),
    "orders to the terminal": text(f'{{"a": "{NASTY}'),
    "a pipe": as_pipe,
    "a folder": as_folder,
    "a device": as_device,
    "a link": as_link,
    "sparse": as_sparse,
}
"""What may become of any file of JSON."""


def rehashed(folder: Path, name: str, entry: str, content: bytes) -> None:
    """Put `content` into a file of a folder, and its hash into the file that tells it, so that it looks saved."""
    (folder / name).write_bytes(content)
    put(hashlib.sha256(content).hexdigest(), "sha256")(folder / entry)


def flips(content: bytes, count: int, seed: int) -> Iterator[bytes]:
    """`count` versions of some bytes, each cut, or with a few of them changed."""
    rng = random.Random(seed)
    for _ in range(count):
        changed = bytearray(content)
        if rng.random() < 0.25:
            yield bytes(changed[: rng.randrange(len(changed))])
            continue
        for _ in range(rng.randint(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        yield bytes(changed)
