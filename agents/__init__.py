"""Agents: learning algorithms, search, solvers and fixed rules; found by name.

Policies, and torch with most of them, are imported on first use.
"""

from typing import TYPE_CHECKING

from arena.base.doors import door

if TYPE_CHECKING:
    from agents.algorithms.a2c import A2CPolicy
    from agents.algorithms.alphazero import AlphaZeroPolicy
    from agents.algorithms.bcq import BCQPolicy
    from agents.algorithms.c51 import C51Policy
    from agents.algorithms.ddpg import DDPGPolicy
    from agents.algorithms.discrete_bcq import DiscreteBCQPolicy
    from agents.algorithms.discrete_cql import DiscreteCQLPolicy
    from agents.algorithms.discrete_crr import DiscreteCRRPolicy
    from agents.algorithms.discrete_sac import DiscreteSACPolicy
    from agents.algorithms.dqn import DQNPolicy
    from agents.algorithms.fqf import FQFPolicy
    from agents.algorithms.imitation import ImitationPolicy
    from agents.algorithms.iqn import IQNPolicy
    from agents.algorithms.mmd import MMDPolicy
    from agents.algorithms.nfsp import NFSPPolicy
    from agents.algorithms.npg import NPGPolicy
    from agents.algorithms.pg import PGPolicy
    from agents.algorithms.ppo import PPOPolicy
    from agents.algorithms.psrl import PSRLPolicy
    from agents.algorithms.qrdqn import QRDQNPolicy
    from agents.algorithms.rainbow import RainbowPolicy
    from agents.algorithms.sac import SACPolicy
    from agents.algorithms.td3 import TD3Policy
    from agents.algorithms.trpo import TRPOPolicy
    from agents.learning.exploration import BaseNoise, GaussianNoise, OUNoise
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "agents.algorithms.a2c": "A2CPolicy",
            "agents.algorithms.alphazero": "AlphaZeroPolicy",
            "agents.algorithms.bcq": "BCQPolicy",
            "agents.algorithms.c51": "C51Policy",
            "agents.algorithms.ddpg": "DDPGPolicy",
            "agents.algorithms.discrete_bcq": "DiscreteBCQPolicy",
            "agents.algorithms.discrete_cql": "DiscreteCQLPolicy",
            "agents.algorithms.discrete_crr": "DiscreteCRRPolicy",
            "agents.algorithms.discrete_sac": "DiscreteSACPolicy",
            "agents.algorithms.dqn": "DQNPolicy",
            "agents.learning.exploration": "BaseNoise GaussianNoise OUNoise",
            "agents.algorithms.fqf": "FQFPolicy",
            "agents.algorithms.imitation": "ImitationPolicy",
            "agents.algorithms.iqn": "IQNPolicy",
            "agents.algorithms.mmd": "MMDPolicy",
            "agents.algorithms.nfsp": "NFSPPolicy",
            "agents.algorithms.npg": "NPGPolicy",
            "agents.algorithms.pg": "PGPolicy",
            "agents.algorithms.ppo": "PPOPolicy",
            "agents.algorithms.psrl": "PSRLPolicy",
            "agents.algorithms.qrdqn": "QRDQNPolicy",
            "agents.algorithms.rainbow": "RainbowPolicy",
            "agents.algorithms.sac": "SACPolicy",
            "agents.algorithms.td3": "TD3Policy",
            "agents.algorithms.trpo": "TRPOPolicy",
        },
    )

__all__ = [
    "AGENTS",
    "A2CPolicy",
    "AlphaZeroPolicy",
    "BCQPolicy",
    "BaseNoise",
    "C51Policy",
    "DDPGPolicy",
    "DQNPolicy",
    "DiscreteBCQPolicy",
    "DiscreteCQLPolicy",
    "DiscreteCRRPolicy",
    "DiscreteSACPolicy",
    "FQFPolicy",
    "GaussianNoise",
    "IQNPolicy",
    "ImitationPolicy",
    "MMDPolicy",
    "NFSPPolicy",
    "NPGPolicy",
    "OUNoise",
    "PGPolicy",
    "PPOPolicy",
    "PSRLPolicy",
    "QRDQNPolicy",
    "RainbowPolicy",
    "SACPolicy",
    "TD3Policy",
    "TRPOPolicy",
]

AGENTS = {
    "dqn": "agents.algorithms.dqn:AGENT",
    "c51": "agents.algorithms.c51:AGENT",
    "rainbow": "agents.algorithms.rainbow:AGENT",
    "qrdqn": "agents.algorithms.qrdqn:AGENT",
    "iqn": "agents.algorithms.iqn:AGENT",
    "fqf": "agents.algorithms.fqf:AGENT",
    "discrete-bcq": "agents.algorithms.discrete_bcq:AGENT",
    "discrete-cql": "agents.algorithms.discrete_cql:AGENT",
    "imitation": "agents.algorithms.imitation:AGENT",
    "psrl": "agents.algorithms.psrl:AGENT",
    "pg": "agents.algorithms.pg:AGENT",
    "a2c": "agents.algorithms.a2c:AGENT",
    "ppo": "agents.algorithms.ppo:AGENT",
    "npg": "agents.algorithms.npg:AGENT",
    "trpo": "agents.algorithms.trpo:AGENT",
    "ddpg": "agents.algorithms.ddpg:AGENT",
    "td3": "agents.algorithms.td3:AGENT",
    "sac": "agents.algorithms.sac:AGENT",
    "discrete-sac": "agents.algorithms.discrete_sac:AGENT",
    "bcq": "agents.algorithms.bcq:AGENT",
    "discrete-crr": "agents.algorithms.discrete_crr:AGENT",
    "alphazero": "agents.algorithms.alphazero:AGENT",
    "nfsp": "agents.algorithms.nfsp:AGENT",
    "mmd": "agents.algorithms.mmd:AGENT",
    "random": "agents.scripted.uniform:AGENT",
    "one-ply": "agents.scripted.one_ply:AGENT",
    "alphabeta": "agents.search.alphabeta:AGENT",
    "mcts": "agents.search.mcts:AGENT",
    "ismcts": "agents.search.ismcts:AGENT",
    "puct": "agents.guided.puct:PUCT",
    "gumbel": "agents.guided.puct:GUMBEL",
    "tabular": "agents.solvers.tabular:AGENT",
    "perfect": "agents.perfect.perfect:AGENT",
    "cmd": "agents.outside.command:AGENT",
    "uci": "agents.outside.uci:AGENT",
    "gtp": "agents.outside.gtp:AGENT",
}
"""Agents of this distribution: name to the entry string of an `AgentKind`."""

SOLVERS = {
    "cfr": "agents.solvers.solving:PLAIN",
    "cfr+": "agents.solvers.solving:PLUS",
    "linear-cfr": "agents.solvers.solving:LINEAR",
    "dcfr": "agents.solvers.solving:DISCOUNTED",
    "external-sampling": "agents.solvers.solving:EXTERNAL",
    "outcome-sampling": "agents.solvers.solving:OUTCOME",
    "psro-nash": "agents.solvers.solving:NASH",
    "psro-prd": "agents.solvers.solving:PRD",
    "psro-alpha-rank": "agents.solvers.solving:ALPHA_RANK",
    "psro-uniform": "agents.solvers.solving:UNIFORM",
}
"""Solvers of this distribution: name to the entry string of a `SolverKind`."""
