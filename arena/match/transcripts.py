"""What the players of a match were asked and answered in words, move by move; packed it is compressed JSON."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from arena.base.errors import UsageError
from arena.policy.transcript import Transcript

MOST_CHARACTERS = 6_000_000
"""Most characters kept of a match; of what comes later only the figures are."""
MOST_UNPACKED = 2**28
"""Most bytes that packed ones may stand for."""
WORDS = "said"
"""Key of a move's transcript in JSON."""


@dataclass(frozen=True, slots=True)
class SpokenMove:
    """The words about one move."""

    number: int
    """Number of actions played before it."""
    seat: int
    transcript: Transcript


class Minutes:
    """Transcripts of a match in progress."""

    def __init__(self) -> None:
        self._moves: list[tuple[int, int, str]] = []
        self._left = MOST_CHARACTERS

    def note(self, number: int, seat: int, transcript: str | None) -> None:
        """Keep the transcript of the move after `number` actions, as JSON, if there is one."""
        if transcript is None:
            return
        self._left -= len(transcript)
        if self._left < 0:
            transcript = Transcript.from_json(json.loads(transcript)).without_texts().to_json()
        self._moves.append((number, seat, transcript))

    def packed(self) -> bytes | None:
        """Return the bytes of all of them; None for none."""
        if not self._moves:
            return None
        items = (f'{{"number":{number},"seat":{seat},"{WORDS}":{words}}}' for number, seat, words in self._moves)
        return zlib.compress(f"[{','.join(items)}]".encode("utf-8", "backslashreplace"))


def pack(moves: Sequence[SpokenMove]) -> bytes:
    """Return the bytes of transcripts."""
    minutes = Minutes()
    for move in moves:
        minutes.note(move.number, move.seat, move.transcript.to_json())
    return minutes.packed() or zlib.compress(b"[]")


def unpack(packed: bytes | None) -> tuple[SpokenMove, ...]:
    """Return transcripts from their bytes, none of None; `UsageError` for bytes that `pack` cannot produce."""
    if packed is None:
        return ()
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(packed, MOST_UNPACKED)
        content = json.loads(text) if unpacker.eof else None
    except (zlib.error, ValueError, RecursionError):
        content = None
    return from_json(content)


def to_json(packed: bytes) -> list[dict[str, Any]]:
    """Return packed transcripts as JSON values."""
    return [{"number": move.number, "seat": move.seat, WORDS: asdict(move.transcript)} for move in unpack(packed)]


def from_json(content: Any) -> tuple[SpokenMove, ...]:
    """Return transcripts from JSON values; `UsageError` if they are none."""
    if not isinstance(content, list):
        raise UsageError("the transcripts of its moves cannot be read")
    moves = []
    for item in content:
        if not isinstance(item, dict) or item.keys() != {"number", "seat", WORDS}:
            raise UsageError(f"the transcripts of its moves cannot be read: one lacks number, seat or {WORDS}")
        if any(type(item[name]) is not int or not 0 <= item[name] < 2**31 for name in ("number", "seat")):
            raise UsageError("the transcripts of its moves cannot be read: a number or seat is none")
        moves.append(SpokenMove(item["number"], item["seat"], Transcript.from_json(item[WORDS])))
    return tuple(moves)
