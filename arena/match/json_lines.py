"""Match records as JSON Lines: one match a line, readable by people, replayed when read.

    {"game": "connect_four", "options": {...}, "players": ["a", "b"], "seed": 0, "opening": 2, "moves": ["4", "4", ...],
     "returns": [1.0, -1.0], "reason": "finished", "offender": null, "detail": ""}

Moves stand in the game's own notation, the first `opening` of them were given; with the seed they are the whole game,
whatever chance did.
"""

import json
from typing import Any

from arena.errors import UsageError
from arena.match.match import Match
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


def to_json_line(game: Game, record: MatchRecord) -> str:
    """The line of a match of `game`, without a line break."""
    match = _seated(game, record.players, record.seed)
    moves = []
    for action in record.actions:
        moves.append(game.action_text(match.state, action))
        match.play(action)
    verdict = record.verdict
    told = {
        "game": game.name,
        "options": dict(game.options),
        "players": list(record.players),
        "seed": record.seed,
        "opening": len(record.opening),
        "moves": moves,
        "returns": list(verdict.returns),
        "reason": str(verdict.reason),
        "offender": verdict.offender,
        "detail": verdict.detail,
    }
    return json.dumps(told, ensure_ascii=False)


def from_json_line(line: str) -> tuple[Game, MatchRecord]:
    """The game and the match in a line; `UsageError` if it cannot be read, or cannot have been played so."""
    told = _checked(line)
    game = make_game(told["game"], **told["options"])
    match = _seated(game, tuple(told["players"]), told["seed"])
    actions = []
    for number, move in enumerate(told["moves"], start=1):
        try:
            action = game.parse_action(match.state, move)
            match.play(action)
        except (UsageError, AttributeError) as error:
            raise UsageError(f"a record of {game.name}: move {number}, {move!r}, cannot be played: {error}") from error
        actions.append(action)
    verdict = Verdict(tuple(told["returns"]), _reason(told["reason"]), told["offender"], told["detail"])
    if verdict.reason is Reason.FINISHED and match.verdict != verdict:
        end = "is not over" if match.verdict is None else f"ends with {list(match.verdict.returns)}"
        raise UsageError(f"a record of {game.name}: it says the match ended with {told['returns']}, but it {end}")
    opening = tuple(actions[: told["opening"]])
    return game, MatchRecord(game.label, tuple(told["players"]), told["seed"], opening, tuple(actions), verdict)


def _seated(game: Game, names: tuple[str, ...], seed: int) -> Match:
    return Match(game, [(name, None) for name in names], seed)


def _checked(line: str) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except ValueError as error:
        raise UsageError(f"a record is a line of JSON; this one cannot be read: {error}") from error
    if not isinstance(told, dict) or told.keys() != KINDS.keys():
        raise UsageError(f"a record is an object with the keys {', '.join(KINDS)}")
    for key, kind in KINDS.items():
        if not isinstance(told[key], kind) or isinstance(told[key], bool):
            raise UsageError(f"a record: {key}={told[key]!r} is of the wrong kind")
    return told


def _reason(word: str) -> Reason:
    try:
        return Reason(word)
    except ValueError as error:
        raise UsageError(f"a record: reason={word!r} is none of {', '.join(Reason)}") from error
