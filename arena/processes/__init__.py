"""Child processes that end with their parent and stay within limits, and workers that run jobs in them or on Ray."""
