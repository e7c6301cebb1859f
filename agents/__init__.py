"""Who plays: learning algorithms, search, and fixed rules; found by name."""

AGENTS = {
    "random": "agents.scripted.uniform:AGENT",
}
"""The agents of this distribution: name -> an `AgentKind`."""
