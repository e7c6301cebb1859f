"""Pictures of a league: a heat map of payoffs, and ratings over time."""

from pathlib import Path

from arena.base.errors import UsageError
from arena.base.text import plot_text, printable
from arena.ratings.anchors import zero_words
from arena.tournament.picture import DPI, LOUD, NO_SCORE, QUIET, caption, save_cross_table
from arena.training.league.records import League
from arena.training.league.report import LeagueLadder

COLOURS = ("#08519c", "#b35806", "#3f7f3f", "#7b3294", "#4d4d4d")
"""Line colours of the learners, in turn."""
HEAT_MAP, RATINGS = "payoffs.png", "ratings.png"


def save_pictures(league: League, title: str, folder: Path) -> tuple[Path, Path]:
    """Write the heat map of payoffs and the ratings over time into `folder`, and return the two files.

    Raises `UsageError` if nobody is rated yet or the folder cannot be written.
    """
    if not league.ratings:
        raise UsageError(f"{title}: nobody has been measured yet, so there is nothing to draw")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save_cross_table(LeagueLadder.of(league), title, zero_words(league.zero), folder / HEAT_MAP)
        save_ratings_over_time(league, title, folder / RATINGS)
    except OSError as error:
        raise UsageError(f"{folder}: pictures cannot be written here ({error.strerror})") from None
    return folder / HEAT_MAP, folder / RATINGS


def save_ratings_over_time(league: League, title: str, path: Path) -> None:
    """Write a PNG of the members' current ratings over the step they joined at; references are horizontal lines."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.2), dpi=DPI)
    axes = figure.add_axes((0, 0, 1, 1))
    for reference in (name for name in league.ratings if name not in {member.name for member in league.members}):
        level, _ = league.ratings[reference]
        axes.axhline(level, color=NO_SCORE, linewidth=1.5, zorder=0)
        axes.annotate(
            printable(reference), (1, level), xycoords=("axes fraction", "data"),
            xytext=(4, 0), textcoords="offset points",
            va="center", fontsize=9, color=QUIET, parse_math=False,
        )  # fmt: skip
    for number, learner in enumerate(league.learners):
        rated = [member for member in league.members_of(learner.name) if member.name in league.ratings]
        if not rated:
            continue
        elo = [league.ratings[member.name][0] for member in rated]
        error = [league.ratings[member.name][1] for member in rated]
        colour = COLOURS[number % len(COLOURS)]
        axes.errorbar(
            [member.step for member in rated], elo, yerr=error,
            fmt="o-", markersize=4, capsize=2, linewidth=1.4, color=colour, label=plot_text(learner.name),
        )  # fmt: skip
    if len(league.learners) > 1:
        axes.legend(frameon=False, fontsize=9, labelcolor=LOUD)
    axes.set_xlabel("moves", fontsize=9, color=QUIET)
    axes.tick_params(labelsize=9, colors=QUIET)
    axes.grid(axis="y", color=NO_SCORE, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    caption(axes, title, 24, LOUD, size=12, weight="bold")
    words = f"Elo of every member with its 95 % interval, by when it joined; {zero_words(league.zero)}"
    caption(axes, words, 8, QUIET, size=9)
    figure.savefig(path, bbox_inches="tight", pad_inches=0.2)
