"""Imports point down and heavy packages stay where they belong, by the syntax tree of every file.

An import inside a function may fetch something heavy late, but may not cross a layer either.
"""

import ast
from collections.abc import Iterator

import pytest

from scripts import architecture
from scripts.architecture import FLOORS, Import, arrows, circles, imports, modules, room, rooms, tree

PACKAGES = ("games", "agents", "arena")
MAY_IMPORT = {
    "games": (),
    "agents": ("arena.analysis", "arena.base", "arena.data", "arena.policy", "arena.processes", "games.engine"),
    "arena": ("games.engine",),
    "scripts": PACKAGES,
}
"""What each package may import of the others: games and agents are only ever found by name."""

HOMES = {
    "textual": ("arena.tui",),
    "textual_image": ("arena.tui.drawing.graphics",),
    "ray": ("arena.processes", "arena.env.workers.ray"),
    "sqlalchemy": ("arena.store", "arena.server"),
    "alembic": ("arena.server",),
    "fastapi": ("arena.server",),
    "jinja2": ("arena.server",),
    "pydantic": ("arena.server",),
    "starlette": ("arena.server",),
    "uvicorn": ("arena.server",),
    "pettingzoo": ("games.engine.pettingzoo", "arena.env.pettingzoo"),
    "tyro": ("arena.cli",),
}
"""Packages that only these modules import, at their top or later."""

NEVER_AT_THE_TOP = {"matplotlib", "minari", "onnxruntime", "onnxscript", "openskill", "tensorboard", "wandb", "ray"}
TORCH_FREE = (
    *("games", "agents.outside", "agents.perfect", "agents.scripted", "agents.search", "agents.solvers"),
    *(f"arena.{name}" for name in ("analysis", "base", "cli", "data", "env", "match", "processes", "ratings")),
    *(f"arena.{name}" for name in ("server", "store", "tournament", "tui")),
    *(f"arena.policy.{name}" for name in ("protocol", "random", "registry", "snapshots")),
    "arena.training.folder",
    *(f"arena.training.league.{name}" for name in ("config", "matchmaker", "meta_strategies", "payoff", "ratings")),
    *(f"arena.training.league.{name}" for name in ("records", "roles")),
)
"""Modules that bring no torch in, nor does anything that they import at their top."""
ON_A_DEVICE = "arena.env.device_board", "arena.base.device_memory"
"""Games whose arrays are torch's, and their memory, imported where a device is asked for."""
A_LEARNER = "arena.policy.templates.new_agent"  # which is read as text, and imported nowhere

FLOORS_OF_SCREENS = (
    ("state", "printable"),
    ("drawing", "services", "terminal"),
    ("driver", "widgets"),
    ("views", "parts"),
    ("screens",),
    ("app",),
)
"""Packages and modules of `arena.tui`, lowest floor first."""
MOST_GENERATIONS = 3
"""How many classes of ours a screen may inherit from each other, itself counted."""

FLOORS_OF_TRAININGS = {"arena.training.league": 1, "arena.training.make": 2, "arena.training.sweep": 3}
"""Packages and modules of `arena.training` by floor; all others are on floor 0."""

MOST_ROOMS, MOST_ARROWS = 20, 100
MOST_ROOMS_OF_AGENTS, MOST_ARROWS_OF_AGENTS = 10, 15


@pytest.fixture(autouse=True, scope="module")
def forget_the_trees():
    """All modules as syntax trees take 120 MB, which the tests after these need not carry."""
    yield
    tree.cache_clear()


def ours() -> list[str]:
    """Modules of the three packages."""
    return [name for name in modules() if name.partition(".")[0] in PACKAGES]


def within(name: str, places: tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(place + ".") for place in places)


def floor(name: str) -> int:
    """The floor of a module's room."""
    own = room(name)
    heights = [height for height, floor in enumerate(FLOORS) if own in floor]
    assert heights, f"{name} is in no room of scripts/architecture.py"
    return heights[0]


def offences(module: str) -> Iterator[str]:
    package = module.partition(".")[0]
    for one in imports(module):
        where, name = f"{module}:{one.line} imports {one.name}", one.name
        top = name.partition(".")[0]
        if top in MAY_IMPORT and top != package and not within(name, MAY_IMPORT[package]):
            yield f"{where}: {package} may import {', '.join(MAY_IMPORT[package]) or 'nothing of ours'}"
        if top in PACKAGES and "arena" not in (room(module), room(name)) and floor(name) > floor(module):
            yield f"{where}, from a floor above it"
        if package in PACKAGES and not one.typing:
            yield from misplaced(module, one, where)


def misplaced(module: str, one: Import, where: str) -> Iterator[str]:
    """Heavy packages that are imported outside their homes, or too early."""
    top = one.name.partition(".")[0]
    if top in HOMES and not within(module, HOMES[top]):
        yield f"{where}, which belongs in {', '.join(HOMES[top])}"
    if top in NEVER_AT_THE_TOP and not one.late and not within(module, HOMES.get(top, ())):
        yield f"{where} at its top"


@pytest.mark.full
def test_imports_point_down():
    assert not [offence for module in modules() for offence in offences(module)]


