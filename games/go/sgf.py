"""Games as text in the Smart Game Format (SGF FF[4], red-bean.com/sgf): export of what was played, import of others."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from games.engine.batch import new_games
from games.engine.compiler import kernels
from games.engine.errors import IllegalActionError, UsageError
from games.engine.game import TERMINAL, Game, State
from games.engine.notation import Notation, WrittenGame
from games.engine.registry import make_game
from games.engine.text import printable, printable_lines

LETTERS = "abcdefghijklmnopqrs"
"""A point is two letters, column and row, counted from the top left."""
RULES = {"positional": "CGOS", "simple": "Chinese"}
SIMPLE_KO = {"chinese", "japanese", "korean"}
"""Names of rules, in lower case, that forbid no repetition but by ko."""
HOW = {"normal": "R", "time forfeit": "T", "rules infraction": "F", "abandoned": "F"}
"""SGF's letters for a game that was won before its end, by PGN's word for its termination."""
SETUP = {"AB": "handicap stones", "AW": "white stones set up", "AE": "points cleared", "PL": "another player first"}
PROPERTY = re.compile(r"\s*([A-Za-z]+)((?:\s*\[(?:[^\]\\]|\\.)*\])+)", re.DOTALL)
VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
ESCAPED = re.compile(r"[]\\]")

Node = dict[str, list[str]]
"""The properties of a move or of the whole game, each with its values."""


@dataclass(frozen=True)
class SgfRecord:
    """A game that was played."""

    game: Game
    actions: list[int]
    properties: dict[str, str]
    """Properties of the whole game: `PB`, `PW`, `RE` and so on."""


def to_sgf(game: Game, actions: Sequence[int], properties: Mapping[str, str] | None = None) -> str:
    """Return the game in which `actions` were played, with `properties` such as `PB`, black's name.

    The result, if the game is over, is that of the rules. Raises `IllegalActionError` for an action that cannot be
    played.
    """
    size = game.options["size"]
    state = replay(game, actions)
    header = {"GM": "1", "FF": "4", "CA": "UTF-8", "SZ": f"{size}", "KM": f"{game.options['komi']:g}"}
    header["RU"] = RULES[str(game.options["ko"])]
    if state["current_player"] == TERMINAL:
        header["RE"] = result(state)
    header.update(properties or {})
    root = "".join(f"{name}[{ESCAPED.sub(_escape, printable_lines(value))}]" for name, value in header.items())
    moves = [f";{'BW'[number % 2]}[{point_text(int(size), action)}]" for number, action in enumerate(actions)]
    lines = ["".join(moves[start : start + 12]) for start in range(0, len(moves), 12)]
    return "\n".join([f"(;{root}", *lines]) + ")\n"


def from_sgf(text: str, ko: Literal["positional", "simple"] | None = None) -> SgfRecord:
    """Read the main line of a game between two who move in turn from an empty board; comments are passed over.

    Without `ko` the rule is what the record's rules mean (simple for Chinese, Japanese and Korean ones, else
    positional); komi is 7.5 if it names none. Raises `UsageError` for what cannot be read or replayed.
    """
    root, *moves = _main_line(text)
    properties = {name: values[0] for name, values in root.items()}
    if properties.get("GM", "1") != "1":
        raise UsageError(f"SGF: GM[{properties['GM']}] is another game than go, GM[1]")
    if ko is None:
        ko = "simple" if properties.get("RU", "").lower() in SIMPLE_KO else "positional"
    go = make_game("go", size=_whole_number(properties, "SZ", 19), komi=_number(properties, "KM", 7.5), ko=ko)
    actions: list[int] = []
    for node in (root, *moves):
        for name in node.keys() & SETUP.keys():
            raise UsageError(f"SGF: {name} ({SETUP[name]}) cannot be replayed; games begin on the empty board")
        for colour in [name for name in node if name in ("B", "W")]:
            if colour != "BW"[len(actions) % 2]:
                raise UsageError(f"SGF: move {len(actions) + 1} is {colour}'s, but black and white move in turn")
            actions.append(_point(go, node[colour][0], len(actions) + 1))
    try:
        replay(go, actions)
    except IllegalActionError as error:
        raise UsageError(f"SGF: {error}") from None
    return SgfRecord(go, actions, properties)


def _write(
    game: Game,
    actions: Sequence[int],
    players: Sequence[str],
    returns: Sequence[float] | None,
    circumstances: Mapping[str, str],
) -> str:
    properties = dict(zip(("PB", "PW"), map(printable, players), strict=True))  # names are one line in SGF
    for name, of_pgn in (("EV", "Event"), ("RO", "Round")):
        if of_pgn in circumstances:
            properties[name] = printable(circumstances[of_pgn])
    if "Date" in circumstances:
        properties["DT"] = circumstances["Date"].replace(".", "-")
    if circumstances.get("TimeControl", "").isdecimal():  # PGN's word for seconds for a whole game
        properties["TM"] = circumstances["TimeControl"]
    if returns is not None and replay(game, actions)["current_player"] != TERMINAL:
        winner = "B" if returns[0] > returns[1] else "W" if returns[1] > returns[0] else ""
        how = HOW.get(circumstances.get("Termination", ""), "")
        properties["RE"] = f"{winner}+{how}" if winner else "0"
    return to_sgf(game, actions, properties)


def _read(text: str) -> WrittenGame:
    record = from_sgf(text)
    names = record.properties.get("PB", "?"), record.properties.get("PW", "?")
    returns = {"B": (1.0, -1.0), "W": (-1.0, 1.0), "0": (0.0, 0.0), "D": (0.0, 0.0)}
    return WrittenGame(
        record.game, tuple(record.actions), names, returns.get(record.properties.get("RE", "").strip()[:1].upper())
    )


def _split(text: str) -> list[str]:
    """Return the file as one game."""
    return [text]


SGF = Notation(".sgf", _write, _read, _split)


def result(state: State) -> str:
    """Return the result of a finished game in SGF, `B+3.5`, or `0` where nobody wins."""
    lead = float(state["score"] - state["komi"])
    return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "0"


def point_text(size: int, action: int) -> str:
    """Return column and row of a point as letters, nothing for a pass."""
    row, column = divmod(action, size)
    return LETTERS[column] + LETTERS[row] if row < size else ""


def replay(game: Game, actions: Sequence[int]) -> State:
    """Return the position after `actions`; `IllegalActionError` for the first that cannot be played."""
    engine = kernels(game)
    games, row = new_games(game, 1), np.zeros(1, np.int64)
    obs = np.empty((1, *game.observation_shape), game.observation_dtype)
    rewards = np.zeros((1, game.num_players), np.float32)
    engine.reset(games, row, None)
    for number, action in enumerate(actions, start=1):
        played = np.array([action], np.int64)
        if engine.first_illegal(games, row, played) >= 0:
            text = game.action_text(games.states[0], action) if 0 <= action < game.num_actions else "no action"
            why = "is played after the end" if games.over[0] else "is illegal"
            raise IllegalActionError(f"go: move {number}, action {action} ({text}), {why}")
        engine.step(games, row, played, obs, rewards, None)
    return games.states[0]


def _number(properties: Mapping[str, str], name: str, default: float) -> float:
    try:
        return float(properties.get(name, default))
    except ValueError:
        raise UsageError(f"SGF: {name}[{properties[name]}] is not a number") from None


def _whole_number(properties: Mapping[str, str], name: str, default: int) -> int:
    number = _number(properties, name, default)
    if not number.is_integer():
        raise UsageError(f"SGF: {name}[{properties[name]}] is not a whole number")
    return int(number)


def _point(game: Game, text: str, number: int) -> int:
    """Return the action of a move: two letters, or a pass (nothing, or `tt`, as older records have it)."""
    size = int(game.options["size"])
    if text.strip() in ("", "tt"):
        return size * size
    column, row = (LETTERS[:size].find(letter) for letter in text) if len(text) == 2 else (-1, -1)
    if min(column, row) < 0:
        raise UsageError(f"SGF: move {number}, [{text}], is no point of a board of {size} x {size}")
    return row * size + column


def _main_line(text: str) -> list[Node]:
    """Return the nodes of the first game, taking the first variation at every branch."""
    start = text.find("(")
    if start < 0 or not re.match(r"\(\s*;", text[start:]):
        raise UsageError("SGF: there is no game in the text, which begins with (;")
    nodes: list[Node] = []
    depth, closed, place = 0, False, start
    while place < len(text):
        sign = text[place]
        if sign == ";":
            node, place = _node(text, place + 1)
            if not closed:
                nodes.append(node)
            continue
        depth += (sign == "(") - (sign == ")")
        closed |= sign == ")"  # the first variation ends here; the others are skipped
        if depth == 0:
            return nodes
        if sign not in "()" and not sign.isspace():
            raise UsageError(f"SGF: {text[place : place + 10]!r} is neither a move nor a property")
        place += 1
    raise UsageError("SGF: the game is not closed by its bracket")


def _node(text: str, place: int) -> tuple[Node, int]:
    """Return the properties that stand here, and where they end."""
    node: Node = {}
    while match := PROPERTY.match(text, place):
        name = "".join(letter for letter in match[1] if letter.isupper())  # older records write SiZe for SZ
        if name in node:
            raise UsageError(f"SGF: property {name} is given twice in one place")
        node[name] = [re.sub(r"\\(\n|.)", _plain, value, flags=re.DOTALL) for value in VALUE.findall(match[2])]
        place = match.end()
    return node, place


def _escape(sign: re.Match[str]) -> str:
    return "\\" + sign[0]


def _plain(escaped: re.Match[str]) -> str:
    """Return the character that an escape stands for, "" for an escaped line break."""
    return "" if escaped[1] == "\n" else escaped[1]
