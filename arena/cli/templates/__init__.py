"""What `arena new-game` writes: a game of one file, and its test."""
