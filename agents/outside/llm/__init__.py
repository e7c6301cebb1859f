"""Language models as agents: `llm:URL,model=NAME` asks an endpoint for moves in words."""
