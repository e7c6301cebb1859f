"""Ranges of numbers on a command line: `NAME=LOW..HIGH`, with words after colons."""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass

from arena.base.errors import UnknownNameError, UsageError
from arena.base.numbers import number_in

FORM = re.compile(r"\s*([^=]+?)\s*=([^:]+?)\.\.([^:]+)(:.*)?")


@dataclass(frozen=True)
class NumberRange:
    """A range of a named number, both ends included."""

    name: str
    low: float
    high: float
    words: dict[str, str]
    """What follows the range, by name: {"step": "0.1", "log": ""} of `:step=0.1:log`."""

    def number(self, word: str, usual: float) -> float:
        """Return the number of a word, `usual` if it is not there; raise `UsageError` if it is no number."""
        return read_number(f"{self.name}: {word}", self.words[word]) if word in self.words else usual

    @property
    def text(self) -> str:
        """The range without its words."""
        return f"{self.name}={self.low:g}..{self.high:g}"


def read_range(text: str, words: Collection[str], example: str) -> NumberRange:
    """Read `NAME=LOW..HIGH[:WORD[=VALUE]]...`, where only these words are known.

    Raises `UsageError` with the `example` for anything else.

    >>> read_range("lr=1e-5..0.1:log", ("log",), "").words
    {'log': ''}
    """
    match = FORM.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not of the form NAME=LOW..HIGH, as in {example}")
    name, low, high = match[1], read_number(text, match[2]), read_number(text, match[3])
    if not low < high:
        raise UsageError(f"{text!r}: {low:g} is not below {high:g}")
    values: dict[str, str] = {}
    for part in (match[4] or "").split(":")[1:]:
        word, _, value = part.partition("=")
        if word.strip() not in words:
            raise UnknownNameError(f"word in {text!r}:", word.strip(), words)
        values[word.strip()] = value.strip()
    return NumberRange(name, low, high, values)


def read_number(what: str, text: str) -> float:
    """Return a finite number; raise `UsageError`, which names `what`, for any other text."""
    number = number_in(text)
    if math.isnan(number):
        raise UsageError(f"{what}: {text.strip()!r} is not a number")
    return number
