"""Limit hold'em for two by public chance sampling, on hands in buckets of strength; and the agent that plays it."""
