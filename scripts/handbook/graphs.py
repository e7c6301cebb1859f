"""Pictures of Mermaid's graphs, which the site shows where a browser would need a script to draw them."""

import re
from collections.abc import Mapping
from functools import cache
from io import BytesIO

from matplotlib.figure import Figure

ARROW = re.compile(r"^\s*(\S+) --> (\S+)$", re.M)
GREY, BLUE = "#808080", "#4292c6"  # are seen on light and dark paper


def picture(graph: str) -> bytes:
    """Return a graph without circles, lines of `a --> b` and of `a` alone, as a PNG for any background.

    Every arrow leads down: a node stands one floor above the highest that it leads to.
    """
    below: dict[str, list[str]] = {name: [] for name in re.findall(r"^    (\S+)$", graph, re.M)}
    for source, target in ARROW.findall(graph):
        below.setdefault(source, []).append(target)
        below.setdefault(target, [])
    places = _places(below)
    height = 1 + max(y for _, y in places.values())
    figure = Figure(figsize=(9, 0.8 * height), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(-0.6, 0.6), ylim=(-0.5, height - 0.5))
    axes.set_axis_off()
    box = {"boxstyle": "round", "facecolor": "none", "edgecolor": BLUE}
    for name, (x, y) in places.items():
        axes.text(x, y, name, color=BLUE, ha="center", va="center", bbox=box)
    boxes = {text.get_text(): text.get_bbox_patch() for text in axes.texts}
    for source, targets in below.items():
        for target in targets:
            ends = {"patchA": boxes[source], "patchB": boxes[target], "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", places[target], places[source], arrowprops={"arrowstyle": "->", "color": GREY, **ends})
    file = BytesIO()
    figure.savefig(file, format="png", transparent=True)
    return file.getvalue()


def _places(below: Mapping[str, list[str]]) -> dict[str, tuple[float, int]]:
    """Return where each node stands: from left to right near those it leads to, its floor from the bottom."""

    @cache
    def floor(name: str) -> int:
        return 1 + max((floor(target) for target in below[name]), default=-1)

    floors: dict[int, list[str]] = {}
    for name in below:
        floors.setdefault(floor(name), []).append(name)
    places: dict[str, tuple[float, int]] = {}
    for y in sorted(floors):
        wanted = {name: _mean([places[target][0] for target in below[name]]) for name in floors[y]}
        for number, name in enumerate(sorted(floors[y], key=wanted.__getitem__)):
            places[name] = ((number + 0.5) / len(floors[y]) - 0.5, y)
    return places


def _mean(values: list[float]) -> float:
    return sum(values) / max(len(values), 1)
