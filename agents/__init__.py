"""Who plays: learning algorithms, search, and fixed rules; found by name."""

AGENTS = {
    "dqn": "agents.dqn:AGENT",
    "ppo": "agents.ppo:AGENT",
    "random": "agents.scripted.uniform:AGENT",
    "one-ply": "agents.scripted.one_ply:AGENT",
    "alphabeta": "agents.search.alphabeta:AGENT",
}
"""The agents of this distribution: name -> an `AgentKind`."""
