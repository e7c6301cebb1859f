"""An endpoint that speaks OpenAI's `/v1/chat/completions`, asked over HTTP.

What may pass by itself is waited for: a rate limit (429, as long as `Retry-After` says), an overloaded or failing
server (5xx) and a broken connection. An answer that was refused or comes too late is not asked for again here.
"""

import asyncio
import email.utils
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.outside.background import wait_for
from agents.outside.llm.config import LLMConfig
from agents.outside.program import ProgramError
from arena.base.errors import UsageError
from arena.base.extras import install_command
from games.engine.text import message

Message = dict[str, str]
"""`role` and `content`."""
MOST_FAILURES = 4
"""Failures of one request after which it is given up."""
BACKOFF_S, MOST_BACKOFF_S = 0.5, 30.0
"""Seconds to wait after the first failure, doubled with each further one, and at most."""
MOST_WAITING_S = 600.0
"""Seconds that one request waits for a rate limit, in all."""
CHECK_S = 60.0
"""Seconds for the question at the start; a server may load its model meanwhile."""
ANSWER_BYTES = 2**24
"""Most bytes of an answer."""
CHECK_TOKENS = 16
"""Most tokens of the answer at the start."""
PASSING = (408, 409, 425)
"""Statuses besides 429 and 5xx after which a request may be sent again."""


class EndpointError(ProgramError):
    """Raised where there is no answer; the message says why, without the key."""

    outcome = "failed"


class RefusedByEndpointError(EndpointError):
    """Raised if the endpoint refuses the request or its content."""

    outcome = "refused"


class SilentEndpointError(EndpointError, TimeoutError):
    """Raised for an answer that does not come in time."""

    outcome = "timed out"


