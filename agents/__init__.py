AGENTS: dict[str, str] = {}
