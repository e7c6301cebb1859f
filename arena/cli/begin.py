"""Writing the files of a new game or agent from templates."""

import keyword
from collections.abc import Mapping
from functools import partial
from importlib import resources
from pathlib import Path

from arena.base.errors import UsageError
from arena.base.saving import write_whole
from games.engine.registry import Registry


def write_beginning(
    command: str, name: str, folder: Path, known: Registry, words: Mapping[str, str], template: str
) -> None:
    """Write NAME.py and test_NAME.py from `template`.py and its test, with placeholders replaced as in `words`.

    Raises `UsageError` before anything is written if `name` is not a module name in lower case, if it is registered
    already, if the folder does not exist, or if one of the files does.
    """
    if not name.isidentifier() or not name.islower() or keyword.iskeyword(name):
        raise UsageError(f"{command}: {name!r} is not a name in lower case with underscores, like nine_mens_morris")
    if name in known.names() or name.replace("_", "-") in known.names():
        raise UsageError(f"{command}: the {known.noun} {name} exists already; 'arena {known.noun}s' lists them")
    if not folder.is_dir():
        raise UsageError(f"{command}: {folder} is not a folder")
    files = {folder / f"{name}.py": f"{template}.py", folder / f"test_{name}.py": f"test_{template}.txt"}
    for path in files:
        if path.exists():
            raise UsageError(f"{command}: {path} exists already; nothing was written")
    for path, source in files.items():
        text = resources.files("arena.policy.templates").joinpath(source).read_text(encoding="utf-8")
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        write_whole(path, partial(Path.write_text, data=text, encoding="utf-8"))