def test_rooms_do_not_import_each_other():
    assert not [pair for pair in arrows() if pair[::-1] in arrows()]
    assert not [pair for pair in arrows("agents") if pair[::-1] in arrows("agents")]


def test_modules_do_not_import_each_other():
    assert circles() == []


def test_rooms_and_arrows_stay_few():
    assert len(rooms()) <= MOST_ROOMS
    assert len(arrows()) <= MOST_ARROWS
    assert len(rooms("agents")) <= MOST_ROOMS_OF_AGENTS
    assert len(arrows("agents")) <= MOST_ARROWS_OF_AGENTS


def test_the_page_shows_the_house_as_it_is():
    page = architecture.PAGE.read_text(encoding="utf-8")
    assert page == architecture.page(), "run: python scripts/architecture.py --write"


def test_rooms_of_the_screens_import_downwards():
    heights = {f"arena.tui.{name}": height for height, names in enumerate(FLOORS_OF_SCREENS) for name in names}
    assert parts_of("arena.tui") == heights.keys()
    assert not upward(heights)


def test_parts_of_trainings_import_downwards():
    parts = parts_of("arena.training")
    assert parts >= FLOORS_OF_TRAININGS.keys()
    assert not upward(dict.fromkeys(parts, 0) | FLOORS_OF_TRAININGS)


def part_of(module: str) -> str:
    """The package or file right below a room in which a module is."""
    return ".".join(module.split(".")[:3])


def parts_of(room: str) -> set[str]:
    return {part_of(name) for name in ours() if name.startswith(f"{room}.")}


def upward(heights: dict[str, int]) -> list[str]:
    """Imports of one part of a room by a lower one."""
    return [
        f"{module} imports {one.name}"
        for module in ours()
        for one in imports(module)
        if (above := heights.get(part_of(one.name))) and above > heights.get(part_of(module), 9)
    ]


def ancestors(module: str, name: str) -> int:
    """How deep a class lies below the classes of others, itself counted; 0 for a class that is not ours."""
    for node in tree(module).body if module in modules() else ():
        if isinstance(node, ast.ClassDef) and node.name == name:
            bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
            return 1 + max((ancestors(*found) for base in bases for found in origins(module, base)), default=0)
    return 0


def origins(module: str, base: ast.expr) -> Iterator[tuple[str, str]]:
    """The module and the name of a base class, as imported or from the module itself."""
    if isinstance(base, ast.Name):
        yield module, base.id
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.ImportFrom):
                yield from (
                    (node.module or "", alias.name) for alias in node.names if base.id == (alias.asname or alias.name)
                )


def test_screens_inherit_at_most_three_deep():
    depths = {
        f"{module}.{node.name}": ancestors(module, node.name)
        for module in ours()
        for node in tree(module).body
        if isinstance(node, ast.ClassDef) and module.startswith("arena.tui")
    }
    assert {name: depth for name, depth in depths.items() if depth > MOST_GENERATIONS} == {}


def reached(module: str, seen: dict[str, str]) -> dict[str, str]:
    """What importing `module` imports, everything once, each with the module that did it."""
    parts = module.split(".")
    parents = [".".join(parts[:n]) for n in range(1, len(parts))]
    for name in [*parents, *(one.name for one in imports(module) if not one.late and not one.typing)]:
        if name not in seen:
            seen[name] = module
            if name in modules():
                reached(name, seen)
    return seen


def test_what_needs_no_torch_does_not_bring_it_in():
    culprits = {
        module: by
        for module in ours()
        if within(module, TORCH_FREE) and module not in (A_LEARNER, *ON_A_DEVICE)
        for name, by in reached(module, {}).items()
        if within(name, ("torch", "tensorboard"))
    }
    assert not culprits


def test_packages_import_nothing_heavy_by_themselves():
    for package in PACKAGES:
        heavy = ("torch", "numba", "numpy", "textual", "ray", "gymnasium", "pettingzoo", "matplotlib")
        assert not [name for name in reached(package, {}) if within(name, heavy)]


def test_news_of_length(capsys):
    """Not a failure: what has grown longest."""
    files = sorted(((len(modules()[name].read_text().splitlines()), name) for name in ours()), reverse=True)
    functions = sorted(
        (
            ((node.end_lineno or 0) - node.lineno + 1, f"{module}.{node.name}")
            for module in ours()
            for node in ast.walk(tree(module))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ),
        reverse=True,
    )
    with capsys.disabled():
        print(f"\n{len(files)} files, median {files[len(files) // 2][0]} lines; longest:")
        print(*(f"  {lines:4} {name}" for lines, name in [*files[:5], *functions[:5]]), sep="\n")


def test_classes_have_names_of_their_own():
    """A name that is searched for leads to one class; commands have their options, and Tianshou's two actors stay."""
    homes = {}
    for module in ours():
        for node in tree(module).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module)
    twice = {name: places for name, places in homes.items() if len(places) > 1}
    assert all(place.startswith("arena.cli.") for place in twice.pop("Options"))
    assert set(twice) == {"Actor", "Critic"}
