"""Fetching the files of an entry over HTTP: bounded in size and time, and none of them run."""

import time
import urllib.error
import urllib.request
from http.client import HTTPException
from urllib.parse import urlsplit

from arena.base.errors import UsageError
from arena.policy.zoo.adding import LARGEST

TIMEOUT_S = 20.0
"""Seconds of silence after which a server is given up."""
LONGEST_S = 300.0
"""Seconds that a file may take."""
CHUNK = 2**16
HANDLERS = (
    urllib.request.ProxyHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPRedirectHandler,
    urllib.request.HTTPErrorProcessor,
    urllib.request.HTTPDefaultErrorHandler,
)
"""Of urllib, without those that read local files."""


def fetch_entry(url: str) -> dict[str, bytes]:
    """Return the files below the URL of an entry's folder.

    Raises `UsageError` of one line for an address that is none, a server that does not answer, and a file that is
    missing or larger than it may be.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise UsageError(f"{url!r} is not the address of an entry's folder, as in https://HOST/zoo/othello")
    opener = urllib.request.OpenerDirector()
    for handler in HANDLERS:
        opener.add_handler(handler())
    return {name: _fetch(opener, f"{url.rstrip('/')}/{name}", most) for name, most in LARGEST.items()}


def _fetch(opener: urllib.request.OpenerDirector, url: str, most: int) -> bytes:
    deadline = time.monotonic() + LONGEST_S
    content = b""
    try:
        with opener.open(url, timeout=TIMEOUT_S) as answer:
            while part := answer.read(CHUNK):
                content += part
                if len(content) > most:
                    raise UsageError(f"{url} has more than the {most:,} bytes allowed; nothing was kept")
                if time.monotonic() > deadline:
                    raise UsageError(f"{url} takes longer than {LONGEST_S:.0f} s; nothing was kept")
    except urllib.error.HTTPError as error:
        raise UsageError(f"{url} cannot be fetched: the server answers {error.code} {error.reason}") from None
    except (urllib.error.URLError, HTTPException, OSError, ValueError) as error:
        cause = getattr(error, "reason", error)
        raise UsageError(f"{url} cannot be fetched: {cause or type(error).__name__}") from None
    return content
