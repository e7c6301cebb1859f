"""View model of a league: rows, curves and words."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.text import Text

from arena.policy.snapshots import RETURN
from arena.training.league.records import League, read_league
from arena.training.league.report import LeagueLadder
from arena.training.scores import HIGH, LOW, return_words
from arena.tui.drawing.plotting import Curve, spark
from arena.tui.state.words import mark, percent
from arena.tui.widgets.heat_map import Payoffs
from arena.tui.widgets.rows import Cells
from games.engine.identity import GameId

SPARK = 10
"""Columns of the rating over time in the ladder."""


@dataclass(frozen=True, eq=False)
class LeagueView:
    """A league at one moment, with its derived figures."""

    league: League
    ladder: LeagueLadder
    payoffs: Payoffs
    alpha: dict[str, float]
    """Share of each player in alpha-rank."""
    cyclic: float
    """Cyclic share of the results."""


def read_view(folder: Path) -> LeagueView:
    """Return the league in a run's folder; `CheckpointError` if there is none that can be read."""
    league = read_league(folder)
    ladder = LeagueLadder.of(league)
    met = len(ladder.names) > 1 and ladder.games.any()
    alpha = dict(zip(ladder.names, ladder.alpha_rank.tolist(), strict=True)) if met else {}
    cyclic = float(ladder.cyclic) if met else 0.0
    return LeagueView(league, ladder, Payoffs(ladder.names, np.asarray(ladder.scores, np.float64)), alpha, cyclic)


def team_rows(view: LeagueView, marked: list[str]) -> list[tuple[str, Cells]]:
    """Return a row for each member of a game that nobody wins: mark, place, name, return, over time, age."""
    rows: list[tuple[str, Cells]] = []
    returns = {member.name: member.returns[RETURN] for member in view.league.teams}
    for place, member in enumerate(view.league.teams, start=1):
        mean, _, error = return_words(member.returns).partition(" ±")
        before = [returns[one] for one in reversed(view.league.lineage(member.name)) if one in returns]
        sign = mark(marked.index(member.name)) if member.name in marked else ""
        age, name = f"{view.league.step - member.step:,}", Text(member.name, "bold")
        rows.append((member.name, (sign, str(place), name, mean, error, spark(before, SPARK), age)))
    return rows


def return_curves(league: League) -> list[Curve]:
    """Return what teams of each learner's members earn over time, with the 95 % interval if there is one learner."""
    curves = []
    for number, learner in enumerate(league.learners):
        scores = [(one.step, one.returns) for one in league.members_of(learner.name) if RETURN in one.returns]
        known = [(step, one[LOW], one[HIGH]) for step, one in scores if {LOW, HIGH} <= one.keys()]
        band = known if len(league.learners) == 1 else []
        curves.append(Curve(learner.name, [(step, one[RETURN]) for step, one in scores], f"seat-{number % 4}", band))
    return curves


def ladder_rows(view: LeagueView, marked: list[str]) -> list[tuple[str, Cells]]:
    """Return a row for each rated player: mark, place, name, rating, half its interval, rating over time, age."""
    rows: list[tuple[str, Cells]] = []
    ages = {member.name: view.league.step - member.step for member in view.league.members}
    for place, name in enumerate(view.ladder.names, start=1):
        elo, error = view.league.ratings[name]
        sign = mark(marked.index(name)) if name in marked else ""
        age = f"{ages[name]:,}" if name in ages else ""
        cells = (sign, str(place), Text(name, "bold"), f"{elo:z.0f}", f"{error:.0f}", over_time(view.league, name), age)
        rows.append((name, cells))
    return rows


def over_time(league: League, name: str) -> str:
    """Return the ratings of a member's ancestors and of the member, in the order of their creation."""
    rated = {point.name: point.elo for point in league.history}
    return spark([rated[one] for one in reversed(league.lineage(name)) if one in rated], SPARK)


def rating_curves(league: League) -> list[Curve]:
    """Return ratings over time of each learner's members; with the confidence band if there is one learner."""
    curves = []
    for number, learner in enumerate(league.learners):
        points = [point for point in league.history if point.learner == learner.name]
        band = [(p.step, p.elo - p.error, p.elo + p.error) for p in points] if len(league.learners) == 1 else []
        curves.append(Curve(learner.name, [(p.step, p.elo) for p in points], f"seat-{number % 4}", band))
    return curves


def next_opponents(league: League) -> str:
    """Return the next opponents of each learner, the likeliest first."""
    lines = []
    for learner in league.learners:
        shares = league.next_opponents.get(learner.name, {})
        likely = sorted(shares.items(), key=lambda item: -item[1])
        parts = [
            f"{'itself' if name == learner.name else name} {percent(share)}" for name, share in likely if share > 0
        ]
        lines.append(f"{learner.name}: {', '.join(parts) or 'nobody yet'}")
    return "\n".join(lines)


def about(view: LeagueView, name: str | None) -> str:
    """Return the lineage, role and alpha-rank of a member."""
    if name is None:
        return ""
    line = " ← ".join(view.league.lineage(name)) or f"{name}: a reference, which never changes"
    roles = {member.name: member.role for member in view.league.members}
    alpha = f"alpha-rank {view.alpha[name]:.2f}" if name in view.alpha else ""
    return "\n".join(filter(None, (line, "   ".join(filter(None, (roles.get(name, ""), alpha))))))


def spec_of(folder: Path, league: League, name: str) -> str:
    """Return the spec of a player in the league: a member's checkpoint, or a reference."""
    members = {member.name: member for member in league.members}
    return f"{league.algorithm}:{folder / members[name].folder}" if name in members else name


def game_words(league: League) -> str:
    """Return the game as it is written on a command line."""
    return GameId(league.game, league.options).spec
