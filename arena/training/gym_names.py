"""Names of Gymnasium environments: an id, an id of a module (`MODULE:ID`), or an environment in a file of one's own."""

from pathlib import Path

from games.engine.source_files import is_source_file, short_name, stored_name, without_hash

GYM = "gym:"
"""Prefix of the task names of Gymnasium environments: gym:CartPole-v1."""


def is_gym(name: str) -> bool:
    """Return whether the name of a task is that of a Gymnasium environment."""
    return name.startswith(GYM)


def split_source(env_id: str) -> tuple[str, str]:
    """Split a name without its prefix: module or file, or nothing, and the environment in there.

    >>> split_source("CartPole-v1"), split_source("minigrid:MiniGrid-Empty-5x5-v0"), split_source("./walk.py")
    (('', 'CartPole-v1'), ('minigrid', 'MiniGrid-Empty-5x5-v0'), ('./walk.py', ''))
    """
    first, colon, rest = env_id.partition(":")
    return (first, rest) if colon or is_source_file(first) else ("", first)


def stored_task(name: str) -> str:
    """Return the name under which a task is stored, without options: that of a file has the hash of its content.

    Raises `UsageError` if the file cannot be read or has another hash.
    """
    if not is_gym(name):
        return stored_name(name)
    source, rest = split_source(name.removeprefix(GYM))
    return GYM + stored_name(source) + f":{rest}" * bool(rest) if is_source_file(source) else name


def short_task(name: str) -> str:
    """Return the name of a task as part of the name of a folder, without the path and the hash of a file.

    >>> short_task("hex"), short_task("gym:CartPole-v1"), short_task("gym:./walk.py@1a2b3c4d:Walk-v0")
    ('hex', 'gym:CartPole-v1', 'gym:Walk-v0')
    """
    if not is_gym(name):
        return short_name(name)
    source, rest = split_source(name.removeprefix(GYM))
    return GYM + (rest or Path(without_hash(source)).stem) if is_source_file(source) else name
