"""Reading the move in a language model's answer, as a person would who knows which moves are legal.

The reading is a function of the answer and the texts of the legal moves alone. What counts is looked for in this order,
and the first place that names something decides:

1. a JSON object with the key `final_answer`, `answer`, `move` or `action`, or `Final Answer: X`: whichever is the last;
2. a box of TeX, or a sentence that commits to a move: "My move: X", "I play X";
3. the whole answer, its last line, or its only bold or quoted move;
4. the only legal move that the answer mentions, or that its last sentence with a move does.

Reasoning between <think> and </think> and what is ~~crossed out~~ do not count. An answer that names several moves and
commits to none is unreadable.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

KEYS = ("final_answer", "answer", "move", "action")
"""Keys of an answer in JSON, in lower case, with underscores for blanks."""
DECORATION = " \t\r\n*_`'\"“”‘’«»<>()[]{}.,;:!?$\\|#~-–—→=…"
"""Characters around a move that are not part of it, unless a legal move has them."""
THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
OPEN_THINKING = re.compile(r"<(?:think|thinking|reasoning)>.*\Z", re.DOTALL | re.IGNORECASE)
CROSSED_OUT = re.compile(r"~~[^~\n]+~~")
FINAL = re.compile(r"final[ _]answer(?:\s+is)?[\s*_`\"']*(?:[:=]|\bis\b)?[ \t]*(?:\r?\n\s*)*([^\n]*)", re.IGNORECASE)
BOXED = re.compile(r"\\boxed\s*\{(?:\\text\s*\{)?([^{}]*)\}")
COMMITMENT = re.compile(
    r"(?:\b(?:my|the|best|chosen|next|a good|i\s+choose\s+the)\s+(?:(?:final|next|best|chosen|only|legal)\s+)*"
    r"(?:move|action|answer|choice|bid|play)\b(?:\s+here|\s+now)?\s*(?:is|would be|will be|:|=)"
    r"|^\W*(?:move|action|answer|choice|play|bid)\W*:"
    r"|\bI(?:\s+will|\s+would|['’]ll|['’]d|\s+am going to|\s+have to|\s+must|\s+should)?"
    r"(?:\s+therefore|\s+now|\s+thus)?\s+"
    r"(?:play|choose|pick|select|go\s+with|go\s+for|move|bid)\b"
    r"|\blet['’]?s\s+(?:play|go\s+with|choose)\b)"
    r"([^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
MARKED = re.compile(r"\*\*(.+?)\*\*|__(.+?)__|`+([^`\n]+)`+|\"([^\"\n]+)\"|“([^”\n]+)”")
LIST_NUMBER = re.compile(r"\s*\d+[.)]\s+")
FEW_WORDS = 4
"""Most words of an answer that is a move and nothing else."""
CHOICE = re.compile(r"\b(?:or|either)\b", re.IGNORECASE)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True)
class Reading:
    """An answer as it was read."""

    kind: Literal["move", "illegal", "unreadable"]
    index: int = -1
    """Place of the move among the legal ones; -1 for none."""
    named: str = ""
    """What the answer names as its move, as it is written there; "" for nothing."""


UNREADABLE = Reading("unreadable")
Parse = Callable[[str], int | None]
"""Returns the place of a move in another notation of the game among the legal ones, -1 for an illegal move, None for a
text that is no move."""


def read_answer(answer: str, legal: Sequence[str], parse: Parse = lambda text: None) -> Reading:
    """Return the move that an answer names, of the legal ones by their texts.

    >>> read_answer("I could take c4, but **Final Answer:** `e4`.", ["c4", "e4"])
    Reading(kind='move', index=1, named='e4')
    >>> read_answer("c4 and e4 are both good.", ["c4", "e4"]).kind
    'unreadable'
    """
    text = CROSSED_OUT.sub("", OPEN_THINKING.sub("", THINKING.sub("", answer)))
    moves = MoveTexts(legal, parse)
    explicit = [named for named in _explicit(text) if named.strip(DECORATION)]
    alone = (one for one in _alone(text) if len(set(moves.mentions(one))) <= 1)
    for named in explicit or (*_committed(text), *alone):
        reading = moves.read(named)
        if reading.kind != "unreadable":
            return reading
    return UNREADABLE if explicit else _mentioned(text, moves)


class MoveTexts:
    """The legal moves of a position by their texts."""

    def __init__(self, legal: Sequence[str], parse: Parse):
        self._legal, self._parse = legal, parse
        self._exact = {text: index for index, text in enumerate(legal)}

    @cached_property
    def _plain(self) -> dict[str, int]:
        return _unique(map(plain, self._legal))

    @cached_property
    def _shapes(self) -> set[str]:
        return set(map(shape, self._legal))

    @cached_property
    def _mention(self) -> re.Pattern[str]:
        longest_first = map(re.escape, sorted(self._legal, key=len, reverse=True))
        return re.compile(rf"(?<![\w/+-])(?:{'|'.join(longest_first)})(?![\w/])(?!-\w)", re.IGNORECASE)

    def read(self, named: str) -> Reading:
        """Return the move that a short text names: itself, in another notation, or the first or only one in it."""
        stripped = named.strip(DECORATION)
        for text in (named.strip(), stripped, stripped.rstrip("+#")):
            if text in self._exact:
                return self.move(self._exact[text])
        index = self._plain.get(plain(named), -1)
        if index < 0 and stripped and (parsed := self._parse(stripped)) is not None:
            return self.move(parsed) if parsed >= 0 else Reading("illegal", named=stripped)
        if index < 0:
            index = self._within(named)
        if index >= 0:
            return self.move(index)
        if self.mentions(named):  # several, none of them chosen
            return UNREADABLE
        return next((Reading("illegal", named=one) for one in self._like_moves(named)), UNREADABLE)

    def _like_moves(self, named: str) -> Iterator[str]:
        """Yield what looks like a move of this position: the text, its first word, or the only such word of a few."""
        text = LIST_NUMBER.sub("", named, count=1) if LIST_NUMBER.match(named) else named
        words = [word.strip(DECORATION) for word in text.split()]
        alike = [word for word in words if self._is_like_moves(word)]
        yield from filter(self._is_like_moves, (text.strip(DECORATION), *words[:1]))
        if len(words) <= FEW_WORDS and len(set(alike)) == 1:
            yield alike[0]

    def _is_like_moves(self, text: str) -> bool:
        return bool(text) and shape(text) in self._shapes and not shape(text).isalpha()

    def mentions(self, text: str) -> list[int]:
        """Return the legal moves that a text mentions, in order of mention; a letter in another case counts."""
        return [index for match in self._mention.finditer(text) if (index := self._index(match[0])) >= 0]

    def _within(self, named: str) -> int:
        """Return the move that a text begins with, or the only one that it mentions; -1 for none."""
        distinct = set(self.mentions(named))
        if len(distinct) == 1:
            return distinct.pop()
        match = self._mention.match(named.lstrip(DECORATION))
        return self._index(match[0]) if match and not CHOICE.search(named) else -1

    def _index(self, text: str) -> int:
        return self._exact.get(text, self._plain.get(plain(text), -1))

    def move(self, index: int) -> Reading:
        """Return the reading of an answer that names a legal move."""
        return Reading("move", index, self._legal[index])


def plain(text: str) -> str:
    """Return a text without case, blanks and what surrounds it, for comparison.

    >>> plain("**O-O+**"), plain("0-0"), plain("Discard 2S.")
    ('o-o', 'o-o', 'discard2s')
    """
    bare = re.sub(r"\s+", "", text.strip(DECORATION).rstrip("+#!?")).lower()
    return bare.replace("0-0-0", "o-o-o").replace("0-0", "o-o")


def shape(text: str) -> str:
    """Return the form of a text: a for letters, A for capitals, 9 for numbers.

    >>> shape("Nf3"), shape("24/20"), shape("raise")
    ('Aa9', '9/9', 'aaaaa')
    """
    letters = (("A" if one.isupper() else "a") if one.isalpha() else one for one in text.strip(DECORATION))
    return re.sub(r"\d+", "9", "".join(letters))


def _unique(texts: Iterable[str]) -> dict[str, int]:
    """Return the places of texts by themselves, without those that stand in several places."""
    places: dict[str, int] = {}
    several = set()
    for place, text in enumerate(texts):
        if places.setdefault(text, place) != place:
            several.add(text)
    return {text: place for text, place in places.items() if text not in several}


def _explicit(text: str) -> Iterator[str]:
    """Yield what JSON objects and final answers name, the last of them first."""
    candidates = [*_objects(text), *((match.start(), match[1]) for match in FINAL.finditer(text))]
    for _, named in sorted(candidates, key=lambda one: one[0], reverse=True):
        yield named


def _objects(text: str) -> Iterator[tuple[int, str]]:
    """Yield the answers of JSON objects with their places."""
    decoder, start = json.JSONDecoder(), text.find("{")
    while start >= 0:
        try:
            content, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            known = {str(key).lower().replace(" ", "_"): value for key, value in content.items()}
            named = next((known[key] for key in KEYS if isinstance(known.get(key), str | int)), None)
            if named is not None:
                yield start, str(named)
        start = text.find("{", end)


def _committed(text: str) -> Iterator[str]:
    """Yield what boxes and sentences that commit to a move name, the last of each kind first."""
    for pattern in (BOXED, COMMITMENT):
        for match in reversed(list(pattern.finditer(text))):
            yield SENTENCE_END.split(match[1].strip())[0]


def _alone(text: str) -> Iterator[str]:
    """Yield the whole answer and its last line, if they are short enough to be a move and nothing else."""
    lines = [line for line in text.splitlines() if line.strip(DECORATION)]
    for one in (text, *lines[-1:]):
        if len(one.split()) <= FEW_WORDS:
            yield one


def _mentioned(text: str, moves: MoveTexts) -> Reading:
    """Return the only move in the answer, the only marked one, or the only one of the last sentence with a move."""
    marked = (next(filter(None, match.groups()), "") for match in MARKED.finditer(text))
    sentences = reversed(SENTENCE_END.split(text))
    last = next((mentioned for sentence in sentences if (mentioned := moves.mentions(sentence))), [])
    for mentioned in (moves.mentions(text), [index for one in marked for index in moves.mentions(one)], last):
        if len(set(mentioned)) == 1:
            return moves.move(mentioned[0])
    return UNREADABLE
