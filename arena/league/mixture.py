"""The mixture of a league's members that is hardest to exploit, exactly, in games small enough to be written out.

What a league has learned is not its newest member but what its members can play together: every game one of them is
drawn. Its exploitability is exact: every member is asked everywhere what it would do.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from arena.equilibrium.asking import ask_strategy
from arena.equilibrium.psro import Psro
from arena.equilibrium.response import Exploitability, exploitability
from arena.equilibrium.tree import Floats, GameTree
from arena.errors import UsageError
from arena.league.records import League, Member
from arena.registry import make_agent


@dataclass(frozen=True)
class Mixture:
    """How often each member is drawn, and what can be won from that."""

    members: tuple[Member, ...]
    shares: tuple[Floats, ...]
    """For each seat, shares of the members [n]."""
    result: Exploitability
    """Of the mixture."""
    alone: tuple[Exploitability, ...]
    """Of each member by itself."""

    @property
    def support(self) -> int:
        """Members that are drawn at least once in a hundred games by some seat."""
        return int((np.max(self.shares, axis=0) >= 0.01).sum())


def mix_members(
    tree: GameTree, run: Path, league: League, meta: str = "nash", chosen: bool = False, learners: Sequence[str] = ()
) -> Mixture:
    """Mix the members of the league in the folder `run` by a meta-strategy (see `arena.equilibrium.psro`).

    `learners` whose members take part, all by default. Members are asked for their chances of each move; with `chosen`,
    for the move that they choose. `UsageError` if there are no members yet.
    """
    members = league.members_of(learners) if learners else league.members
    if not members:
        raise UsageError(f"{run}: the league has no members yet")
    strategies = np.stack([_strategy(tree, run, league, member, chosen) for member in members])
    pools = Psro(tree, meta, begin=strategies)
    alone = tuple(exploitability(tree, strategy) for strategy in strategies)
    return Mixture(tuple(members), tuple(pools.shares), exploitability(tree, pools.strategy()), alone)


def _strategy(tree: GameTree, run: Path, league: League, member: Member, chosen: bool) -> Floats:
    """What a member plays, [Q]."""
    spec = f"{league.algorithm}:{run / member.folder}"
    with closing(make_agent(spec, tree.game)) as policy:
        return ask_strategy(tree, policy, spec, chosen)
