"""Fixtures for tests of screens: colours and Unicode, whatever terminal the tests are run from."""

import pytest


@pytest.fixture(autouse=True)
def terminal_of_everybody(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("ARENA_ASCII", "0")
