"""The identity of a game as text: `hex:size=5,swap=True` on a command line, `hex(size=5, swap=True)` in a table.

This is the one place that writes and reads either; both name the same game wherever a game is asked for.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from games.engine.errors import UsageError

LATER_OPTIONS = {"tic_tac_toe": {"players": "2"}}
"""Options that games were given later, and the values with which they are what they were before.

With these values a game keeps its name of before, so that results and agents of that time remain its own.
"""


@dataclass(frozen=True)
class GameId:
    """A game by name, and its options: values, or the texts that were read."""

    name: str
    options: Mapping[str, object]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read either form. Raises `UsageError` for a missing bracket, a repeated option and one without a value.

        A host's game is named after a colon, `pettingzoo:my_package.my_env`, and its options after a comma.

        >>> GameId.parse("hex:size=5,swap=True") == GameId.parse("hex(size=5, swap=True)")
        True
        >>> GameId.parse("openspiel:oware,rows=4") == GameId.parse("openspiel:oware(rows=4)")
        True
        """
        head = re.match(r"\w+:[^=,(]*(?=[,(]|$)", text)
        name = head[0] if head else re.split("[:(]", text, maxsplit=1)[0]
        mark, rest = text[len(name) : len(name) + 1], text[len(name) + 1 :]
        if mark == "(":
            if not rest.endswith(")"):
                raise UsageError(f"{text!r} lacks its closing bracket")
            rest = rest[:-1]
        options: dict[str, str] = {}
        for item in filter(None, map(str.strip, _items(rest))):
            key, equals, value = item.partition("=")
            if not equals:
                raise UsageError(f"{name}: option {item!r} is not of the form name=value")
            if key in options:
                raise UsageError(f"{name}: option {key} is given twice")
            options[key] = value
        return cls(name, options)

    @property
    def spec(self) -> str:
        """The form of command lines, `hex:size=5,swap=True`: one word of a shell."""
        options = ",".join(self._named())
        return f"{self.name}{',' if ':' in self.name else ':'}{options}" if options else self.name

    @property
    def label(self) -> str:
        """The form of tables, `hex(size=5, swap=True)`."""
        return f"{self.name}({', '.join(self._named())})"

    def _named(self) -> Iterator[str]:
        """Yield the options that tell the game from others of its name, as `k=3`."""
        former = LATER_OPTIONS.get(self.name, {})
        return (f"{key}={value}" for key, value in self.options.items() if str(value) != former.get(key))


def _items(text: str) -> Iterator[str]:
    """Yield what commas separate, but for those in brackets: the value of an option may be a game with options."""
    start = depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def split_label(label: str) -> tuple[str, str]:
    """Return the name in a label and the text of its options, also of a label that nobody has checked.

    >>> split_label("hex(size=5, swap=True)")
    ('hex', 'size=5, swap=True')
    """
    name, _, options = label.removesuffix(")").partition("(")
    return name, options


def name_of(label: str) -> str:
    """Return the name in a label."""
    return split_label(label)[0]
