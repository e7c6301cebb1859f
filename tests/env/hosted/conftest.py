"""What tests of hosted games share."""

import pytest

from games.engine.trust import VARIABLE
from tests.env.hosted.worlds import MODULE


@pytest.fixture(autouse=True)
def trusted(monkeypatch):
    """The environments of these tests are trusted, in this process and in others."""
    monkeypatch.setenv(VARIABLE, MODULE)
