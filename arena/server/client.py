"""The other side of the API: requests with a key, answers as JSON, refusals as exceptions."""

import json
import os
import ssl
from http.client import HTTPException
from typing import Any, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, Request, build_opener

from pydantic import TypeAdapter, ValidationError

import arena
from arena.base.errors import UsageError
from arena.base.files import parse_json
from arena.policy.registry import GAMES, make_game
from arena.server.accounts import NAME
from arena.server.bundles import MOST_BYTES
from arena.server.refusals import CLOSED, TOO_MANY, RefusedError
from games.engine.game import Game
from games.engine.identity import GameId

KEY = "ARENA_KEY"
"""Variable of the environment with one's key: command lines can be read by others."""
ANSWER_S = 60.0
MOST_BYTES_OF_JSON = 2**24
PAGE_OF_LADDER, PAGE_OF_MATCH, PAGE_OF_LIVE_GAME = "/ladders/", "/matches/", "/live/"


T = TypeVar("T")


class UnreachableError(UsageError):
    """A server that does not answer, or not now: the same request may succeed later."""


def split_address(address: str) -> tuple[str, str | None]:
    """Return the address of a server, and the name of the ladder whose page it is, if it is one.

    >>> split_address("https://arena.example.org/ladders/chess")
    ('https://arena.example.org', 'chess')
    """
    url, separator, name = address.rstrip("/").partition(PAGE_OF_LADDER)
    if separator and not NAME.fullmatch(name):
        raise UsageError(f"{address!r} is not the page of a ladder, as https://arena.example.org/ladders/chess")
    return url, name or None


def split_match(address: str) -> tuple[str, int]:
    """Return the address of a server and the number of the match whose page it is.

    >>> split_match("https://arena.example.org/matches/12")
    ('https://arena.example.org', 12)
    """
    return _split_number(address, PAGE_OF_MATCH, "a match")


def split_live_game(address: str) -> tuple[str, int]:
    """Return the address of a server and the number of the live game whose page it is.

    >>> split_live_game("https://arena.example.org/live/3")
    ('https://arena.example.org', 3)
    """
    return _split_number(address, PAGE_OF_LIVE_GAME, "a live game")


def _split_number(address: str, page: str, what: str) -> tuple[str, int]:
    url, _, number = address.partition("?")[0].rstrip("/").partition(page)
    if not (number.isascii() and number.isdecimal() and 0 < len(number) < 19):
        raise UsageError(f"{address!r} is not the page of {what}, as https://arena.example.org{page}12")
    return url, int(number)


def game_of_server(label: str) -> Game:
    """Return the game that a server names; `UsageError` for one that is not installed: nothing is imported for it."""
    if GameId.parse(label).name not in GAMES.names():
        raise UsageError(f"the server has the game {label[:60]!r}, which is not installed here")
    return make_game(label)


class _Unredirected(HTTPRedirectHandler):
    """Follows no redirections, which would carry a key elsewhere."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


class Client:
    """A server by its URL, for whoever holds `key` (None for a passer-by)."""

    def __init__(self, url: str, key: str | None = None):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
            raise UsageError(f"{url!r} is not the address of a server, as https://arena.example.org")
        self.url = url.rstrip("/")
        self._key = key
        self._opener: OpenerDirector = build_opener(_Unredirected())

    @staticmethod
    def of_environment(url: str) -> "Client":
        """Return a client with the key of the environment; `UsageError` if there is none."""
        key = os.environ.get(KEY)
        if not key:
            raise UsageError(f"{KEY} is not set; it holds your key, which the server's owner gives you")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise UsageError(f"{KEY} holds no key: keys are one word that begins with arena_")
        return Client(url, key)

    @staticmethod
    def of_visitor(url: str) -> "Client":
        """Return a client with the key of the environment, or without one where it has none."""
        return Client.of_environment(url) if os.environ.get(KEY) else Client(url)

    def get(self, path: str) -> Any:
        """Return what is at a path below /api/v1."""
        return self._json("GET", path)

    def read(self, path: str, kind: type[T]) -> T:
        """Return what is at a path below /api/v1 as a type of `arena.server.models`, or a list of one."""
        return self._typed(self.get(path), kind)

    def send(self, path: str, body: Any, kind: type[T]) -> T:
        """Post JSON; return the answer as such a type."""
        return self._typed(self.post(path, body), kind)

    def post(self, path: str, body: Any) -> Any:
        """Post JSON; return the answer, None if that is empty."""
        return self._json("POST", path, json.dumps(body).encode())

    def delete(self, path: str) -> Any:
        """Delete what is at a path; return the answer."""
        return self._json("DELETE", path, b"")

    def put(self, path: str, content: bytes) -> Any:
        """Put bytes at a path; return the answer."""
        return self._json("PUT", path, content, "application/x-tar")

    def fetch(self, path: str) -> bytes:
        """Return the bytes at a path."""
        return self._request("GET", path, None, "", MOST_BYTES)

    def _json(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> Any:
        answer = self._request(method, path, body, kind, MOST_BYTES_OF_JSON)
        try:
            return parse_json(answer) if answer else None
        except ValueError:
            raise self._strange_answer() from None

    def _typed(self, answer: Any, kind: type[T]) -> T:
        try:
            return TypeAdapter(kind).validate_python(answer)
        except ValidationError:
            raise self._strange_answer() from None

    def _strange_answer(self) -> UsageError:
        return UsageError(f"{self.url} does not answer as an arena server does")

    def _request(self, method: str, path: str, body: bytes | None, kind: str, most: int) -> bytes:
        headers = {"User-Agent": f"arena/{arena.__version__}", "Content-Type": kind, "Accept": "application/json"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        request = Request(f"{self.url}/api/v1{path}", body, headers, method=method)
        try:
            with self._opener.open(request, timeout=ANSWER_S) as response:
                content: bytes = response.read(most + 1)
        except HTTPError as error:
            raise self._refusal(error) from None
        except ssl.SSLError as error:
            raise UsageError(f"{self.url}: its certificate is not valid: {error.reason}") from None
        except (URLError, HTTPException, OSError) as error:
            raise UnreachableError(f"{self.url} cannot be reached: {_reason(error)}") from None
        if len(content) > most:
            raise UsageError(f"{self.url} answers with more than {most:,} bytes")
        return content

    def _refusal(self, error: HTTPError) -> UsageError:
        """Return the error that an answer's status and detail say."""
        try:
            detail = str(parse_json(error.read(65536))["detail"])[:500]
        except (ValueError, KeyError, TypeError, OSError, HTTPException):
            detail = f"status {error.code}"
        text = f"{self.url}: {''.join(letter if letter.isprintable() else '?' for letter in detail)}"
        if error.code in (CLOSED, TOO_MANY, 500, 502, 504):
            return UnreachableError(text)
        return RefusedError(error.code, text)


def _reason(error: BaseException) -> str:
    inner = error.reason if isinstance(error, URLError) else error
    return str(getattr(inner, "strerror", None) or inner or type(inner).__name__).splitlines()[0]
