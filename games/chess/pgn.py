"""Games as text, in Portable Game Notation (PGN): export of what was played, import of what others have played."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from games.chess.fen import START, Draws, chess_kernels, fen, position
from games.chess.notation import action_text, legal_moves, parse_written
from games.engine.errors import IllegalActionError, UsageError
from games.engine.game import TERMINAL, Game, State
from games.engine.notation import Notation, WrittenGame
from games.engine.registry import make_game
from games.engine.text import printable

ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
"""Tags that every game has, the result aside; unknown unless given."""
RETURNS = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0), "1/2-1/2": (0.0, 0.0)}
RESULTS = {*RETURNS, "*"}
TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
TOKEN = re.compile(r"\{[^}]*\}|;[^\n]*|[()]|\$\d+|\d+\.+|[^\s(){};]+")


@dataclass(frozen=True)
class PgnRecord:
    """A game that was played."""

    game: Game
    """Chess, begun where the record begins."""
    actions: list[int]
    tags: dict[str, str]
    """`White`, `Result` and so on."""


def to_pgn(game: Game, actions: Sequence[int], tags: Mapping[str, str] | None = None) -> str:
    """Return the game in which `actions` were played from `game.initial`, with `tags` such as `White`.

    The result is that of the rules, `*` where they give none yet, unless `tags` name one. Raises `IllegalActionError`
    for an action that cannot be played.
    """
    states = game.initial.copy().reshape(1)
    words: list[str] = []
    for played, action in enumerate(actions):
        number, black = states["number"][0], states["turn"][0]
        if not black or not words:
            words.append(f"{number}{'...' if black else '.'}")
        words.append(_play(states, int(action), played))
    all_tags = {**ROSTER, "Result": _result(states[0])}
    if (start := fen(game.initial)) != START:
        all_tags.update(SetUp="1", FEN=start)
    all_tags.update(tags or {})
    escaped = {name: re.sub(r'(["\\])', r"\\\1", printable(value)) for name, value in all_tags.items()}
    header = "\n".join(f'[{name} "{value}"]' for name, value in escaped.items())
    moves = textwrap.fill(" ".join([*words, all_tags["Result"]]), 80, break_long_words=False, break_on_hyphens=False)
    return f"{header}\n\n{moves}\n"


def from_pgn(text: str, draws: Draws = "automatic") -> PgnRecord:
    """Read one game; comments, variations and annotations are passed over.

    Raises `UsageError` for what is not a game of chess: unreadable or illegal moves, or moves after its end.
    """
    text = re.sub(r"^%.*$", "", text.lstrip("\ufeff"), flags=re.MULTILINE).strip()
    tags: dict[str, str] = {}
    while match := TAG.match(text):
        tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
        text = text[match.end() :].lstrip()
    chess = make_game("chess", draws=draws)
    if "FEN" in tags:
        chess = replace(chess, initial=position(tags["FEN"], draws))
    states = chess.initial.copy().reshape(1)
    actions: list[int] = []
    for word in _moves(text):
        place = f"move {states[0]['number']} of {'white' if states[0]['turn'] == 0 else 'black'}"
        if states[0]["current_player"] == TERMINAL:
            raise UsageError(f"PGN, {place}: the game has ended before {word!r}")
        try:
            actions.append(parse_written(states[0], word))
            _play(states, actions[-1], len(actions))
        except UsageError as error:
            raise UsageError(f"PGN, {place}: {error}") from None
    if not actions and not tags:
        raise UsageError("PGN: there is neither a tag nor a move in the text")
    return PgnRecord(chess, actions, tags)


def _write(
    game: Game,
    actions: Sequence[int],
    players: Sequence[str],
    returns: Sequence[float] | None,
    circumstances: Mapping[str, str],
) -> str:
    tags = {**circumstances, **dict(zip(("White", "Black"), players, strict=True))}
    if returns is not None:
        lead = float(np.sign(returns[0] - returns[1]))
        tags["Result"] = next(result for result, scores in RETURNS.items() if scores[0] == lead)
    return to_pgn(game, actions, tags)


def _read(text: str) -> WrittenGame:
    record = from_pgn(text)
    names = record.tags.get("White", "?"), record.tags.get("Black", "?")
    returns = RETURNS.get(record.tags.get("Result", "*"))
    return WrittenGame(record.game, tuple(record.actions), names, returns, record.tags.get("Termination", ""))


def _split(text: str) -> list[str]:
    """Split a file into games: tags after a blank line begin a new one."""
    parts = re.split(r"\n\s*\n(?=\[)", text.strip())
    return [game for game in parts if game.strip()]


PGN = Notation(".pgn", _write, _read, _split)


def _play(states: NDArray[np.void], action: int, played: int) -> str:
    """Play an action in the one record of `states`, which must be legal; returns its text."""
    state = states[0]
    if state["current_player"] == TERMINAL or action not in [move.action for move in legal_moves(state)]:
        raise IllegalActionError(f"chess: action {action} (after {played} others) is illegal in {fen(state)}")
    text = action_text(state, action)
    chess_kernels().play(states, action)
    return text


def _result(state: State) -> str:
    if state["current_player"] != TERMINAL:
        return "*"
    return {0: "1-0", 1: "0-1"}.get(int(state["winner"]), "1/2-1/2")


def _moves(text: str) -> Iterator[str]:
    """Return the words of the main line that stand for moves; `UsageError` for a second game behind the result."""
    depth, ended = 0, False
    for token in TOKEN.findall(text):
        if token in "()":
            depth += 1 if token == "(" else -1
        elif depth or token[0] in "{;$" or re.fullmatch(r"\d+\.+|[!?]+|e\.p\.", token):
            continue
        elif ended:
            raise UsageError(f"PGN: {token!r} stands behind the result; read one game at a time")
        elif token in RESULTS:
            ended = True
        else:
            yield token
    if depth:
        raise UsageError("PGN: a variation is not closed by its bracket")
