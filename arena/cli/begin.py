"""Writing the folder of a new game or agent from templates: a package that can be installed as it is."""

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
) -> Path:
    """Write NAME/NAME.py, its test and pyproject.toml from templates, and return the new folder.

    Placeholders are replaced as in `words`. Raises `UsageError` before anything is written if `name` is not a module
    name in lower case, if it is registered already, if `folder` does not exist, or if NAME exists in it.
    """
    if not name.isidentifier() or not name.islower() or keyword.iskeyword(name):
        raise UsageError(f"{command}: {name!r} is not a name in lower case with underscores, like nine_mens_morris")
    if name in known.names() or name.replace("_", "-") in known.names():
        raise UsageError(f"{command}: the {known.noun} {name} exists already; 'arena {known.noun}s' lists them")
    if not folder.is_dir():
        raise UsageError(f"{command}: {folder} is not a folder")
    place = folder / name
    if place.exists() or place.is_symlink():
        raise UsageError(f"{command}: {place} exists already; nothing was written")
    try:
        place.mkdir()
    except OSError as error:
        raise UsageError(f"{command}: {place} cannot be written ({error.strerror})") from None
    kind = known.group.rpartition(".")[2]
    declared = {"NEW_PACKAGE": name.replace("_", "-"), "NEW_MODULE": name, "NEW_KIND": kind}
    declared["NEW_CATALOGUE"] = kind.upper()
    files = {f"{name}.py": template, f"test_{name}.py": f"test_{Path(template).stem}.txt"}
    files["pyproject.toml"] = "pyproject.txt"
    for file, source in files.items():
        text = resources.files("arena.policy.templates").joinpath(source).read_text(encoding="utf-8")
        for word, meaning in {**declared, "NEW_NAME": name, **words}.items():
            text = text.replace(word, meaning)
        write_whole(place / file, partial(Path.write_text, data=text, encoding="utf-8"))
    return place
