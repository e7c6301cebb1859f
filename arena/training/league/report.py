"""Reports of a league: its ladder, payoffs, lineage, and next opponents."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.base.counting import counted
from arena.ratings.alpha_rank import alpha_rank
from arena.ratings.anchors import zero_words
from arena.ratings.cycles import cyclic_share
from arena.ratings.games import Floats, mean_scores, meetings
from arena.ratings.head_to_head import elo_to_score
from arena.tournament.report import percent
from arena.training.league.records import League
from arena.training.scores import other_returns, return_words
from games.engine.identity import GameId

MOST_ROWS = 40
"""Maximum number of rows of the ladder in a terminal; the middle of longer ones is left out."""
MOST_COLUMNS = 12
"""Maximum number of columns of the payoff matrix in a terminal."""
MOST_OPPONENTS = 6
"""Maximum number of opponents listed for a learner; the rest is summed up."""


@dataclass(frozen=True)
class Place:
    """One line of the ladder."""

    rank: int
    """From 1."""
    name: str
    elo: float
    error: float
    """Half-width of the 95 % interval of `elo`."""


@dataclass(frozen=True)
class LeagueLadder:
    """Members and references of a league that have been measured, the strongest first; N of them."""

    league: League
    names: tuple[str, ...]

    @classmethod
    def of(cls, league: League) -> "LeagueLadder":
        """Return the ladder of a league."""
        return cls(league, tuple(sorted(league.ratings, key=lambda name: -league.ratings[name][0])))

    @cached_property
    def points(self) -> Floats:
        """Points [N, N] of the row's player against the column's in evaluation games: a win 1, a draw 0.5."""
        return self.league.evaluation.points(list(self.names))

    @property
    def rows(self) -> tuple[Place, ...]:
        """Rows of the ladder, the best first."""
        return tuple(Place(rank, name, *self.league.ratings[name]) for rank, name in enumerate(self.names, start=1))

    @property
    def games(self) -> Floats:
        """Number of games between two players [N, N]."""
        return meetings(self.points)

    @property
    def scores(self) -> Floats:
        """Points per game, row against column [N, N]; NaN for pairs that never met."""
        return mean_scores(self.points)

    @cached_property
    def cyclic(self) -> float:
        """Share of the results that runs in circles and fits no rating, 0 to 1; see `cyclic_share`."""
        return cyclic_share(self.points)

    @cached_property
    def alpha_rank(self) -> Floats:
        """Shares of alpha-rank [N]; two who never met score as their ratings have it."""
        elo = np.array([row.elo for row in self.rows])
        expected = np.vectorize(elo_to_score)(elo[:, None] - elo[None, :])
        return alpha_rank(np.where(self.games > 0, np.nan_to_num(self.scores), expected))


def lineages(league: League) -> dict[str, list[list[str]]]:
    """Return each learner's lines of members, each member the parent of the next; a reset starts a new line."""
    lines: dict[str, list[list[str]]] = {learner.name: [] for learner in league.learners}
    for member in league.members:
        of_learner = lines.setdefault(member.learner, [])
        line = next((line for line in of_learner if line[-1] == member.parent), None)
        if line is None:
            of_learner.append([member.name])
        else:
            line.append(member.name)
    return lines


def as_dict(league: League) -> dict[str, Any]:
    """Return the report as JSON values."""
    ladder = LeagueLadder.of(league)
    return {
        "game": league.game,
        "options": league.options,
        "algorithm": league.algorithm,
        "steps": league.step,
        "learners": [
            {
                "name": learner.name,
                "role": learner.role,
                "turns": learner.turns,
                "steps": learner.step,
                "members": len(league.members_of(learner.name)),
                "resets": learner.resets,
                "next_opponents": league.next_opponents.get(learner.name, {}),
            }
            for learner in league.learners
        ],
        "ladder": _ladder_rows(league, ladder),
        "payoffs": {
            "names": list(ladder.names),
            "points": ladder.points.tolist(),
            "games": ladder.games.tolist(),
        },
        "zero": league.zero,
        "returns": {member.name: member.returns for member in league.teams},
        "cyclic_share": round(ladder.cyclic, 4),
        "lineage": lineages(league),
    }


def print_league(league: League, title: str, console: Console) -> None:
    """Print the report in tables."""
    ladder = LeagueLadder.of(league)
    console.print(
        f"{title}: {GameId(league.game, league.options).spec}, {league.algorithm}, {league.step:,} moves, "
        f"{counted(len(league.members), 'member')}",
        style="bold",
        highlight=False,
    )
    _print_titled("\nlearners", _learners(league), console)
    if league.teams:
        _print_titled("\nwhat a team of each member alone earns a game", _teams(league), console)
        _print_lineage(league, console)
        console.print("\nReturns, with 95 % intervals, are from games of their own. Nobody wins: no Elo.", style="dim")
        return
    if not ladder.names:
        console.print("\nNobody has an Elo: there are no games of members against others yet.", style="dim")
        return
    _print_titled("\nladder", _ladder(ladder), console)
    if len(ladder.names) > 1:
        _print_titled("\nscore of the row against the column", _payoffs(ladder), console)
    _print_lineage(league, console)
    console.print(
        f"\nElo, with 95 % intervals, is from games of their own; {zero_words(ladder.league.zero)}. α-rank: shares of "
        f"those who hold their own. Cycles: {percent(ladder.cyclic)} of the results fit no rating.",
        style="dim",
        highlight=False,
    )


