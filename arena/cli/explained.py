"""Pages of the documentation in a checkout, and the one that explains an error, by the package that refused."""

from pathlib import Path
from types import TracebackType

CHECKOUT = Path(__file__).parents[2]
PAGES = {
    "agents.outside.llm": "language-models",
    "agents.outside": "engines",
    "arena.cli.resuming": "resume",
    "arena.cli.sweep": "tuning",
    "arena.cli.tune": "tuning",
    "arena.data.minari": "offline-data",
    "arena.data.buffer.hdf5": "offline-data",
    "arena.env.device": "gpu",
    "arena.env.hosted": "hosted-games",
    "arena.training.league.sharing": "several-machines",
    "arena.training.sweep.sweep": "tuning",
    "arena.policy.export": "export",
    "arena.processes.cluster": "several-machines",
    "arena.processes.ray": "several-machines",
    "arena.processes.sandbox": "security",
    "arena.server": "server",
    "arena.tournament": "tournaments",
    "games.engine.trust": "hosted-games",
}
"""Packages and modules, and the pages on what they do."""


def page_on(error: BaseException) -> str:
    """Return the name of the page on what went wrong, for `arena docs`; empty if there is none, or none at hand."""
    module = _raised_in(error.__traceback__)
    while module and module not in PAGES:
        module = module.rpartition(".")[0]
    page = PAGES.get(module, "")
    return page if page in written_pages() else ""


def written_pages() -> dict[str, Path]:
    """Return the pages that a checkout has as files, by name; none where arena was installed without them."""
    return {file.stem: file for file in sorted((CHECKOUT / "docs").rglob("*.md")) if file.name != "index.md"}


def _raised_in(trace: TracebackType | None) -> str:
    """Return the name of the module whose function raised."""
    module = ""
    while trace is not None:
        module = trace.tb_frame.f_globals.get("__name__", "")
        trace = trace.tb_next
    return module
