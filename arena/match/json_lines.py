"""Match records as JSON Lines: one match a line, readable by people, replayed when read.

    {"game": "connect_four", "options": {...}, "players": ["a", "b"], "seed": 0, "opening": 2, "moves": ["4", "4", ...],
     "returns": [1.0, -1.0], "reason": "finished", "offender": null, "detail": "", "move_ms": [0, 0, 81, ...]}

Moves are in the game's own notation; the first `opening` of them are the opening. With the seed they determine the
whole game, chance included. `move_ms` is present if moves were timed, and `start`, the position that it began with in
the game's own text (FEN), if that was not the usual one.

Of a game that a seed does not repeat, `moves` are for people, and the match is not replayed but shown as it was:

     "shown": {"actions": [2, [0.5, -1.0], ...], "seats": [0, 1, ...], "boards": ["...", ...]}

has the actions by number (or their numbers), and before each of them and at the end the seat to move and the board.

What agents were asked and answered in words (`arena.policy.transcript.Transcript`) follows the moves:

     "transcripts": [{"number": 3, "seat": 1, "said": {"system": "...", "prompt": "...", "answers": [...], ...}}, ...]
"""

import json
import math
from typing import Any

from arena.base.errors import UsageError
from arena.match import transcripts
from arena.match.replay import empty_seats, replay, require_possible, settle, steps_of
from arena.match.shown import ShownSteps, pack
from arena.match.starts import start_of, with_start
from arena.match.verdict import MatchRecord, Reason, Verdict
from arena.policy.registry import make_game
from games.engine.actions import Action
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
OPTIONAL: dict[str, type | tuple[type, ...]] = {"move_ms": list, "start": str, "shown": dict, "transcripts": list}
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
    if record.start:
        content["start"] = record.start
    if record.move_ms is not None:
        content["move_ms"] = list(record.move_ms)
    if record.transcripts is not None:
        content["transcripts"] = transcripts.to_json(record.transcripts)
    if (steps := steps_of(record.shown, game, len(record.actions))) is not None:
        content["shown"] = {"actions": record.actions, "seats": steps.seats, "boards": steps.boards}
    return json.dumps(content, ensure_ascii=False)


def from_json_line(line: str) -> tuple[Game, MatchRecord]:
    """Return the game and the match in a line; `UsageError` if it cannot be read or does not replay."""
    content = _parse(line)
    game = make_game(content["game"], **content["options"])
    verdict = Verdict(
        tuple(map(float, content["returns"])), Reason(content["reason"]), content["offender"], content["detail"]
    )
    try:
        game = with_start(game, content.get("start", ""))
        read = _shown if "shown" in content else _played
        actions, shown = read(game, content, verdict)
    except UsageError as error:
        raise UsageError(f"a record of {game.name}: {error}") from error
    names, opening = tuple(content["players"]), actions[: content["opening"]]
    move_ms = tuple(content["move_ms"]) if "move_ms" in content else None
    words = transcripts.pack(transcripts.from_json(content["transcripts"])) if "transcripts" in content else None
    return game, MatchRecord(
        game.label, names, content["seed"], opening, actions, verdict, move_ms, shown, words, start_of(game)
    )


def _played(game: Game, content: dict[str, Any], verdict: Verdict) -> tuple[tuple[Action, ...], bytes | None]:
    """Play the moves of a line; return them as actions. `UsageError` if they do not lead to the verdict."""
    if not game.repeatable:
        raise UsageError("a seed does not repeat this game, and the line does not have what was shown")
    match = empty_seats(game, content["players"], content["seed"])
    for number, move in enumerate(content["moves"], start=1):
        try:
            match.play(game.parse_action(match.state, move))
        except UsageError as error:
            raise UsageError(f"move {number}, {move!r}, cannot be played: {error}") from error
    settle(match, verdict)
    return tuple(match.actions), None


def _shown(game: Game, content: dict[str, Any], verdict: Verdict) -> tuple[tuple[Action, ...], bytes | None]:
    """Return the actions of a line and what it shows, packed; `UsageError` if they are not those of a match."""
    if game.repeatable:
        raise UsageError("'shown' is for games that a seed does not repeat; this one is played again")
    shown, texts = content["shown"], content["moves"]
    if shown.keys() != {"actions", "seats", "boards"} or not all(isinstance(part, list) for part in shown.values()):
        raise UsageError("'shown' is an object with the lists actions, seats and boards")
    if not all(_is(board, str) for board in shown["boards"]) or not all(_is(seat, int) for seat in shown["seats"]):
        raise UsageError("the boards in 'shown' are not all texts, or its seats not all numbers")
    actions = tuple(tuple(action) if isinstance(action, list) else action for action in shown["actions"])
    if not all(_is_action(game, action) for action in actions):
        raise UsageError("the actions in 'shown' are not all actions of the game")
    if len(content["players"]) != game.num_players:
        raise UsageError(f"it has {len(content['players'])} players, not {game.num_players}")
    steps = ShownSteps(tuple(shown["boards"]), tuple(shown["seats"]), tuple(texts)).require_fit(
        len(actions), game.num_players
    )
    require_possible(verdict, game, steps.seats[-1])
    return actions, pack(steps)


def _is_action(game: Game, action: Any) -> bool:
    if game.action_box is None:
        return _is(action, int) and 0 <= action < game.num_actions
    return isinstance(action, tuple) and all(_is(number, (int, float)) for number in action)


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
