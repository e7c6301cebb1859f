"""Peers in a Python interpreter of their own, since their dependencies conflict with ours."""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import Peer

PYTHONS: dict[str, str] = {}
"""Interpreter that has a peer's package, by the package's name; this interpreter for all others."""
PROGRAMS = Path(__file__).with_name("peers")


@contextmanager
def process(title: str, package: str, program: str, *arguments: str) -> Iterator[Peer]:
    """Yield a peer whose program does one round for each line it reads, and prints the work done."""
    if package not in PYTHONS and importlib.util.find_spec(package) is None:
        yield Peer(f"{title} not run: {package} not installed (give --python {package}=PATH)", None)
        return
    command = [PYTHONS.get(package, sys.executable), str(PROGRAMS / program), *arguments]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )

    def loop() -> int:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write("\n")
        return int(child.stdout.readline())

    try:
        try:
            loop()
        except (OSError, ValueError):
            assert child.stderr is not None
            reason = (child.stderr.read().strip().splitlines() or ["no answer"])[-1]
            yield Peer(f"{title} not run: {reason}", None)
        else:
            yield Peer(title, loop)
    finally:
        child.kill()
        child.wait()
