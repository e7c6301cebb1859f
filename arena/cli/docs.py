"""`arena docs`: the documentation, as a site where it has been built, else as text."""

import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from arena.base.errors import UnknownNameError
from arena.cli.explained import CHECKOUT, written_pages
from arena.cli.main import COMMANDS, main, usage
from arena.policy.registry import AGENTS, GAMES, agent_kind

SITE = CHECKOUT / "build" / "docs" / "html"
"""Where `bash scripts/docs.sh` puts the site."""
INDEX = "index.html"


@dataclass(frozen=True)
class Options:
    """Open the page of the documentation on a command, a game, an agent or another topic.

    In a checkout 'bash scripts/docs.sh' builds the site, which is then opened in a browser, and its address printed.
    Where there is no site, the text of the page, of 'arena COMMAND --help', the rules of the game or the summary of
    the agent is printed.
    """

    topic: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[TOPIC]")] = ""
    """A command (tournament), a game (hex), an agent (ppo) or a page (resume); by default the first page."""
    address: bool = False
    """Print the address of the page without opening it."""


def run(options: Options) -> int:
    """Open the page or print the text; return the exit status."""
    if not (SITE / INDEX).is_file():
        return print_text(options.topic)
    address = page_of(options.topic, SITE).as_uri()
    print(address)
    if not options.address:
        webbrowser.open(address)
    return 0


def page_of(topic: str, site: Path) -> Path:
    """Return the page of a built site on a topic; `UnknownNameError` if there is none."""
    pages = {file.stem: file for file in sorted(site.rglob("*.html")) if file.name != INDEX}
    for folder in ("agent", "game", "command"):  # the last one counts where a name is several things
        pages |= {file.stem: file for file in site.glob(f"reference/{folder}/*.html") if file.name != INDEX}
    pages[""] = site / INDEX
    if topic not in pages:
        raise UnknownNameError("topic", topic, pages)
    return pages[topic]


def print_text(topic: str) -> int:
    """Print what the program itself says on a topic; `UnknownNameError` if there is none."""
    if not topic:
        print(usage(), end="")
    elif topic in COMMANDS:
        main([topic, "--help"])
    elif topic in GAMES.names():
        main(["games", topic])
    elif topic in AGENTS.names():
        kind = agent_kind(topic)
        print(f"{topic}{':' if kind.argument else ''}{kind.argument}   {kind.summary}")
    elif topic in (pages := written_pages()):
        print(pages[topic].read_text(encoding="utf-8"), end="")
    else:
        raise UnknownNameError("topic", topic, [*COMMANDS, *GAMES.names(), *AGENTS.names(), *pages])
    return 0
