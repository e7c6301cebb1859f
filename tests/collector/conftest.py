"""Collectors that are closed when a test is over."""

import pytest


@pytest.fixture
def opened():
    """Makes collectors that are closed when the test is over."""
    made = []

    def make(kind, policy, env, buffer, **options):
        made.append(kind(policy, env, buffer, **options))
        return made[-1]

    yield make
    for collector in made:
        collector.close()
