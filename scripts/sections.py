"""Scripts that measure in sections, chosen on the command line, and keep their rows."""

import argparse
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TypeVar

from kept_rows import SectionRow, keep

R = TypeVar("R", bound=SectionRow)


def section_parser(description: str | None, sections: Collection[str]) -> argparse.ArgumentParser:
    """Return a parser for the names of sections and `--csv`; further options may be added."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(sections)}; all without one")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the rows there; those of other sections stay")
    return parser


def parse_sections(parser: argparse.ArgumentParser, sections: Collection[str]) -> argparse.Namespace:
    """Return the options of the command line, with `sections` as they are to be measured; exit at an unknown one."""
    options = parser.parse_args()
    for name in options.sections:
        if name not in sections:
            parser.error(f"unknown section {name!r}; known: {', '.join(sections)}")
    options.sections = options.sections or list(sections)
    return options


def measure(options: argparse.Namespace, rows_of: Callable[[str], Iterable[R]], text: Callable[[R], str]) -> list[R]:
    """Measure the sections of the options; print each row as it comes, keep each section, and return all rows."""
    rows = []
    for name in options.sections:
        section = []
        for row in rows_of(name):
            section.append(row)
            print(text(row), flush=True)
        rows += section
        if options.csv:
            keep(options.csv, name, section)
    return rows
