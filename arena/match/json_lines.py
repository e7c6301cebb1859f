"""Match records as JSON Lines: one match a line, readable by people, replayed when read.

    {"game": "connect_four", "options": {...}, "players": ["a", "b"], "seed": 0, "opening": 2, "moves": ["4", "4", ...],
     "returns": [1.0, -1.0], "reason": "finished", "offender": null, "detail": "", "move_ms": [0, 0, 81, ...]}

Moves are in the game's own notation; the first `opening` of them are the opening. With the seed they determine the
whole game, chance included. `move_ms` is present if moves were timed.
"""

import json
import math
from typing import Any

from arena.base.errors import UsageError
from arena.match.replay import empty_seats, replay, settle
from arena.match.verdict import MatchRecord, Reason, Verdict
from arena.policy.registry import make_game
from games.engine.game import Game

KINDS: dict[str, type | tuple[type, ...]] = {
    "game": str,
    "options": dict,
    "players": list,
    "seed": int,
    "opening": int,
    "moves": list,
    "returns": list,
    "reason": str,
    "offender": (int, type(None)),
    "detail": str,
}
OPTIONAL: dict[str, type | tuple[type, ...]] = {"move_ms": list}
ENTRIES: dict[str, type | tuple[type, ...]] = {
    "players": str,
    "moves": str,
    "returns": (int, float),
    "move_ms": int,
}
"""Types of the entries of lists."""
LARGEST_SEED = 2**63 - 1
"""Largest integer of a database column."""
LONGEST_MS = 2**32 - 1
"""Largest number of four bytes."""


def to_json_line(game: Game, record: MatchRecord) -> str:
    """Return a match of `game` as a line of JSON, without newline; `UsageError` if it does not replay."""
    verdict = record.verdict
    content = {
        "game": game.name,
        "options": dict(game.options),
        "players": list(record.players),
        "seed": record.seed,
        "opening": len(record.opening),
        "moves": list(replay(record, game).moves),
        "returns": list(verdict.returns),
        "reason": str(verdict.reason),
        "offender": verdict.offender,
        "detail": verdict.detail,
    }
    if record.move_ms is not None:
        content["move_ms"] = list(record.move_ms)
    return json.dumps(content, ensure_ascii=False)


def from_json_line(line: str) -> tuple[Game, MatchRecord]:
    """Return the game and the match in a line; `UsageError` if it cannot be read or does not replay."""
    content = _parse(line)
    game = make_game(content["game"], **content["options"])
    match = empty_seats(game, content["players"], content["seed"])
    for number, move in enumerate(content["moves"], start=1):
        try:
            match.play(game.parse_action(match.state, move))
        except UsageError as error:
            raise UsageError(f"a record of {game.name}: move {number}, {move!r}, cannot be played: {error}") from error
    verdict = Verdict(
        tuple(map(float, content["returns"])), Reason(content["reason"]), content["offender"], content["detail"]
    )
    try:
        settle(match, verdict)
    except UsageError as error:
        raise UsageError(f"a record of {game.name}: {error}") from error
    actions = tuple(match.actions)
    opening = actions[: content["opening"]]
    move_ms = tuple(content["move_ms"]) if "move_ms" in content else None
    return game, MatchRecord(game.label, tuple(content["players"]), content["seed"], opening, actions, verdict, move_ms)


def _parse(line: str) -> dict[str, Any]:
    """Return the object in a line; `UsageError` for wrong keys, types or values."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"a record is a line of JSON; this one cannot be read: {error}") from error
    if not isinstance(content, dict) or content.keys() - OPTIONAL.keys() != KINDS.keys():
        raise UsageError(
            f"a record is an object with the keys {', '.join(KINDS)}, and {', '.join(OPTIONAL)} if need be"
        )
    for key, kind in (KINDS | OPTIONAL).items():
        if key not in content:
            continue
        entries = content[key] if key in ENTRIES and isinstance(content[key], list) else []
        if not _is(content[key], kind) or not all(_is(entry, ENTRIES[key]) for entry in entries):
            raise UsageError(f"a record: {key}={content[key]!r} is of the wrong kind")
    if not 0 <= content["seed"] <= LARGEST_SEED:
        raise UsageError(f"a record: seed={content['seed']} is not between 0 and 2**63 - 1")
    if not all(name and name.isprintable() for name in content["players"]):
        raise UsageError(f"a record: players={content['players']!r} are no names: one is empty or cannot be printed")
    if not 0 <= content["opening"] <= len(content["moves"]):
        raise UsageError(f"a record: opening={content['opening']} is no number of its {len(content['moves'])} moves")
    times = content.get("move_ms", [0] * len(content["moves"]))
    if len(times) - len(content["moves"]) not in (0, 1) or not all(0 <= spent <= LONGEST_MS for spent in times):
        raise UsageError("a record: move_ms are not as many whole numbers from 0 as it has moves, or one more")
    if content["reason"] not in tuple(Reason):
        raise UsageError(f"a record: reason={content['reason']!r} is none of {', '.join(Reason)}")
    if "name" in content["options"]:
        raise UsageError("a record: 'name' is no option of a game")
    return content


def _is(value: object, kind: type | tuple[type, ...]) -> bool:
    finite = not isinstance(value, float) or math.isfinite(value)
    return isinstance(value, kind) and not isinstance(value, bool) and finite
