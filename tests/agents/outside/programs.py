"""Programs to be spoken to: the real ones where they are installed, and small bots with faults."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import agents.outside

PAGE = Path(agents.outside.__path__[0], "PROTOCOL.md")
ARENA = f"{sys.executable} -m arena"


def require_program(name: str) -> str:
    """Return the path of a program; skip the test if it is missing, but fail in continuous integration."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/games:/usr/lib/leelaz/bin")
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{name} is not installed, and CI=true asks for the tests with it")
        pytest.skip(f"{name} is not installed")
    return path


def page_example(folder: Path) -> str:
    """The spec of the bot that the page of the protocol shows, word for word."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    path = folder / "my_bot.py"
    path.write_text(found[1], encoding="utf-8")
    return f"cmd:{sys.executable} {path}"


BOT = """
import json, os, subprocess, sys, time

def answer(message):
{answer}

def hello(message):
    return {{"type": "ready"}}

{more}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps(hello(message)), flush=True)
    elif message["type"] == "move":
        print(json.dumps(answer(message)), flush=True)
"""


def bot(folder: Path, answer: str = 'return {"action": message["legal"][0]}', more: str = "") -> str:
    """The spec of a bot with these lines as its `answer(message)`, and `more` before it begins to listen."""
    path = folder / "bot.py"
    indented = "\n".join("    " + line for line in answer.splitlines())
    path.write_text(BOT.format(answer=indented, more=more), encoding="utf-8")
    return f"cmd:{sys.executable} {path}"
