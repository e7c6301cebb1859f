"""Match records as JSON Lines: one match a line, readable by people, replayed when read.

    {"game": "connect_four", "options": {...}, "players": ["a", "b"], "seed": 0, "opening": 2, "moves": ["4", "4", ...],
     "returns": [1.0, -1.0], "reason": "finished", "offender": null, "detail": "", "move_ms": [0, 0, 81, ...]}

Moves stand in the game's own notation, the first `opening` of them were given; with the seed they are the whole game,
whatever chance did. `move_ms` is there where moves were timed.
"""

import json
import math
from typing import Any

from arena.errors import UsageError
from arena.match.replay import empty_seats, replay, settle
from arena.match.verdict import MatchRecord, Reason, Verdict
from arena.registry import make_game
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
"""Kinds of what stands in the lists."""
LARGEST_SEED = 2**63 - 1
"""What a database holds in a column."""
LONGEST_MS = 2**32 - 1
"""What four bytes hold."""


def to_json_line(game: Game, record: MatchRecord) -> str:
    """The line of a match of `game`, without a line break; `UsageError` if it does not replay."""
    verdict = record.verdict
    told = {
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
        told["move_ms"] = list(record.move_ms)
    return json.dumps(told, ensure_ascii=False)


def from_json_line(line: str) -> tuple[Game, MatchRecord]:
    """The game and the match in a line; `UsageError` if it cannot be read, or cannot have been played so."""
    told = _checked(line)
    game = make_game(told["game"], **told["options"])
    match = empty_seats(game, told["players"], told["seed"])
    for number, move in enumerate(told["moves"], start=1):
        try:
            match.play(game.parse_action(match.state, move))
        except UsageError as error:
            raise UsageError(f"a record of {game.name}: move {number}, {move!r}, cannot be played: {error}") from error
    verdict = Verdict(tuple(map(float, told["returns"])), Reason(told["reason"]), told["offender"], told["detail"])
    try:
        settle(match, verdict)
    except UsageError as error:
        raise UsageError(f"a record of {game.name}: {error}") from error
    actions = tuple(match.actions)
    opening = actions[: told["opening"]]
    move_ms = tuple(told["move_ms"]) if "move_ms" in told else None
    return game, MatchRecord(game.label, tuple(told["players"]), told["seed"], opening, actions, verdict, move_ms)


def _checked(line: str) -> dict[str, Any]:
    """What a line says, each entry of its kind."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"a record is a line of JSON; this one cannot be read: {error}") from error
    if not isinstance(told, dict) or told.keys() - OPTIONAL.keys() != KINDS.keys():
        raise UsageError(
            f"a record is an object with the keys {', '.join(KINDS)}, and {', '.join(OPTIONAL)} if need be"
        )
    for key, kind in (KINDS | OPTIONAL).items():
        if key not in told:
            continue
        entries = told[key] if key in ENTRIES and isinstance(told[key], list) else []
        if not _is(told[key], kind) or not all(_is(entry, ENTRIES[key]) for entry in entries):
            raise UsageError(f"a record: {key}={told[key]!r} is of the wrong kind")
    if not 0 <= told["seed"] <= LARGEST_SEED:
        raise UsageError(f"a record: seed={told['seed']} is not between 0 and 2**63 - 1")
    if not all(name and name.isprintable() for name in told["players"]):
        raise UsageError(f"a record: players={told['players']!r} are no names: one is empty or cannot be printed")
    if not 0 <= told["opening"] <= len(told["moves"]):
        raise UsageError(f"a record: opening={told['opening']} is no number of its {len(told['moves'])} moves")
    times = told.get("move_ms", [0] * len(told["moves"]))
    if len(times) - len(told["moves"]) not in (0, 1) or not all(0 <= spent <= LONGEST_MS for spent in times):
        raise UsageError("a record: move_ms are not as many whole numbers from 0 as it has moves, or one more")
    if told["reason"] not in tuple(Reason):
        raise UsageError(f"a record: reason={told['reason']!r} is none of {', '.join(Reason)}")
    if "name" in told["options"]:
        raise UsageError("a record: 'name' is no option of a game")
    return told


def _is(value: object, kind: type | tuple[type, ...]) -> bool:
    finite = not isinstance(value, float) or math.isfinite(value)
    return isinstance(value, kind) and not isinstance(value, bool) and finite
