"""Processes that end with whoever started them, and stay within bounds until then."""
