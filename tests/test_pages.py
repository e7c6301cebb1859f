"""README and the pages of `docs`: links lead somewhere, code runs, commands are understood."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from arena.base.errors import UsageError
from tests.cli.command_lines import parsed

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [README, ROOT / "CONTRIBUTING.md", ROOT / "agents" / "outside" / "PROTOCOL.md", *DOCS]
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")


def links(page):
    """The targets of links and pictures of a page that are files here, as path and anchor."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    targets = ["".join(found) for found in LINK.findall(text)]
    return [target.partition("#")[::2] for target in targets if not re.match(r"[a-z]+:", target)]


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for path, anchor in links(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def test_the_front_page_is_short_and_leads_to_every_page():
    assert README.read_text(encoding="utf-8").count("\n") <= 150
    reached = {(ROOT / path).resolve() for path, _ in links(README)}
    assert reached >= set(DOCS)


@pytest.mark.full
@pytest.mark.parametrize("page", [README, ROOT / "docs" / "how-to" / "python.md"], ids=lambda page: page.name)
def test_python_on_a_page_runs(page):
    found = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 5
    assert found.failed == 0


def command_lines():
    """The commands in blocks of shell of the front page and of the page of commands, once each."""
    for page in (README, ROOT / "docs" / "reference" / "commands.md", ROOT / "docs" / "explanation" / "leagues.md"):
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
            for line in block.splitlines():
                yield from (command.strip() for command in line.partition("  #")[0].split(";"))


def problem(line):
    """What a command line is refused for; empty if it is understood."""
    try:
        parsed(shlex.split(line)[1:])
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("line", dict.fromkeys(line for line in command_lines() if line.startswith("arena ")))
def test_a_command_on_a_page_is_understood(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = problem(line)
    assert not refused or "runs/" in refused or ".py" in refused, "files that it names need not be there"
