"""Policies: the protocol, the base class of learners, the manager that seats several at one table."""
