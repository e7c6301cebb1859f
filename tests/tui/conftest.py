"""What tests of screens share: a terminal with colours and Unicode, whatever the one they are run from."""

import pytest


@pytest.fixture(autouse=True)
def terminal_of_everybody(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("ARENA_ASCII", "0")
