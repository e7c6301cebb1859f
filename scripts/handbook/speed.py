"""Tables of speed, from the rows of a benchmark."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.kept import KeptRow, read

from handbook.markdown import table

ROWS = Path(__file__).parents[1] / "speed.csv"
TITLES = {
    "engine": "The engine",
    "threads": "Two threads",
    "games": "Games beside PettingZoo's",
    "collector": "Collectors",
    "buffers": "Replay buffers",
    "returns": "Returns and advantages",
    "envs": "Environments in other processes",
    "learning": "Learning",
    "workers": "Two workers",
    "mcts": "Monte Carlo tree search",
    "guided": "Search with a network",
    "search": "Other searches",
    "equilibrium": "Equilibria",
    "league": "Leagues",
    "tournament": "Tournaments",
    "ratings": "Ratings",
    "store": "The store",
    "start": "Start",
    "screens": "Screens",
}
"""Sections of the page, in their order, and their titles."""
ENGINE = ("playouts", "OpenSpiel, C++ rollouts", "batch", "OpenSpiel, from Python", "pgx on the CPU")
"""Columns of the engine's table."""
COLUMNS = ("what", "ours", "beside it", "ratio")
"""Columns of every other table."""


def tables() -> str:
    """Return all tables, section by section, each with its command, date and machine."""
    rows, parts = read(ROWS), []
    for section, title in TITLES.items():
        here = [row for row in rows if row.section == section]
        if here:
            parts += [f"## {title}", *made(here), measured_by(here)]
    return "\n\n".join(parts)


def of_game(name: str) -> list[list[str]]:
    """Return the lines of the engine's rows of one game, and of its variants."""
    return [
        line(row) for row in read(ROWS) if row.section == "engine" and row.work.startswith((f"{name}:", f"{name},"))
    ]


def made(rows: Sequence[KeptRow]) -> list[str]:
    """Return the tables of one section; most rows of the engine in one with a game a line."""
    if rows[0].section != "engine":
        return [plain_table(rows)]
    others = [row for row in rows if "arrays" in row.peer_name]
    return [engine_table(row for row in rows if row not in others), plain_table(others)]


def plain_table(rows: Iterable[KeptRow]) -> str:
    """Return a table of one comparison a line."""
    return table(COLUMNS, map(line, rows))


def line(row: KeptRow) -> list[str]:
    """Return the cells of one comparison."""
    return [row.work, with_unit(row.ours, row.unit), beside(row), ratio(row)]


def engine_table(rows: Iterable[KeptRow]) -> str:
    """Return moves a second with a game a line: playouts and batches, each beside other engines."""
    cells: dict[str, dict[str, str]] = {}
    for row in rows:
        game, _, work = row.work.partition(": ")
        mine = cells.setdefault(game, {})
        mine.setdefault("playouts" if work == "playouts" else "batch", figure(row.ours))
        if row.peer is not None:
            mine[row.peer_name] = f"{figure(row.peer)} ({ratio(row)})"
    lines = ([f"`{game}`", *(mine.get(name, "") for name in ENGINE)] for game, mine in cells.items())
    return table(["game", *ENGINE], lines)


def measured_by(rows: Sequence[KeptRow]) -> str:
    """Return the command, the date and the machine of one section."""
    return f"`python scripts/benchmark.py {rows[0].section}`, {rows[0].date}, {rows[0].machine}."


def beside(row: KeptRow) -> str:
    """Return the peer and its figure."""
    return row.peer_name if row.peer is None else f"{row.peer_name}: {with_unit(row.peer, row.unit)}"


def ratio(row: KeptRow) -> str:
    """Return the factor by which ours is faster; empty without a peer."""
    return "" if row.ratio is None else f"{float(f'{row.ratio:.3g}'):,g} x"


def with_unit(value: float, unit: str) -> str:
    """Return a figure with its unit; short times in milliseconds."""
    if unit == "s":
        return f"{value:.3g} s" if value >= 0.1 else f"{1000 * value:.3g} ms"
    return f"{figure(value)} {unit}"


def figure(value: float) -> str:
    """Return a figure of three digits, in thousands or millions where it is large."""
    for size, name in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{name}"
    return f"{value:.3g}"