@dataclass(frozen=True)
class Completion:
    """One answer."""

    text: str
    reasoning: str = ""
    """Reasoning that the endpoint gives besides the answer."""
    finish: str = "stop"
    """Why it ended: "length" if it was cut off, "content_filter" if it was refused."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ms: int = 0
    """Milliseconds that the request took, waiting for rate limits included."""
    retries: int = 0
    """Failures and rate limits before."""


@dataclass(frozen=True)
class Hindrance:
    """Why a request was not answered, which may pass."""

    why: str
    limited: bool = False
    """True for a rate limit."""
    wait_s: float | None = None
    """Seconds after which to try again, if the endpoint says so."""


class Endpoint:
    """A model at an endpoint. Raises `UsageError` if it does not answer as it should."""

    def __init__(self, config: LLMConfig):
        try:
            import httpx
        except ImportError:
            raise UsageError(f"llm: language models need httpx: {install_command('llm')}") from None
        self._config, self._httpx = config, httpx
        self._slots = asyncio.Semaphore(config.concurrency)
        self._client: httpx.AsyncClient | None = None
        self._takes_seed = True
        self._parameters: dict[str, Any] = {"max_tokens": config.max_tokens}
        if config.temperature is not None:
            self._parameters["temperature"] = config.temperature
        try:
            wait_for(self._check())
        except EndpointError as error:
            self.close()
            raise UsageError(f"llm: {error}") from None

    async def complete(self, messages: Sequence[Message], seed: int, clock_s: float | None = None) -> Completion:
        """Return the answer to a conversation, within the seconds left on a clock.

        Raises `RefusedByEndpointError`, `SilentEndpointError` or, where it failed otherwise, `EndpointError`.
        """
        body = {"model": self._config.model, "messages": list(messages), **self._parameters}
        if self._takes_seed:
            body["seed"] = seed
        try:
            async with asyncio.timeout(clock_s), self._slots:
                return await self._persist(body)
        except SilentEndpointError:
            raise
        except TimeoutError:
            raise SilentEndpointError(f"{self._config.url} did not answer within {clock_s:.3g} s") from None

    async def _persist(self, body: Mapping[str, Any]) -> Completion:
        """Send a request until it is answered; what may pass by itself is waited for."""
        began, failures, limits = time.monotonic(), 0, 0
        while True:
            try:
                async with asyncio.timeout(self._config.timeout_s):
                    answer = await self._try(body)
            except TimeoutError:
                raise SilentEndpointError(
                    f"{self._config.url} did not answer within {self._config.timeout_s:.3g} s"
                ) from None
            if isinstance(answer, Completion):
                spent_ms = round(1000 * (time.monotonic() - began))
                return replace(answer, ms=spent_ms, retries=failures + limits)
            limits += answer.limited
            failures += not answer.limited
            wait_s = answer.wait_s or min(MOST_BACKOFF_S, BACKOFF_S * 2 ** (failures + limits - 1))
            if failures >= MOST_FAILURES or time.monotonic() - began + wait_s > MOST_WAITING_S:
                raise EndpointError(f"{answer.why}, in {failures + limits} tries")
            await asyncio.sleep(wait_s)

    def close(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            wait_for(client.aclose(), 5.0)

    async def _try(self, body: Mapping[str, Any]) -> Completion | Hindrance:
        """Send a request once; `RefusedByEndpointError` for one that it is of no use to send again."""
        url = self._config.url
        try:
            status, headers, content = await self._post(body)
        except (self._httpx.InvalidURL, UnicodeError) as error:
            raise RefusedByEndpointError(f"{url}: {message(error)}") from None
        except self._httpx.HTTPError as error:
            return Hindrance(f"{url} cannot be reached: {message(error) or type(error).__name__}")
        if status == 429:
            return Hindrance(self._refusal(status, content), True, _retry_after(headers))
        if status >= 500 or status in PASSING:
            return Hindrance(self._refusal(status, content))
        if status != 200:
            raise RefusedByEndpointError(self._refusal(status, content))
        return _completion(content) or Hindrance(f"{url} answered no chat completion, but {_beginning(content)!r}")

    async def _post(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request; return status, headers and content of the answer."""
        if self._client is None:
            self._client = self._httpx.AsyncClient(timeout=None, limits=self._httpx.Limits(max_connections=None))
        headers = {"Authorization": f"Bearer {key}"} if (key := self._config.key) else {}
        content = bytearray()
        async with self._client.stream("POST", self._config.url, json=body, headers=headers) as response:
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > ANSWER_BYTES:
                    raise RefusedByEndpointError(f"{self._config.url} answered more than {ANSWER_BYTES >> 20} MB")
        return response.status_code, response.headers, bytes(content)

    async def _check(self) -> None:
        """Ask one short question, once; `EndpointError` if there is no answer, later than `CHECK_S` or not at all."""
        try:
            async with asyncio.timeout(CHECK_S):
                await self._first_answer([{"role": "user", "content": "Answer with the word: ready"}])
        except TimeoutError:
            raise SilentEndpointError(f"{self._config.url} did not answer within {CHECK_S:g} s") from None

    async def _first_answer(self, question: Sequence[Message]) -> None:
        """Wait for an answer, with the parameters that the endpoint takes; only a rate limit is waited for."""
        while True:
            body = {"model": self._config.model, "messages": list(question), **self._parameters}
            body |= {"seed": 1} if self._takes_seed else {}
            body |= {name: CHECK_TOKENS for name in body if name in ("max_tokens", "max_completion_tokens")}
            try:
                answer = await self._try(body)
            except RefusedByEndpointError as error:
                if not self._adapts_to(str(error)):
                    raise
                continue
            if isinstance(answer, Completion):
                return
            if not answer.limited:
                raise EndpointError(answer.why)
            await asyncio.sleep(answer.wait_s or BACKOFF_S)

    def _adapts_to(self, refusal: str) -> bool:
        """Leave out, or rename, a parameter that a refusal names; return whether there was one."""
        if "max_completion_tokens" in refusal and "max_tokens" in self._parameters:
            self._parameters["max_completion_tokens"] = self._parameters.pop("max_tokens")
            return True
        refused = self._takes_seed and "seed" in refusal
        self._takes_seed &= not refused
        return refused

    def _refusal(self, status: int, content: bytes) -> str:
        """Return what an answer with an error status says, in a line without the key."""
        url, key = self._config.url, self._config.key
        detail = _error_text(content)
        detail = detail.replace(key, "***") if key else detail
        if status in (401, 403) and not key:
            return f"{url} wants a key: put it into the environment variable {self._config.key_env} ({status} {detail})"
        if status in (401, 403):
            return f"{url} refuses the key in {self._config.key_env} ({status} {detail})"
        if status == 404:
            return f"{url} does not know the model {self._config.model!r}, or is no such endpoint (404 {detail})"
        return f"{url} answered {status} {detail}"


def _error_text(content: bytes) -> str:
    """Return the message of an error, or the beginning of what was answered instead."""
    try:
        error = json.loads(content)
        error = error.get("error", error.get("detail", error)) if isinstance(error, dict) else error
        detail = error.get("message", error) if isinstance(error, dict) else error
    except (ValueError, RecursionError):
        detail = _beginning(content)
    return message(detail)[:300]


def _beginning(content: bytes) -> str:
    return message(content[:200].decode(errors="replace").strip())[:100]


def _completion(content: bytes) -> Completion | None:
    """Return the first choice of an answer; None if it is no chat completion."""
    try:
        answer = json.loads(content)
        choice = answer["choices"][0]
        reply = choice["message"]
        texts = [reply.get(name) for name in ("content", "reasoning_content", "reasoning", "refusal")]
        usage = answer.get("usage") or {}
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        return None
    if not isinstance(texts[0], str | None) or not isinstance(usage, dict):
        return None
    text, *others, refusal = (one if isinstance(one, str) else "" for one in texts)
    finish = str(choice.get("finish_reason") or "stop")
    if refusal and not text:
        text, finish = refusal, "content_filter"
    return Completion(
        text, next(filter(None, others), ""), finish, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    )


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if type(value) is int and 0 <= value < 2**31 else 0


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a rate limit asks to wait; None if it does not say, or not in words that are known."""
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except ValueError:
            return None
    return max(0.05, seconds) if math.isfinite(seconds) else None
