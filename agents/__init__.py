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
    from agents.algorithms.td import TDPolicy
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
            "agents.algorithms.td": "TDPolicy",
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
    "TDPolicy",
    "TRPOPolicy",
]

AGENTS = {
    "dqn": "agents.configs.kinds:DQN",
    "c51": "agents.configs.kinds:C51",
    "rainbow": "agents.configs.kinds:RAINBOW",
    "qrdqn": "agents.configs.kinds:QRDQN",
    "iqn": "agents.configs.kinds:IQN",
    "fqf": "agents.configs.kinds:FQF",
    "discrete-bcq": "agents.configs.kinds:DISCRETE_BCQ",
    "discrete-cql": "agents.configs.kinds:DISCRETE_CQL",
    "imitation": "agents.configs.kinds:IMITATION",
    "psrl": "agents.configs.kinds:PSRL",
    "pg": "agents.configs.kinds:PG",
    "a2c": "agents.configs.kinds:A2C",
    "ppo": "agents.configs.kinds:PPO",
    "npg": "agents.configs.kinds:NPG",
    "trpo": "agents.configs.kinds:TRPO",
    "ddpg": "agents.configs.kinds:DDPG",
    "td3": "agents.configs.kinds:TD3",
    "sac": "agents.configs.kinds:SAC",
    "discrete-sac": "agents.configs.kinds:DISCRETE_SAC",
    "bcq": "agents.configs.kinds:BCQ",
    "discrete-crr": "agents.configs.kinds:DISCRETE_CRR",
    "alphazero": "agents.configs.kinds:ALPHAZERO",
    "nfsp": "agents.configs.kinds:NFSP",
    "mmd": "agents.configs.kinds:MMD",
    "td": "agents.configs.kinds:TD",
    "random": "agents.configs.kinds:RANDOM",
    "one-ply": "agents.configs.kinds:ONE_PLY",
    "alphabeta": "agents.configs.kinds:ALPHABETA",
    "mcts": "agents.configs.kinds:MCTS",
    "rave": "agents.configs.kinds:RAVE",
    "ismcts": "agents.configs.kinds:ISMCTS",
    "puct": "agents.configs.kinds:PUCT",
    "gumbel": "agents.configs.kinds:GUMBEL",
    "expectimax": "agents.configs.kinds:EXPECTIMAX",
    "pubeval": "agents.configs.kinds:PUBEVAL",
    "tabular": "agents.configs.kinds:TABULAR",
    "buckets": "agents.configs.kinds:BUCKETS",
    "perfect": "agents.configs.kinds:PERFECT",
    "noisy": "agents.configs.kinds:NOISY",
    "solved": "agents.configs.kinds:SOLVED",
    "zoo": "agents.configs.kinds:ZOO",
    "champion": "agents.configs.kinds:CHAMPION",
    "level": "agents.configs.kinds:LEVEL",
    "cmd": "agents.configs.kinds:CMD",
    "uci": "agents.configs.kinds:UCI",
    "xboard": "agents.configs.kinds:XBOARD",
    "gtp": "agents.configs.kinds:GTP",
    "gnubg": "agents.configs.kinds:GNUBG",
    "piskvork": "agents.configs.kinds:PISKVORK",
    "llm": "agents.configs.kinds:LLM",
}
"""Agents of this distribution: name to the entry string of an `AgentKind`."""

SOLVERS = {
    "cfr": "agents.solvers.solving:PLAIN",
    "cfr+": "agents.solvers.solving:PLUS",
    "linear-cfr": "agents.solvers.solving:LINEAR",
    "dcfr": "agents.solvers.solving:DISCOUNTED",
    "external-sampling": "agents.solvers.solving:EXTERNAL",
    "outcome-sampling": "agents.solvers.solving:OUTCOME",
    "public-chance": "agents.solvers.holdem.solver:PUBLIC_CHANCE",
    "psro-nash": "agents.solvers.solving:NASH",
    "psro-prd": "agents.solvers.solving:PRD",
    "psro-alpha-rank": "agents.solvers.solving:ALPHA_RANK",
    "psro-uniform": "agents.solvers.solving:UNIFORM",
}
"""Solvers of this distribution: name to the entry string of a `SolverKind` or a `TreeSolverKind`."""
