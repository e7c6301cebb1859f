"""Turns of a league: how its records change with games and with the end of a learner's turn.

`League` is data alone, JSON in and JSON out. These functions, and those of `arena.training.league.roles`, are its
rules: they play no games and touch no files. What they need to know of games is in their arguments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from arena.policy.snapshots import SNAPSHOT
from arena.training.evaluation import GameCounts
from arena.training.league.config import LeagueConfig
from arena.training.league.payoff import Payoff
from arena.training.league.ratings import rate_members
from arena.training.league.records import League, Learner, Member, Rated
from arena.training.league.roles import learners_of
from games.engine.game import Game


@dataclass(frozen=True)
class TurnResult:
    """Result of a learner's turn."""

    step: int
    """Number of moves in the learner's games so far."""
    snapshot: Literal["not ready", "refused", "joined"] = "not ready"
    """Whether its snapshot joined the league, was refused by the gate, or was no candidate yet."""
    sha256: str = ""
    """Hash of the weights of a snapshot that joined."""
    evaluation: Mapping[str, GameCounts] = field(default_factory=dict)
    """Evaluation games of a snapshot that joined, by opponent."""
    returns: Mapping[str, float] = field(default_factory=dict)
    """What it earned in them, where nobody wins."""


def new_league(game: Game, algo: str, config: LeagueConfig) -> League:
    """Return the league of a new training: its learners, and no members."""
    training = Payoff(config.payoff_decay)
    options, references = dict(game.options), list(config.references)
    return League(game.name, options, algo, references, learners_of(config), training=training)


def resumed_league(new: League, saved: League) -> League:
    """Return a saved league with the settings of a new one, whose learners it must have."""
    return replace(
        saved,
        game=new.game,
        options=new.options,
        algorithm=new.algorithm,
        references=new.references,
        learners=[saved.learner(learner.name) for learner in new.learners],
        training=Payoff(new.training.decay, saved.training.table),
    )


def turns_taken(league: League) -> int:
    """Return the number of turns taken by all learners together."""
    return sum(learner.turns for learner in league.learners)


def snapshot_folder(league: League, learner: Learner, turn: int) -> str:
    """Return the folder of the snapshot after a learner's turn, relative to that of the run."""
    parent = Path() if learner is league.learners[0] else Path(learner.name)
    return str(parent / SNAPSHOT.format(turn))


def after_games(league: League, learner: Learner, results: Mapping[str, GameCounts]) -> None:
    """Add the results of a learner's training games, by opponent."""
    for opponent, counts in results.items():
        league.training.add(learner.name, opponent, *counts)


def after_turn(league: League, learner: Learner, result: TurnResult, evaluators: Sequence[str]) -> None:
    """Count a turn, and let the learner's snapshot join, with its rating, unless it was refused or is not ready.

    `evaluators` are the agents that all snapshots play in evaluations; the first of them has the rating 0.
    """
    league.step += result.step - learner.step
    learner.step = result.step
    learner.turns += 1
    learner.turns_since_member += 1
    if result.snapshot == "refused":
        learner.refused += 1
    elif result.snapshot == "joined":
        _join(league, learner, result, evaluators)


def after_reset(league: League, learner: Learner) -> None:
    """Note that a learner was reset to its initial weights: its recent scores were those of others."""
    league.training.forget_recent(learner.name)
    learner.resets += 1
    learner.parent = None


def _join(league: League, learner: Learner, result: TurnResult, evaluators: Sequence[str]) -> None:
    """Add the snapshot of a learner's last turn to the members, and rate all members again."""
    name, folder = f"{learner.name}-{learner.turns:04d}", snapshot_folder(league, learner, learner.turns)
    made = learner.turns, league.step, learner.parent, folder, result.sha256, dict(result.returns)
    league.members.append(Member(name, learner.role, learner.name, *made))
    learner.parent, learner.turns_since_member, learner.refused = name, 0, 0
    for opponent, counts in result.evaluation.items():
        league.evaluation.add(name, opponent, *counts)
    fixed = list(dict.fromkeys([*evaluators, *league.references]))
    names = [*fixed, *(member.name for member in league.members)]
    league.ratings = rate_members(league.evaluation, names, fixed[0] if fixed else None)
    if name in league.ratings:
        league.history.append(Rated(league.step, learner.name, name, *league.ratings[name]))
