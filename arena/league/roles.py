"""What each role in a league does: whom it meets, when its snapshot is ready, when it begins anew.

The three roles, their shares and their thresholds are AlphaStar's (O. Vinyals et al., Nature 575, 2019, and the
pseudocode of its supplement); the matchmaker of a main agent's games against the pool can be another than PFSP. Of its
2e9 to 4e9 steps between two snapshots of an exploiter one to `exploiter_turns` turns are left here.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena.league.config import LeagueConfig
from arena.league.matchmaker import Floats, Weighting, by_rating, not_forgotten, pfsp, uniform, window
from arena.league.records import League, Learner, Member, Role

Shares = dict[str, float]
"""Opponents by name, and what share of a learner's games is against each; its own name stands for self-play."""

BEATEN = 0.7
"""A score from which an opponent counts as beaten."""
TOO_STRONG = 0.3
"""A score at or below which another main agent, or an exploiter, is too strong to be met or left alone."""
HOPELESS = 0.1
"""A score at or below which an exploiter leaves a main agent for its past."""
BEGINS_ANEW = {"main": 0.0, "main exploiter": 1.0, "league exploiter": 0.25}
"""Chance that a learner of this role begins anew once its snapshot has joined the league."""


def learners_of(config: LeagueConfig) -> list[Learner]:
    """The learners that a league begins with: main agents, main exploiters, league exploiters."""
    roles: list[tuple[Role, int]] = [
        ("main", config.main_agents),
        ("main exploiter", config.main_exploiters),
        ("league exploiter", config.league_exploiters),
    ]
    return [
        Learner(role.replace(" ", "-") + (f"-{number}" if number > 1 else ""), role)
        for role, count in roles
        for number in range(1, count + 1)
    ]


def opponents_of(league: League, learner: Learner, config: LeagueConfig) -> Shares:
    """Whom a learner meets next; shares sum to 1, less those of the references."""
    if learner.role == "main exploiter":
        return _against_main_agents(league, learner)
    if learner.role == "league exploiter":
        return _prioritised(league, learner, league.members, "capped")
    shares: Shares = {}
    _add(shares, config.self_play, _self_play(league, learner))
    if config.pool:
        _add(shares, config.pool, _from_pool(league, learner, config) or {learner.name: 1.0})
    if config.verification:
        _add(shares, config.verification, _verification(league, learner) or _self_play(league, learner))
    return shares


def has_beaten_all(league: League, learner: Learner) -> bool:
    """Whether an exploiter beats everybody it is there to beat, as its recent games say."""
    if learner.role == "main exploiter":
        names = [other.name for other in _main_agents(league)]
    else:
        names = [member.name for member in league.members if member.learner != learner.name]
    return bool(len(names)) and bool((league.training.recent_scores(learner.name, names) > BEATEN).all())


def is_ready(league: League, learner: Learner, config: LeagueConfig) -> bool:
    """Whether a learner, at the end of a turn, is to join the league as it is: main agents after every turn."""
    late = learner.turns_since_member + 1 >= config.exploiter_turns
    return learner.role == "main" or late or has_beaten_all(league, learner)


def changes_within_a_turn(learner: Learner, config: LeagueConfig) -> bool:
    """Whether whom a learner meets depends on the games of its own turn."""
    return learner.role != "main" or config.matchmaker == "pfsp" or config.verification > 0 or config.main_agents > 1


# --- main agents ----------------------------------------------------------------------------------------------------


def _self_play(league: League, learner: Learner) -> Shares:
    """Every main agent alike, itself among them; one that is too strong is met as it was, in its snapshots."""
    shares: Shares = {}
    mains = _main_agents(league)
    for other in mains:
        met: Shares = {other.name: 1.0}
        if other.name != learner.name and league.training.of(learner.name, other.name).recent_score <= TOO_STRONG:
            met = _prioritised(league, learner, league.members_of(other.name), "variance") or met
        _add(shares, 1 / len(mains), met)
    return shares


def _from_pool(league: League, learner: Learner, config: LeagueConfig) -> Shares:
    """Snapshots, by the matchmaker; nobody while there are none."""
    members = league.members
    if config.matchmaker == "fictitious":
        members = league.members_of(main.name for main in _main_agents(league))
    if not members:
        return {}
    return _named(members, _matched(league, learner, members, config))


def _matched(league: League, learner: Learner, members: Sequence[Member], config: LeagueConfig) -> Floats:
    """Shares [N] of these members by the matchmaker's rule."""
    names = [member.name for member in members]
    match config.matchmaker:
        case "latest":
            return window(len(names), config.opponents)
        case "window":
            return window(len(names), config.pool_window)
        case "pfsp":
            return pfsp(league.training.recent_scores(learner.name, names), config.pfsp_weighting)
        case "rating":
            elo = {name: league.ratings.get(name, (0.0, 0.0))[0] for name in names}  # at first nobody has played
            return by_rating(elo.get(learner.parent or "", 0.0), np.array(list(elo.values())))
        case "psro":
            from arena.league.meta_strategies import meta_strategy, scores_of  # compiled code, which others do without

            return meta_strategy(scores_of(league.evaluation.points(names)), config.meta_strategy)
    return uniform(len(names))


def _verification(league: League, learner: Learner) -> Shares:
    """Exploiters' snapshots if one of them wins too much; else what was beaten once and is no longer; else nobody."""
    exploiters = [other.name for other in league.learners if other.role == "main exploiter"]
    members = league.members_of(exploiters)
    scores = _scores(league, learner, members)
    if len(scores) and scores.min() < TOO_STRONG:
        return _named(members, pfsp(scores, "squared"))
    shares: Shares = {}
    mains = _main_agents(league)
    for other in mains:
        members = league.members_of(other.name)
        scores = _scores(league, learner, members)
        left = len(scores) - not_forgotten(scores)
        found: Shares = {}
        if left and scores[:left].min() < BEATEN:
            found = _named(members[:left], pfsp(scores[:left], "squared"))
        _add(shares, 1 / len(mains), found or {learner.name: 1.0})
    return shares


# --- exploiters -----------------------------------------------------------------------------------------------------


def _against_main_agents(league: League, learner: Learner) -> Shares:
    """Every main agent alike; one that it has no chance against is met as it was, in its snapshots."""
    shares: Shares = {}
    mains = _main_agents(league)
    for main in mains:
        met: Shares = {main.name: 1.0}
        if league.training.of(learner.name, main.name).recent_score <= HOPELESS:
            met = _prioritised(league, learner, league.members_of(main.name), "variance") or met
        _add(shares, 1 / len(mains), met)
    return shares


# --- helpers --------------------------------------------------------------------------------------------------------


def _main_agents(league: League) -> list[Learner]:
    return [learner for learner in league.learners if learner.role == "main"]


def _scores(league: League, learner: Learner, members: Sequence[Member]) -> NDArray[np.float64]:
    return league.training.recent_scores(learner.name, [member.name for member in members])


def _prioritised(league: League, learner: Learner, members: Sequence[Member], weighting: Weighting) -> Shares:
    return _named(members, pfsp(_scores(league, learner, members), weighting))


def _named(members: Sequence[Member], shares: Floats) -> Shares:
    return {member.name: float(share) for member, share in zip(members, shares, strict=True) if share > 0}


def _add(shares: Shares, part: float, found: Shares) -> None:
    """Add a part of all games to the shares; no part adds nobody."""
    for name, share in found.items():
        if part * share > 0:
            shares[name] = shares.get(name, 0.0) + part * share
