"""Roles in a league: which opponents each plays, when its snapshot is ready, and when it is reset.

The three roles, their shares and their thresholds are AlphaStar's (O. Vinyals et al., Nature 575, 2019, and the
pseudocode of its supplement); the matchmaker of a main agent's games against the pool can be another than PFSP. Of its
2e9 to 4e9 steps between two snapshots of an exploiter one to `exploiter_turns` turns are left here.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena.training.league.config import LeagueConfig, Weighting
from arena.training.league.matchmaker import Floats, by_rating, not_forgotten, pfsp, uniform, window
from arena.training.league.records import League, Learner, Member, Role

Shares = dict[str, float]
"""Shares of a learner's games by opponent's name; its own name stands for self-play."""

BEATEN = 0.7
"""Score above which an opponent counts as beaten."""
TOO_STRONG = 0.3
"""Score at or below which another main agent is met in its snapshots, and an exploiter calls for verification games."""
HOPELESS = 0.1
"""Score at or below which an exploiter plays a main agent's snapshots instead of itself."""
RESET_PROBABILITY = {"main": 0.0, "main exploiter": 1.0, "league exploiter": 0.25}
"""Probability that a learner of a role is reset after its snapshot has joined the league."""


def learners_of(config: LeagueConfig) -> list[Learner]:
    """Return the learners of a new league: main agents, main exploiters, league exploiters."""
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


def next_opponents(league: League, learner: Learner, config: LeagueConfig) -> Shares:
    """Return the shares of a learner's next opponents; they sum to 1 less the references' share."""
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
    """Return whether an exploiter beats all its targets, by its recent scores."""
    if learner.role == "main exploiter":
        names = [other.name for other in _main_agents(league)]
    else:
        names = [member.name for member in league.members if member.learner != learner.name]
    return bool(len(names)) and bool((league.training.recent_scores(learner.name, names) > BEATEN).all())


def is_ready(league: League, learner: Learner, config: LeagueConfig) -> bool:
    """Return whether a learner's snapshot may join the league at the end of a turn; a main agent's always may."""
    late = learner.turns_since_member + 1 >= config.exploiter_turns
    return learner.role == "main" or late or has_beaten_all(league, learner)


def changes_within_a_turn(learner: Learner, config: LeagueConfig) -> bool:
    """Return whether a learner's opponents depend on the games of its current turn."""
    return learner.role != "main" or config.matchmaker == "pfsp" or config.verification > 0 or config.main_agents > 1


# --- main agents ----------------------------------------------------------------------------------------------------


def _self_play(league: League, learner: Learner) -> Shares:
    """Return equal shares of all main agents, itself included; one that is too strong is met in its snapshots."""
    shares: Shares = {}
    mains = _main_agents(league)
    for other in mains:
        met: Shares = {other.name: 1.0}
        if other.name != learner.name and league.training.of(learner.name, other.name).recent_score <= TOO_STRONG:
            met = _prioritised(league, learner, league.members_of(other.name), "variance") or met
        _add(shares, 1 / len(mains), met)
    return shares


def _from_pool(league: League, learner: Learner, config: LeagueConfig) -> Shares:
    """Return the matchmaker's shares of snapshots; none while there are none."""
    members = league.members
    if config.matchmaker == "fictitious":
        members = league.members_of(main.name for main in _main_agents(league))
    if not members:
        return {}
    return _named(members, _matched(league, learner, members, config))


def _matched(league: League, learner: Learner, members: Sequence[Member], config: LeagueConfig) -> Floats:
    """Return the shares [N] of these members by the matchmaker's rule."""
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
            # Compiled code, which others do without.
            from arena.training.league.meta_strategies import meta_strategy, scores_of

            return meta_strategy(scores_of(league.evaluation.points(names)), config.meta_strategy)
    return uniform(len(names))


def _verification(league: League, learner: Learner) -> Shares:
    """Return shares of exploiters' snapshots if one is too strong, else of snapshots that are no longer beaten."""
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
        forgotten: Shares = {}
        if left and scores[:left].min() < BEATEN:
            forgotten = _named(members[:left], pfsp(scores[:left], "squared"))
        _add(shares, 1 / len(mains), forgotten or {learner.name: 1.0})
    return shares


# --- exploiters -----------------------------------------------------------------------------------------------------


def _against_main_agents(league: League, learner: Learner) -> Shares:
    """Return equal shares of all main agents; one that it has no chance against is met in its snapshots."""
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


def _add(shares: Shares, part: float, added: Shares) -> None:
    """Add `part` of the shares `added` to `shares`."""
    for name, share in added.items():
        if part * share > 0:
            shares[name] = shares.get(name, 0.0) + part * share
