"""Imports point down and heavy packages stay where they belong, by the syntax tree of every file.

An import inside a function may fetch something heavy late, but may not cross a layer either; what is imported for type
checkers alone is free.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("games", "agents", "arena")
    for path in sorted((ROOT / package).rglob("*.py"))
}

OTHERS = {
    "games": (),
    "agents": (
        "arena.policy",
        "arena.data",
        "arena.equilibrium",
        "arena.errors",
        "arena.config",
        "arena.registry",
        "arena.seeding",
        "games.engine",
    ),
    "arena": ("games.engine",),
}
"""What each package may import of the other two: games and agents are only ever found by name."""

BASE = {
    "arena.config",
    "arena.cores",
    "arena.errors",
    "arena.memory",
    "arena.registry",
    "arena.saving",
    "arena.seeding",
}
LAYERS = [
    {"arena.data", "arena.ratings"},
    {"arena.env"},
    {"arena.policy"},
    {"arena.equilibrium"},
    {"arena.collector"},
    {"arena.trainer"},
    {"arena.match"},
    {"arena.analysis", "arena.workers"},
    {"arena.store"},
    {"arena.runs"},
    {"arena.league", "arena.tournament"},
    {"arena.cli", "arena.gymnasium", "arena.tui"},
]
"""The parts of arena, lowest first: each imports from its own layer, from those below it, and from BASE."""

HOMES = {
    "textual": ("arena.tui",),
    "ray": ("arena.env.workers.ray", "arena.workers.ray"),
    "sqlalchemy": ("arena.store",),
    "pettingzoo": ("games.engine.pettingzoo", "arena.env.pettingzoo"),
    "tyro": ("arena.cli",),
}
"""Packages that only these modules import, at their top or later."""

NEVER_AT_THE_TOP = {"matplotlib", "minari", "onnxruntime", "onnxscript", "openskill", "tensorboard", "wandb", "ray"}
TORCH_FREE = ("games", "arena.data", "arena.env", "arena.match", "arena.ratings", "arena.tournament", "arena.store")
TORCH_FREE += ("arena.tui", "arena.cli", "arena.policy.random", "arena.policy.protocol", "arena.policy.snapshots")
TORCH_FREE += ("arena.analysis", "arena.equilibrium", "arena.workers", "arena.runs.folder", "agents.equilibrium")
TORCH_FREE += ("arena.league.records", "arena.league.payoff", "arena.league.config", "arena.league.matchmaker")
TORCH_FREE += ("arena.league.roles", "arena.league.meta_strategies", "arena.league.ratings")
TORCH_FREE += ("agents.scripted", "agents.search", "agents.outside", "agents.perfect")
"""Modules that bring no torch in, nor does anything that they import at their top."""
A_LEARNER = "arena.cli.templates.new_agent"  # which is read as text, and imported nowhere


@dataclass(frozen=True)
class Import:
    """One import of a module by name; `late` if it stands inside a function."""

    name: str
    line: int
    late: bool


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def imports(module: str) -> tuple[Import, ...]:
    """Everything a module imports, but for type checkers."""
    return tuple(_imports(tree(module).body, late=False))


def _imports(nodes: list[ast.stmt], late: bool) -> Iterator[Import]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield Import(name if name in MODULES else node.module or "", node.lineno, late)
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            inside = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for field in ("body", "orelse", "finalbody"):
                yield from _imports(getattr(node, field, []), inside)
            for handler in getattr(node, "handlers", []):
                yield from _imports(handler.body, inside)


def within(name: str, places: tuple[str, ...] | set[str]) -> bool:
    return any(name == place or name.startswith(place + ".") for place in places)


def layer(name: str) -> int:
    """The height of a module of arena, 0 for BASE."""
    if name == "arena" or within(name, BASE):
        return 0
    if name == "arena.__main__":
        return len(LAYERS)
    heights = [height for height, parts in enumerate(LAYERS, start=1) if within(name, parts)]
    assert heights, f"{name} belongs to no layer"
    return heights[0]


def offences(module: str) -> Iterator[str]:
    package = module.partition(".")[0]
    for found in imports(module):
        where, name = f"{module}:{found.line} imports {found.name}", found.name
        top = name.partition(".")[0]
        if top in OTHERS and top != package and not within(name, OTHERS[package]):
            yield f"{where}: {package} may import {', '.join(OTHERS[package]) or 'nothing of ours'}"
        if top == package == "arena" and layer(name) > layer(module):
            yield f"{where}, from a layer above it"
        if top in HOMES and not within(module, HOMES[top]):
            yield f"{where}, which belongs in {', '.join(HOMES[top])}"
        if top in NEVER_AT_THE_TOP and not found.late and not within(module, HOMES.get(top, ())):
            yield f"{where} at its top"


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module):
    assert not list(offences(module))


def reached(module: str, seen: dict[str, str]) -> dict[str, str]:
    """What importing `module` imports, everything once, each with the module that did it."""
    parts = module.split(".")
    parents = [".".join(parts[:n]) for n in range(1, len(parts))]
    for name in [*parents, *(found.name for found in imports(module) if not found.late)]:
        if name not in seen:
            seen[name] = module
            if name in MODULES:
                reached(name, seen)
    return seen


@pytest.mark.parametrize("module", [name for name in MODULES if within(name, TORCH_FREE) and name != A_LEARNER])
def test_what_needs_no_torch_does_not_bring_it_in(module):
    culprits = {name: by for name, by in reached(module, {}).items() if within(name, ("torch", "tensorboard"))}
    assert not culprits


def test_packages_import_nothing_heavy_by_themselves():
    for package in ("arena", "agents", "games"):
        heavy = ("torch", "numba", "numpy", "textual", "ray", "gymnasium", "pettingzoo", "matplotlib")
        assert not [name for name in reached(package, {}) if within(name, heavy)]


def test_news_of_length(capsys):
    """Not a failure: what has grown longest."""
    files = sorted(((len(path.read_text().splitlines()), name) for name, path in MODULES.items()), reverse=True)
    functions = sorted(
        (
            ((node.end_lineno or 0) - node.lineno + 1, f"{module}.{node.name}")
            for module in MODULES
            for node in ast.walk(tree(module))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ),
        reverse=True,
    )
    with capsys.disabled():
        print(f"\n{len(files)} files, median {files[len(files) // 2][0]} lines; longest:")
        print(*(f"  {lines:4} {name}" for lines, name in [*files[:5], *functions[:5]]), sep="\n")
