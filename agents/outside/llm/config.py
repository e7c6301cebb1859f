"""What the spec of a language model says: `URL,model=NAME[,NAME=VALUE...]`."""

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from arena.base.durations import require_duration
from arena.base.errors import UnknownNameError, UsageError
from arena.base.files import read_text

EXAMPLE = "llm:http://localhost:8080,model=NAME"
USUAL_KEY = "OPENAI_API_KEY"
NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""Environment variables by which networks are reached."""
COMPLETIONS = "/chat/completions"


@dataclass(frozen=True)
class LLMConfig:
    """Options of a language model."""

    url: str
    """Address of the requests, which ends in `/chat/completions`."""
    model: str
    legal: bool = True
    """List the legal moves in the prompt."""
    rethink: int = 3
    """Further answers asked for after one that cannot be read or is illegal, with the reason."""
    votes: int = 1
    """Answers asked for side by side, of which the move named most often is played."""
    temperature: float | None = None
    """As the endpoint knows it; None for the endpoint's own."""
    max_tokens: int = 2048
    """Most tokens of an answer."""
    system: str = ""
    """Text before the rules, from a file."""
    price: tuple[float, float] | None = None
    """Price of a million tokens of prompts and of answers, in any currency."""
    timeout_s: float = 120.0
    """Seconds to wait for an answer."""
    concurrency: int = 8
    """Most requests at the same time."""
    obfuscate: int | None = None
    """Seed of other names for squares, pieces and moves; None for the usual ones."""
    key_env: str = USUAL_KEY
    """Environment variable with the key."""

    @property
    def key(self) -> str:
        """The key from the environment; "" where there is none."""
        return os.environ.get(self.key_env, "").strip()


def variables(argument: str) -> tuple[str, ...]:
    """Return the environment variables that a model needs: its key, and how the network is reached."""
    return parse_config(argument).key_env, *NETWORK, *map(str.lower, NETWORK)


def parse_config(argument: str) -> LLMConfig:
    """Read the part of a spec after `llm:`; `UsageError` for anything that is wrong in it."""
    url, *settings = argument.split(",")
    values: dict[str, str] = {}
    for setting in settings:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not value:
            raise UsageError(f"llm: {setting!r} is not of the form NAME=VALUE, as in {EXAMPLE}")
        if name in ("key", "api_key"):
            raise UsageError(
                f"llm: a key is no part of a spec, which tables and stores show: put it into the environment variable "
                f"{USUAL_KEY}, or into another one that key_env=NAME names"
            )
        if name not in READERS:
            raise UnknownNameError("option of llm", name, READERS)
        if name in values:
            raise UsageError(f"llm: {name} is given twice")
        values[name] = value
    if "model" not in values:
        raise UsageError(f"llm: name the model, as in {EXAMPLE}")
    config = LLMConfig(_completions(url.strip()), values["model"])
    read: Mapping[str, Any] = {FIELDS.get(name, name): READERS[name](name, value) for name, value in values.items()}
    assert read.keys() <= {field.name for field in fields(LLMConfig)}
    return replace(config, **read)


def _completions(url: str) -> str:
    """Return the address of requests to an endpoint; `/v1` is added to one without a path."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"llm: {url!r} is no URL of http or https; write {EXAMPLE}")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(f"llm: the URL has more than a host and a path; a key belongs in {USUAL_KEY}")
    path = parts.path.rstrip("/").removesuffix(COMPLETIONS) or "/v1"
    return f"{parts.scheme}://{parts.netloc}{path}{COMPLETIONS}"


def _yes_or_no(name: str, text: str) -> bool:
    known = {"yes": True, "no": False, "true": True, "false": False}
    if text.lower() not in known:
        raise UsageError(f"llm: {name}={text} is neither yes nor no")
    return known[text.lower()]


def _whole(least: int, most: int) -> Callable[[str, str], int]:
    def read(name: str, text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,10}", text) or not least <= int(text) <= most:
            raise UsageError(f"llm: {name}={text} is not a whole number from {least} to {most}")
        return int(text)

    return read


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < 1e6:
        raise UsageError(f"llm: {name}={text} is not a number from 0")
    return number


def _price(name: str, text: str) -> tuple[float, float]:
    prompt, slash, answer = text.partition("/")
    if not slash:
        raise UsageError(f"llm: {name}={text} is not the price of a million tokens in and out, as 0.15/0.60")
    return _number(name, prompt), _number(name, answer)


def _file(name: str, text: str) -> str:
    return read_text(Path(text)).strip()


def _variable(name: str, text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise UsageError(f"llm: {name}={text[:2]}... is not the name of an environment variable; is it the key itself?")
    return text


READERS: Mapping[str, Callable[[str, str], Any]] = {
    "model": lambda name, text: text,
    "legal": _yes_or_no,
    "rethink": _whole(0, 20),
    "votes": _whole(1, 99),
    "temperature": _number,
    "max_tokens": _whole(1, 10**6),
    "system": _file,
    "price": _price,
    "timeout": lambda name, text: require_duration(name, text, "60s"),
    "concurrency": _whole(1, 256),
    "obfuscate": _whole(0, 2**31 - 1),
    "key_env": _variable,
}
"""Functions from name and text of an option to its value."""
FIELDS = {"timeout": "timeout_s"}
"""Fields of options that are named otherwise."""
