"""Measure speed beside other libraries: python scripts/benchmark.py [SECTION ...] [--csv FILE].

Ours and the peer's loop alternate in one run, on one thread unless a row says otherwise; figures are medians. A ratio
above 1 means that ours is faster. Peers come with the `bench` extra; missing ones are named.
pgx and mctx need a Python interpreter of their own: --python pgx=PATH --python mctx=PATH.
Rows of scripts/speed.csv become docs/measured/speed.md by scripts/measured_pages.py.
"""

import dataclasses
import json
import logging
import sys
from pathlib import Path

from benchmarks import (
    buffers,
    collector,
    elsewhere,
    engine,
    envs,
    equilibrium,
    games,
    gpu,
    league,
    learning,
    ratings,
    returns,
    screens,
    search,
    search_guided,
    search_mcts,
    start,
    store,
    tournament,
    workers,
)
from benchmarks.measure import Row
from kept_rows import machine
from sections import measure, parse_sections, section_parser

SECTIONS = {
    "games": games.rows,
    "engine": engine.rows,
    "threads": engine.threads,
    "buffers": buffers.rows,
    "returns": returns.rows,
    "collector": collector.rows,
    "envs": envs.rows,
    "learning": learning.rows,
    "league": league.rows,
    "ratings": ratings.rows,
    "equilibrium": equilibrium.rows,
    "mcts": search_mcts.rows,
    "guided": search_guided.rows,
    "search": search.rows,
    "start": start.rows,
    "tournament": tournament.rows,
    "store": store.rows,
    "workers": workers.rows,
    "screens": screens.rows,
    "gpu": gpu.rows,
}


def main() -> int:
    parser = section_parser(__doc__, SECTIONS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as well")
    parser.add_argument(
        "--python", action="append", default=[], metavar="NAME=PATH", help="where a package is installed"
    )
    options = parse_sections(parser, SECTIONS)
    for pair in options.python:
        name, equals, path = pair.partition("=")
        if not equals or not Path(path).exists():
            parser.error(f"--python {pair!r} is not of the form NAME=PATH, the path of a Python")
        elsewhere.PYTHONS[name] = path
    logging.disable(logging.WARNING)  # peers say a lot on every start
    print(machine())
    rows: list[Row] = measure(options, lambda name: SECTIONS[name](), text)
    if options.json:
        options.json.write_text(json.dumps([dataclasses.asdict(row) for row in rows], indent=2), encoding="utf-8")
    return 0


def text(row: Row) -> str:
    """Return a row as two lines of text."""
    peer = f"{row.peer_name} {figure(row.peer)} {row.unit}" if row.peer is not None else row.peer_name
    ratio = f"   {row.ratio:,.3g} x" if row.ratio is not None else ""
    return f"\n{row.section}: {row.work}\n  ours {figure(row.ours)} {row.unit}   {peer}{ratio}"


def figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    sys.exit(main())
