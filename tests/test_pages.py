"""README and the pages of `docs`: links lead somewhere, code runs, commands are understood."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from arena.base.errors import UsageError
from arena.cli.main import main
from tests.cli.command_lines import parsed
from tests.packages import declare

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").rglob("*.md"))
MADE = re.compile(r"reference/(command|game|agent|python)/|measured/rows/|reference/(store|protocol)\.md")
"""Pages of the site that scripts make; the test of the site checks what leads there."""
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
        if MADE.match(str(target.relative_to(ROOT)).removeprefix("docs/")):
            continue
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def within_clicks(start, clicks):
    """All pages that can be reached from a page by so many links."""
    reached = {start}
    for _ in range(clicks):
        reached |= {
            (page.parent / path).resolve() for page in reached for path, _ in links(page) if path.endswith(".md")
        } & {*PAGES}
    return reached


def test_the_front_page_is_short_and_leads_to_every_page():
    assert README.read_text(encoding="utf-8").count("\n") <= 150
    assert within_clicks(README, 3) >= {*DOCS}


QUESTIONS = {
    "How do I mask actions?": ("tutorials/own-agent.md", "mask[:, self._order]"),
    "Why is my second player's reward lost?": ("explanation/turns.md", "its reward is everything that agent received"),
    "How do I plug my environment in?": ("tutorials/own-environment.md", "arena train ./race.py ppo"),
    "How do I know that it learns?": ("tutorials/first-agent.md", "arena exploit"),
    "How do I use my own network?": ("how-to/hosted-games.md", "--network my_nets.py:make"),
    "How do I evaluate against old snapshots?": ("explanation/leagues.md", "Snapshots are measured"),
    "How do I run on two machines?": ("how-to/several-machines.md", "ray://HOST"),
    "How do I continue a run?": ("how-to/resume.md", "--resume --steps"),
    "How do I export a model?": ("how-to/export.md", "arena export"),
    "What do the columns mean?": ("how-to/ratings.md", "half of the 95 % interval"),
}
"""What newcomers ask, and where it is answered: a page, and words of the answer."""


@pytest.mark.parametrize("start", [README, ROOT / "docs" / "index.md"], ids=lambda page: page.name)
def test_newcomers_questions_are_answered_within_three_clicks(start):
    asked = (ROOT / "docs" / "how-to" / "questions.md").read_text(encoding="utf-8")
    reached = within_clicks(start, 3)
    for question, (name, words) in QUESTIONS.items():
        page = ROOT / "docs" / name
        assert f"**{question}**" in asked
        assert page in reached, question
        assert words in page.read_text(encoding="utf-8"), question


def test_the_page_of_variables_has_all_of_ours():
    files = [file for folder in ("arena", "agents", "games") for file in (ROOT / folder).rglob("*.py")]
    named = {name for file in files for name in re.findall(r'"(ARENA_[A-Z_]+)"', file.read_text(encoding="utf-8"))}
    page = (ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")
    assert len(named) > 4
    assert not [name for name in named - {"ARENA_SECRET_FOR_ESCAPES"} if f"`{name}`" not in page]


WITH_SESSIONS = [README, *(page for page in DOCS if ">>> " in page.read_text(encoding="utf-8"))]


@pytest.mark.full
@pytest.mark.parametrize("page", WITH_SESSIONS, ids=lambda page: page.name)
def test_python_on_a_page_runs(page):
    found = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted
    assert found.failed == 0


def python_blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def python_files(page):
    """The blocks of Python on a page that are files, by the name in their first line."""
    named = ((re.match(r"# (\w+\.py)", block), block) for block in python_blocks(page))
    return {name[1]: block for name, block in named if name}


@pytest.mark.full
def test_the_files_on_the_page_of_hosted_games_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in python_files(ROOT / "docs" / "how-to" / "hosted-games.md").items():
        Path(name).write_text(text, encoding="utf-8")
    assert main(["check-game", "./noughts.py"]) == 0
    short = ["--steps", "1000", "--boards", "16", "--snapshots", "1", "--evaluation-games", "8", "--threads", "1"]
    assert main(["train", "kuhn_poker", "ppo", "--network", "my_nets.py:make", *short]) == 0


def block_with(page, words):
    """The block of Python on a page that has these words."""
    return next(block for block in python_blocks(page) if words in block)


@pytest.mark.full
def test_a_package_gives_its_environment_a_short_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new-game", "race", "--pettingzoo"]) == 0
    package = tmp_path / "my_package"
    package.mkdir()
    (package / "__init__.py").write_text(block_with(ROOT / "docs" / "how-to" / "hosted-games.md", "GAMES"))
    written = (tmp_path / "race" / "race.py").read_text(encoding="utf-8").replace("Environment", "Race")
    (package / "race.py").write_text(written, encoding="utf-8")
    declare(tmp_path, "my_package", "arena.games", "mine = my_package:GAMES")
    command = [sys.executable, "-m", "arena", "check-game", "race"]
    done = subprocess.run(
        command, cwd=package, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
def test_games_on_a_device_are_stepped_or_refused_for_want_of_one():
    block = block_with(ROOT / "docs" / "how-to" / "gpu.md", "GameVectorEnv")
    if torch.cuda.is_available():
        made: dict = {}
        exec(block, made)
        assert made["observation"].obs.is_cuda
    else:
        with pytest.raises(UsageError, match=r"CUDA|cuda"):
            exec(block, {})


def command_lines():
    """The commands in blocks of shell on all pages, once each."""
    for page in (README, *DOCS):
        for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
            for line in block.splitlines():
                words = re.sub(r"^(\$ )?([A-Z_]+=\S+ )*", "", re.split(r"\s+#", line)[0])
                yield from (command.strip() for command in words.split(";"))


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
