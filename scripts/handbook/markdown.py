"""Pieces of MyST Markdown that several pages have."""

import inspect
import re
from collections.abc import Iterable
from types import ModuleType


def cell(text: object) -> str:
    """Return a text as it may stand in the cell of a table: on one line, with its bars escaped."""
    return re.sub(r"\s*\n\s*", " ", str(text)).replace("|", "\\|")


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    r"""Return a table.

    >>> print(table(["a", "b"], [[1, "x|y"]]))
    | a | b |
    |---|---|
    | 1 | x\|y |
    """
    head = list(head)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows])


def toctree(pages: Iterable[str]) -> str:
    """Return the list of the pages below a page, by which the site finds its way; it is not shown in the text."""
    return "\n".join(["```{toctree}", ":hidden:", ":titlesonly:", "", *pages, "```"])


def listing(pages: Iterable[tuple[str, str, str]]) -> str:
    """Return a table of pages: file without its ending, name, and a sentence."""
    return table(["", ""], ([f"[`{name}`]({file}.md)", text] for file, name, text in pages))


def plain(text: str) -> str:
    r"""Return a sentence in which signs that Markdown would read stand for themselves, code aside.

    >>> plain("a_b of `c_d` <e>")
    'a\\_b of `c_d` \\<e\\>'
    """
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else re.sub(r"([*_<>$\[\]{}])", r"\\\1", piece) for piece in pieces)


def docstring(module: ModuleType) -> str:
    """Return what a module says of itself; lists, tables and drawings, indented or marked, as they stand."""
    parts = (inspect.getdoc(module) or "").split("\n\n")
    drawn = re.compile(r"^(    |[*|-] |\d+[.:] )", re.M)
    return "\n\n".join(f"```text\n{part}\n```" if drawn.search(part) else plain(part) for part in parts)
