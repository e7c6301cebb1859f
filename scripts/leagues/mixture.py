"""Mixtures of a league's members and their exact exploitability, in games small enough to enumerate.

The result of a league is the mixture of its members, from which one is drawn for every game, rather than its newest
member. The exploitability is exact: every member is queried in every information state.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.analysis.asking import ask_strategy
from arena.analysis.response import Exploitability, exploitability
from arena.analysis.strategy_pools import StrategyPools
from arena.analysis.tree import Floats, GameTree
from arena.base.errors import UsageError
from arena.league.records import League, Member
from arena.policy.registry import make_agent


@dataclass(frozen=True)
class Mixture:
    """A mixture of members and its exploitability."""

    members: tuple[Member, ...]
    shares: tuple[Floats, ...]
    """Shares of the members [n], for each seat."""
    result: Exploitability
    """Exploitability of the mixture."""
    alone: tuple[Exploitability, ...]
    """Exploitability of each member by itself."""

    @property
    def support(self) -> int:
        """Number of members whose share is at least 1 % for some seat."""
        return int((np.max(self.shares, axis=0) >= 0.01).sum())


def mix_members(
    tree: GameTree, run: Path, league: League, meta: str = "nash", chosen: bool = False, learners: Sequence[str] = ()
) -> Mixture:
    """Mix the members of the league in the folder `run` by a meta-strategy (see `arena.analysis.strategy_pools`).

    `learners` restricts the members to those of some learners. A member's strategy is its probabilities of the moves
    or, with `chosen`, the move that it chooses. Raises `UsageError` if there are no members yet.
    """
    members = league.members_of(learners) if learners else league.members
    if not members:
        raise UsageError(f"{run}: the league has no members yet")
    strategies = np.stack([_strategy(tree, run, league, member, chosen) for member in members])
    pools = StrategyPools(tree, meta, strategies)
    alone = tuple(exploitability(tree, strategy) for strategy in strategies)
    return Mixture(tuple(members), tuple(pools.shares), exploitability(tree, pools.strategy()), alone)


def _strategy(tree: GameTree, run: Path, league: League, member: Member, chosen: bool) -> Floats:
    """Return the strategy [Q] of a member: probabilities of all moves in all information states."""
    spec = f"{league.algorithm}:{run / member.folder}"
    with closing(make_agent(spec, tree.game)) as policy:
        return ask_strategy(tree, policy, spec, chosen)
