"""Pages of the Python API: what each package offers, from its docstrings."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from handbook.markdown import plain, table, toctree

FOLDER = "reference/python"
PACKAGES = {
    "arena": "Making games and agents by their names",
    "arena.data": "Batches, replay buffers, statistics",
    "arena.env": "Vector environments and adapters",
    "arena.collector": "Collecting experience",
    "arena.policy": "Policies, and the manager of several",
    "arena.trainer": "Training loops and loggers",
    "agents": "Learning algorithms and noise",
    "agents.networks": "Networks",
    "arena.training": "Trainings in folders of their own",
    "arena.training.league": "Leagues of self-play",
    "arena.match": "Matches under rules",
    "arena.tournament": "Tournaments",
    "arena.ratings": "The mathematics of results",
    "arena.store": "Players, matches and results in a database",
    "arena.analysis": "Quality of play, exploitability",
    "games.engine": "What a game is made of",
}
FRONT_DOOR = {"arena": ("make_game", "make_agent", "UsageError")}
"""Names of packages whose names come from others."""


def pages() -> dict[str, str]:
    """Return a page for every package, and their list."""
    made = {f"{FOLDER}/{name}.md": package_page(name) for name in PACKAGES}
    rows = ([f"[`{name}`]({name}.md)", text] for name, text in PACKAGES.items())
    head = "# Python API\n\nWhat each package offers. [In Python](../../how-to/python.md) shows them at work."
    return {**made, f"{FOLDER}/index.md": "\n\n".join([head, table(["package", ""], rows), toctree(PACKAGES)])}


def package_page(name: str) -> str:
    """Return the page of one package: its own names, or those of its modules where it has none."""
    package = importlib.import_module(name)
    parts = [f"# {name}", plain(inspect.getdoc(package) or "")]
    if offered := FRONT_DOOR.get(name, ()) or list(_offered(package)):
        return "\n\n".join([*parts, *(_entry("##", f"{name}.{one}", getattr(package, one)) for one in offered)])
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{name}.{info.name}")
        if own := list(_own(module)):
            parts += [f"## {module.__name__}", plain((inspect.getdoc(module) or "").partition("\n\n")[0])]
            parts += [_entry("###", f"{module.__name__}.{one}", getattr(module, one)) for one in own]
    return "\n\n".join(parts)


def _offered(package: ModuleType) -> Iterator[str]:
    """Give the classes and functions that a package offers from its modules."""
    for name in dir(package):
        value = None if name.startswith("_") else getattr(package, name)
        if _is_ours(value) and f"{value.__module__}.".startswith(f"{package.__name__}."):
            yield name


def _own(module: ModuleType) -> Iterator[str]:
    """Give the public classes and functions that a module defines, in their order."""
    for name, value in vars(module).items():
        if not name.startswith("_") and _is_ours(value) and value.__module__ == module.__name__:
            yield name


def _is_ours(value: object) -> bool:
    return (inspect.isclass(value) or inspect.isfunction(value)) and bool(inspect.getdoc(value))


def _entry(level: str, path: str, value: object) -> str:
    """Return the heading of a class or function, by which the contents of its page name it, and its description."""
    kind = "autoclass" if inspect.isclass(value) else "autofunction"
    return f"{level} {path.rpartition('.')[2]}\n\n```{{eval-rst}}\n.. {kind}:: {path}\n```"
