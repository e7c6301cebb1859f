"""Sandboxes of this machine, for tests in each of them."""

import pytest

from arena.base.errors import UsageError
from arena.processes import landlock, sandbox
from arena.processes.sandbox import VARIABLE, use_sandbox
from tests.agents.outside.programs import require_program

PROGRAMS = {sandbox.BUBBLEWRAP: "bwrap", sandbox.RUNSC: "runsc"}


def has_landlock() -> bool:
    """Return whether this kernel has the version of Landlock that is needed."""
    return landlock.LIBC.syscall(landlock.CREATE_RULESET, None, 0, landlock.VERSION_FLAG) >= landlock.ABI


def switch_on(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch a sandbox on for a test; skip the test where the kernel does not let it work.

    A program that is missing is asked for, and fails the test in continuous integration.
    """
    if kind in PROGRAMS:
        require_program(PROGRAMS[kind])
    elif not has_landlock():
        pytest.skip("this kernel has no Landlock, or an older one")
    monkeypatch.setenv(VARIABLE, "")
    try:
        use_sandbox(kind)
    except UsageError as error:
        if kind != sandbox.RUNSC:  # which traces the programs that it runs: a sandbox around it may forbid that
            raise
        pytest.skip(f"runsc does not work here: {error}")
