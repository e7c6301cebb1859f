"""Who plays: learning algorithms, search, and fixed rules; found by name."""

AGENTS = {
    "dqn": "agents.dqn:AGENT",
    "c51": "agents.c51:AGENT",
    "rainbow": "agents.rainbow:AGENT",
    "qrdqn": "agents.qrdqn:AGENT",
    "iqn": "agents.iqn:AGENT",
    "fqf": "agents.fqf:AGENT",
    "discrete-bcq": "agents.discrete_bcq:AGENT",
    "discrete-cql": "agents.discrete_cql:AGENT",
    "imitation": "agents.imitation:AGENT",
    "psrl": "agents.psrl:AGENT",
    "pg": "agents.pg:AGENT",
    "a2c": "agents.a2c:AGENT",
    "ppo": "agents.ppo:AGENT",
    "npg": "agents.npg:AGENT",
    "trpo": "agents.trpo:AGENT",
    "ddpg": "agents.ddpg:AGENT",
    "td3": "agents.td3:AGENT",
    "sac": "agents.sac:AGENT",
    "discrete-sac": "agents.discrete_sac:AGENT",
    "bcq": "agents.bcq:AGENT",
    "discrete-crr": "agents.discrete_crr:AGENT",
    "random": "agents.scripted.uniform:AGENT",
    "one-ply": "agents.scripted.one_ply:AGENT",
    "alphabeta": "agents.search.alphabeta:AGENT",
}
"""The agents of this distribution: name -> an `AgentKind`."""
