"""Tables and curves of what has been learned, from the rows of the checks of learning."""

from io import BytesIO
from pathlib import Path

import kept_rows
from matplotlib.figure import Figure

from handbook.markdown import table

SCRIPTS = Path(__file__).parents[1]
ROWS, CURVES = SCRIPTS / "learning_checks.csv", SCRIPTS / "learning_curves.csv"
HOSTED = SCRIPTS / "hosted_learning.csv"
EQUILIBRIA, ALPHAZERO = SCRIPTS / "equilibrium_checks.csv", SCRIPTS / "alphazero_checks.csv"
LABELS = {"elo": "Elo, random is 0", "return": "return of an episode"}
GREY = "#808080"  # is seen on light and dark paper
HEAD = ("task", "threshold", "median of three seeds", "each", "steps", "seconds")
NAMES = ("task", "threshold", "score", "scores", "steps", "seconds")


def of_algorithm(name: str) -> str:
    """Return the table of one algorithm's checks; empty if it has none."""
    rows = [row for row in kept_rows.read(ROWS) if row["algorithm"] == name]
    return table(HEAD, ([row[column] for column in NAMES] for row in rows)) if rows else ""


def by_task() -> str:
    """Return the table of all checks, a task and what it asks a line, with the median of each algorithm."""
    tasks: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in kept_rows.read(ROWS):
        tasks.setdefault((row["task"], row["threshold"]), []).append(row)
    lines = ([task, f"{float(threshold):g}", ", ".join(map(_score, rows))] for (task, threshold), rows in tasks.items())
    return table(["task", "threshold", "median of three seeds"], lines)


def near_equilibria() -> str:
    """Return the table of how near networks have come to equilibria: the last snapshot of every seed."""
    last: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in kept_rows.read(EQUILIBRIA):
        if row["number"] == row["snapshots"]:
            last.setdefault((row["game"].partition("(")[0], row["algorithm"]), []).append(row)
    lines = []
    for (game, algorithm), rows in sorted(last.items()):
        distances = ", ".join(f"{float(row['exploitability']):.2g}" for row in rows)
        seconds = sorted(float(row["seconds"]) for row in rows)
        games = f"{round(float(rows[0]['episodes']), -4):,.0f}"
        lines.append([f"`{game}`", f"`{algorithm}`", games, distances, f"{seconds[0]:.0f} to {seconds[-1]:.0f}"])
    return table(["game", "agent", "games", "exploitability, a seed each", "seconds of one core"], lines)


def of_alphazero() -> str:
    """Return the table of the trainings of AlphaZero that were measured."""
    return table(
        ("training", "agent", "measure", "share", "95 % interval", "of"),
        (
            [row["section"], row["agent"], row["measure"], *_percents(row), row["count"]]
            for row in kept_rows.read(ALPHAZERO)
        ),
    )


def in_hosted_games() -> str:
    """Return the table of what agents have learned in games of other packages, a game and a side of it a line."""
    sides: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in kept_rows.read(HOSTED):
        sides.setdefault((row["game"], row["side"]), []).append(row)
    lines = []
    for (game, side), rows in sides.items():
        seconds = sorted(float(row["seconds"]) for row in rows)
        learned = ", ".join(_amount(row, "learned") for row in rows)
        took = f"{seconds[0]:.0f} to {seconds[-1]:.0f}"
        lines.append([f"`{game}`", side, f"{int(rows[0]['steps']):,}", took, learned, _amount(rows[0], "random")])
    return table(["game", "side", "moves", "seconds of one core", "learned, a seed each", "random"], lines)


def curve(name: str) -> tuple[str, bytes] | None:
    """Return the task and the learning curve of an algorithm, a PNG for any background; None if there is none."""
    rows = [row for row in kept_rows.read(CURVES) if row["algorithm"] == name]
    if not rows:
        return None
    steps, low, mean, high = ([float(row[column]) for row in rows] for column in ("step", "low", "mean", "high"))
    figure = Figure(figsize=(6.5, 3), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.fill_between(steps, low, high, color="#4292c6", alpha=0.3, linewidth=0)
    axes.plot(steps, mean, color="#4292c6")
    axes.set_xlabel("steps", color=GREY)
    axes.set_ylabel(LABELS[rows[0]["figure"]], color=GREY)
    axes.tick_params(colors=GREY)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.grid(color=GREY, alpha=0.3)
    file = BytesIO()
    figure.savefig(file, format="png", transparent=True)
    return rows[0]["task"], file.getvalue()


def _score(row: dict[str, str]) -> str:
    return f"`{row['algorithm']}` {float(row['score']):.3g}"


def _amount(row: dict[str, str], who: str) -> str:
    value, error = float(row[who]), float(row[f"{who}_error"])
    if not error:
        return f"{100 * value:.1f} %"
    if row["measure"] == "score":
        return f"{100 * value:.1f} ± {100 * error:.1f} %"
    return f"{value:+.1f} ± {error:.1f}".replace("-", "−")


def _percents(row: dict[str, str]) -> list[str]:
    share, low, high = (100 * float(row[name]) for name in ("share", "low", "high"))
    return [f"{share:.1f} %", f"{low:.1f} to {high:.1f} %"]
