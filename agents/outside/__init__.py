"""Agents that are programs of their own, in any language, beside this process."""
