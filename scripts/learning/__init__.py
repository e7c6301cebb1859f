"""Parts of `scripts/learning_checks.py`: one module a kind of task, one row an algorithm."""
