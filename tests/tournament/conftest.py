"""Agents that go wrong, found by name in this process and in others."""

import pytest

from arena.registry import AGENTS
from tests.match import faulty


@pytest.fixture
def faulty_agents(tmp_path_factory, monkeypatch):
    """`faulty:HOW` is an agent."""
    folder = tmp_path_factory.mktemp("faulty")
    monkeypatch.setenv("PYTHONPATH", faulty.install(folder))
    monkeypatch.syspath_prepend(folder)
    before = AGENTS.__dict__.pop("references", None)
    yield
    AGENTS.__dict__.pop("references", None)
    if before is not None:
        AGENTS.__dict__["references"] = before
