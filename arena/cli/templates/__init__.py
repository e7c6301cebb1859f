"""What `arena new-game` and `arena new-agent` write: a game or an agent of one file, and its test."""
