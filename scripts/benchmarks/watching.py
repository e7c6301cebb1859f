"""What watching costs: the first picture, the processor while moves come fast, and keys while an agent searches."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import NOBODY, Row, duration
from benchmarks.terminal import first_picture, output

PROGRAM = Path(__file__).with_name("watched.py")
FAST = "go random random --games 1 --speed 64"
DEEP = "connect_four mcts:1000000 mcts:1000000"


def rows() -> Iterator[Row]:
    """Figures of screens in a terminal of their own."""
    words = [sys.executable, "-m", "arena", "watch", "connect_four", "random", "random"]
    ours = first_picture(words, "╭───", ".")
    ours()  # compiles, and writes the bytecode
    yield duration("screens", "arena watch connect_four random random: first picture", ours, NOBODY)
    told = measured(FAST, warm=60, seconds=4, keys=False)
    work = f"go on 19 x 19, watched at {told['moves']:.0f} moves/s: the screen's share of one core"
    yield Row("screens", work, told["share"], None, NOBODY.name, None, "cores")
    told = measured(DEEP, warm=1, seconds=10, keys=True)
    for which, name in (("wait", "median"), ("worst", "the longest")):
        work = f"a key answered while mcts:1000000 thinks, {name} in 10 s"
        yield Row("screens", work, told[which], None, NOBODY.name, None, "s")


def measured(words: str, warm: int, seconds: float, keys: bool) -> dict[str, float]:
    """What a watched series tells of itself after `warm` positions, over so many seconds."""
    text = output(
        [sys.executable, "-P", str(PROGRAM), str(warm), str(seconds), str(int(keys)), *words.split()], (100, 40)
    )
    if "told " not in text:
        raise RuntimeError(text[-2000:])
    told: dict[str, float] = json.loads(text.rsplit("told ", 1)[1].splitlines()[0])
    return told