def _print_lineage(league: League, console: Console) -> None:
    console.print("\nlineage", style="italic")
    for name, lines in lineages(league).items():
        console.print(Text(f"{name}: {'; '.join(map(_line, lines)) or 'no members yet'}"))


def _learners(league: League) -> Table:
    table = _table("learner", "role", "turns", "moves", "members", "resets", "its next games are against")
    for learner in league.learners:
        counts = (learner.turns, learner.step, len(league.members_of(learner.name)), learner.resets)
        following = _opponents(league.next_opponents.get(learner.name, {}), learner.name)
        table.add_row(Text(learner.name, style="bold"), learner.role, *(f"{count:,}" for count in counts), following)
    return table


def _opponents(shares: Mapping[str, float], own: str) -> str:
    """Return the likeliest opponents, and the share of the rest."""
    ordered = sorted(((share, name) for name, share in shares.items() if share > 0), key=lambda pair: -pair[0])
    words = [f"{'itself' if name == own else name} {percent(share)}" for share, name in ordered[:MOST_OPPONENTS]]
    rest = ordered[MOST_OPPONENTS:]
    if rest:
        words.append(f"{len(rest)} more {percent(math.fsum(share for share, _ in rest))}")
    return ", ".join(words) or "not yet known"


def _ladder(ladder: LeagueLadder) -> Table:
    table = _table(
        "#",
        "name",
        "role",
        "moves",
        "Elo",
        "±",
        "games",
        "score",
        "α-rank",
    )
    members = {member.name: member for member in ladder.league.members}
    left_out = range(MOST_ROWS // 2, len(ladder.names) - MOST_ROWS // 2)
    for place, row in enumerate(ladder.rows):
        if place in left_out:
            if place == left_out[0]:
                table.add_row("", f"... {len(left_out)} more", *[""] * 7)
            continue
        member, games = members.get(row.name), ladder.games[place].sum()
        table.add_row(
            str(row.rank),
            Text(row.name, style="bold"),
            member.role if member else "reference",
            f"{member.step:,}" if member else "",
            f"{row.elo:z.0f}",
            f"{row.error:.0f}",
            f"{games:.0f}",
            percent(float(ladder.points[place].sum() / max(games, 1))),
            percent(float(ladder.alpha_rank[place])),
        )
    return table


def _teams(league: League) -> Table:
    """Return the table of members by what a team of each alone earns; the middle of long ones is left out."""
    others = list(dict.fromkeys(name for member in league.teams for name in other_returns(member.returns)))
    table = _table("#", "name", "moves", "return", *others)
    left_out = range(MOST_ROWS // 2, len(league.teams) - MOST_ROWS // 2)
    for place, member in enumerate(league.teams):
        if place in left_out:
            if place == left_out[0]:
                table.add_row("", f"... {len(left_out)} more")
            continue
        name, of_others = Text(member.name, style="bold"), other_returns(member.returns)
        figures = [f"{of_others[other]:.4g}" if other in of_others else "" for other in others]
        table.add_row(str(place + 1), name, f"{member.step:,}", return_words(member.returns), *figures)
    return table


def _payoffs(ladder: LeagueLadder) -> Table:
    """Return the table of scores; of long ladders evenly spaced players, from the first to the last."""
    size = len(ladder.names)
    shown = sorted({round(place) for place in np.linspace(0, size - 1, min(size, MOST_COLUMNS))})
    table = _table("#", "name", *(str(place + 1) for place in shown))
    for row in shown:
        cells = (percent(float(ladder.scores[row, column])) or "\N{MIDDLE DOT}" for column in shown)
        table.add_row(str(row + 1), Text(ladder.names[row], style="bold"), *cells)
    return table


def _line(names: list[str]) -> str:
    """Return a line of descent as text: its first and last member, and their number."""
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]} ({len(names)})"


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        words = heading in ("learner", "name", "role") or " " in heading
        table.add_column(heading, justify="left" if words else "right", no_wrap=not words, overflow="fold")
    return table


def _print_titled(title: str, table: Table, console: Console) -> None:
    console.print(title, style="italic", highlight=False)
    console.print(table)


def _ladder_rows(league: League, ladder: LeagueLadder) -> list[dict[str, Any]]:
    """Return the ladder as JSON values, the strongest first; of a reference the training figures are None."""
    members = {member.name: member for member in league.members}
    alpha = ladder.alpha_rank if ladder.names else np.zeros(0)
    return [
        {
            "rank": row.rank,
            "name": row.name,
            "role": members[row.name].role if row.name in members else "reference",
            "steps": members[row.name].step if row.name in members else None,
            "parent": members[row.name].parent if row.name in members else None,
            "elo": round(row.elo, 1),
            "error_95": round(row.error, 1),
            "games": int(ladder.games[row.rank - 1].sum()),
            "alpha_rank": round(float(alpha[row.rank - 1]), 4),
        }
        for row in ladder.rows
    ]
