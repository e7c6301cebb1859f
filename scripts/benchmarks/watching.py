"""Cost of watching: the first frame, processor time at high speed, and keys while an agent searches."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import NOBODY, Row, duration
from benchmarks.terminal import first_picture, output

PROGRAM = Path(__file__).with_name("watched.py")
FAST = "64 go random random"
DEEP = "1 connect_four mcts:1000000 mcts:1000000"


def rows() -> Iterator[Row]:
    """Measure screens in a pseudo-terminal."""
    words = [sys.executable, "-m", "arena", "watch", "connect_four", "random", "random"]
    ours = first_picture(words, "╭───", ".")
    ours()  # compiles, and writes the bytecode
    yield duration("screens", "arena watch connect_four random random: first picture", ours, NOBODY)
    results = measured(FAST, warm=60, seconds=4, keys=False)
    work = f"go on 19 x 19, watched at {results['moves']:.0f} moves/s: the screen's share of one core"
    yield Row("screens", work, results["share"], None, NOBODY.name, None, "cores")
    results = measured(DEEP, warm=1, seconds=10, keys=True)
    for which, name in (("wait", "median"), ("worst", "the longest")):
        work = f"a key answered while mcts:1000000 thinks, {name} in 10 s"
        yield Row("screens", work, results[which], None, NOBODY.name, None, "s")


def measured(words: str, warm: int, seconds: float, keys: bool) -> dict[str, float]:
    """Return the measurements of SPEED GAME AGENT AGENT, after `warm` positions and over `seconds`."""
    text = output(
        [sys.executable, "-P", str(PROGRAM), str(warm), str(seconds), str(int(keys)), *words.split()], (100, 40)
    )
    if "told " not in text:
        raise RuntimeError(text[-2000:])
    results: dict[str, float] = json.loads(text.rsplit("told ", 1)[1].splitlines()[0])
    return results
