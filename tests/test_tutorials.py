"""Tutorials: each is run as a reader does it, block after block, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.outside.programs import require_program

PAGES = sorted((Path(__file__).parents[1] / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"(?:Save this as `(?P<file>[^`]+)`:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```", re.M | re.S)
NEEDS = {"chess-engine": "stockfish"}


def script(page):
    """A page as a script for bash: blocks of `sh` are run, files are written that the page says to save."""
    lines = ["set -euo pipefail"]
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["file"]:
            lines.append(f"cat >{block['file']} <<'END OF FILE'\n{block['text']}END OF FILE")
        elif block["kind"] == "sh":
            lines.append(block["text"])
    return "\n".join(lines)


@pytest.mark.slow("runs every command of a page")
@pytest.mark.full
@pytest.mark.parametrize("page", [page for page in PAGES if page.stem != "index"], ids=lambda page: page.stem)
def test_a_tutorial_can_be_copied(page, tmp_path):
    if program := NEEDS.get(page.stem):
        require_program(program)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/games"
    done = subprocess.run(
        ["bash", "-c", script(page)],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]
