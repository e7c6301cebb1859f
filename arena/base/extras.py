"""Optional packages: how one that is missing is installed."""

import json
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from urllib.parse import unquote, urlsplit

from arena.base.errors import UsageError

NAME = "arena-marl"


def install_command(extra: str) -> str:
    """Return the shell command that installs an extra of this project: from its checkout, if it is installed from one.

    >>> install_command("chess").startswith("pip install ")
    True
    """
    place = _checkout()
    if place is None:
        return f"pip install {shlex.quote(f'{NAME}[{extra}]')}"
    return f"pip install -e {shlex.quote(f'{place}[{extra}]')}"


@contextmanager
def extra_imported(command: str, extra: str) -> Iterator[None]:
    """Raise `UsageError` for a package of an extra that is imported within and missing, with the line that installs it.

    `command` is what needs it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise UsageError(f"{command} needs the package {error.name}; {install_command(extra)}") from None


def _checkout() -> str | None:
    """Return the folder that the project is installed from in editable mode, `.` for the current one; None if none."""
    try:
        origin = json.loads(distribution(NAME).read_text("direct_url.json") or "{}")
        if not origin.get("dir_info", {}).get("editable"):
            return None
        folder = unquote(urlsplit(origin["url"]).path)
    except (PackageNotFoundError, ValueError, KeyError, AttributeError):
        return None
    return os.curdir if os.path.realpath(folder) == os.path.realpath(os.curdir) else folder
