"""Templates, read as text, of `arena new-game` and `arena new-agent`: a game or an agent in one file, and its test."""
