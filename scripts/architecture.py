"""The house as its imports draw it: rooms, floors, and the arrows between them.

    python scripts/architecture.py            prints rooms, arrows and circles
    python scripts/architecture.py --write    draws them into docs/explanation/architecture.md

A room is a package or file right below `arena`, or one of `agents`, `games` and `scripts`; inside `agents`, a package
or file right below it. An arrow is any import of one room by another, late imports too.
"""

import argparse
import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from marked import with_part

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "architecture.md"
BEGIN, END = "<!-- drawn by scripts/architecture.py -->", "<!-- end of the drawing -->"
TOPS = ("arena", "agents", "games", "scripts")

FLOORS: tuple[tuple[str, ...], ...] = (
    ("games",),
    ("arena.base",),
    ("arena.data", "arena.processes", "arena.ratings"),
    ("arena.env",),
    ("arena.policy",),
    ("arena.collector", "arena.match"),
    ("arena.trainer", "arena.analysis", "arena.store"),
    ("agents",),
    ("arena.tournament",),
    ("arena.training",),
    ("arena.server",),
    ("arena.cli", "arena.tui"),
    ("arena.__main__", "scripts"),
)
"""Rooms, lowest floor first: each imports from floors below it, and from rooms of its own floor that do not import it.

`agents` stands where its lowest neighbour upstairs would be; no room of arena imports it.
"""
TEMPLATES = "arena.policy.templates."
"""Modules that are read as text and imported nowhere: what they import, the files import that are made of them."""


@dataclass(frozen=True)
class Import:
    """One import of a module by name; `late` if it stands inside a function, `typing` if only type checkers read it."""

    name: str
    line: int
    late: bool
    typing: bool


def module_name(path: Path) -> str:
    """Return the dotted name of a file below the root."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def modules() -> Mapping[str, Path]:
    """Return the file of every module, by name."""
    return {module_name(path): path for top in TOPS for path in sorted((ROOT / top).rglob("*.py"))}


@cache
def tree(module: str) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


@cache
def imports(module: str) -> tuple[Import, ...]:
    """Return everything that a module imports."""
    return tuple(_imports(tree(module).body, late=False, typing=False))


def _imports(nodes: list[ast.stmt], late: bool, typing: bool) -> Iterator[Import]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, late, typing) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise SyntaxError(f"line {node.lineno}: a relative import")
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield Import(name if name in modules() else node.module or "", node.lineno, late, typing)
        else:
            guarded = typing or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
            inside = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for field in ("body", "orelse", "finalbody"):
                yield from _imports(getattr(node, field, []), inside, guarded)
            for handler in getattr(node, "handlers", []):
                yield from _imports(handler.body, inside, guarded)


def room(module: str, inside: str = "") -> str:
    """Return the room of a module, of the whole or of the package `inside`; empty if it is in none."""
    parts = module.split(".")
    if inside:
        return ".".join(parts[:2]) if parts[0] == inside and len(parts) > 1 else ""
    return ".".join(parts[:2]) if parts[0] == "arena" else parts[0]


@cache
def arrows(inside: str = "") -> Mapping[tuple[str, str], int]:
    """Return the arrows between rooms, each with the number of imports that it stands for."""
    counts: dict[tuple[str, str], int] = {}
    for module in modules():
        if module.startswith(TEMPLATES):
            continue
        for target in {each.name for each in imports(module)} & modules().keys():
            pair = room(module, inside), room(target, inside)
            if pair[0] != pair[1] and all(pair) and "arena" not in pair:
                counts[pair] = counts.get(pair, 0) + 1
    return counts


def rooms(inside: str = "") -> list[str]:
    """Return all rooms, sorted."""
    return sorted({room(module, inside) for module in modules()} - {"", "arena"})


def circles() -> list[list[str]]:
    """Return groups of modules that import each other, by whatever way: strongly connected ones, of more than one."""
    graph = {module: {each.name for each in imports(module)} & modules().keys() - {module} for module in modules()}
    reach = {module: _reached(module, graph) for module in graph}
    groups = {frozenset({module, *(other for other in reach[module] if module in reach[other])}) for module in graph}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def _reached(start: str, graph: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def summary(name: str) -> str:
    """Return the first line of the docstring of a room."""
    lines = (ast.get_docstring(tree(name)) or "").splitlines() if name in modules() else []
    return lines[0].rstrip(".") if lines else "what a person runs"


def drawing() -> str:
    """Return the rooms by floor, from the top, each with what it is and what it imports."""
    targets: dict[str, list[str]] = {name: [] for name in rooms()}
    for source, target in sorted(arrows()):
        targets[source].append(target.removeprefix("arena."))
    lines = [f"{len(rooms())} rooms, {len(arrows())} arrows between them.", ""]
    lines += ["| floor | room | what it is | imports |", "|---|---|---|---|"]
    for height, floor in reversed(list(enumerate(FLOORS))):
        for name in floor:
            below = ", ".join(targets[name]) or "nothing of ours"
            lines.append(f"| {height} | `{name}` | {summary(name)} | {below} |")
    lines += ["", "The same as a drawing, without the arrows that follow from others:", "", *graph(_reduced(targets))]
    lines += ["", f"Inside `agents`, {len(rooms('agents'))} rooms and {len(arrows('agents'))} arrows:", ""]
    inside: dict[str, list[str]] = {name.partition(".")[2]: [] for name in rooms("agents")}
    for source, target in sorted(arrows("agents")):
        inside[source.partition(".")[2]].append(target.partition(".")[2])
    return "\n".join([*lines, *graph(inside)])


def graph(targets: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the lines of a drawing in Mermaid's language."""
    lines = [f"    {source} --> {target}" for source, below in targets.items() for target in below]
    return ["```mermaid", "graph TD", *(f"    {name}" for name in targets), *lines, "```"]


def _reduced(targets: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the arrows, rooms by their short names, that no way over other rooms replaces."""
    direct = {name.removeprefix("arena."): set(below) for name, below in targets.items()}
    reach = {name: _reached(name, direct) for name in direct}
    return {
        name: sorted(target for target in below if not any(target in reach[other] for other in below - {target}))
        for name, below in direct.items()
    }


def page() -> str:
    """Return the page with the drawing as it is now."""
    return with_part(PAGE, BEGIN, END, drawing())


def main() -> None:
    """Print the drawing, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write it into the page")
    if parser.parse_args().write:
        PAGE.write_text(page(), encoding="utf-8")
        return
    print(drawing())
    for group in circles():
        print("circle:", ", ".join(group))


if __name__ == "__main__":
    main()
