"""Opening books: lines of moves in text, games in PGN or SGF, and for chess positions in EPD and polyglot's moves.

EPD: Edwards 1994, "Standard: Portable Game Notation Specification and Implementation Guide", section 16.2.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.base.files import read_text
from arena.base.seeding import make_rng
from arena.match.match import Match
from arena.match.starts import Moves, Opening, with_start
from games.engine.actions import Action
from games.engine.game import TERMINAL, Game, position_bytes

if TYPE_CHECKING:
    import chess.polyglot

POLYGLOT, EPD = ".bin", ".epd"
OPERATION = re.compile(r"(hmvc|fmvn) (\d+);")
"""Operations of EPD that say what FEN has behind the four fields of both: moves since an event, number of the move."""
ENTRY_BYTES = 16
"""Size of an entry of a polyglot book."""
USUAL_PLIES = 8
"""Length of openings from a polyglot book."""
TRIES = 50
"""Walks through a polyglot book in a row without a new opening, after which there are no more."""
FORM = re.compile(r"(.+?)((?:,(?:plies|order|start)=[^,]*)*)")


@dataclass(frozen=True)
class OpeningBook:
    """A book as `--openings file:...` names it."""

    path: Path
    plies: int | None = None
    """Length of the openings; None for whole lines and games."""
    is_random: bool = False
    """True to draw openings by the seed, not in the order of the file."""
    start: int = 1
    """Number of the first opening of a file in order."""


def parse_book(text: str) -> OpeningBook:
    """Return the book of `PATH[,plies=N][,order=sequential|random][,start=N]`; `UsageError` for wrong settings."""
    form = FORM.fullmatch(text)
    assert form is not None
    settings: dict[str, Any] = {}
    for setting in filter(None, form[2].split(",")):
        name, _, value = setting.partition("=")
        if name == "order" and value in ("sequential", "random"):
            settings["is_random"] = value == "random"
        elif name != "order" and re.fullmatch("[0-9]{1,6}", value) and int(value) > 0:
            settings[name] = int(value)
        else:
            raise UsageError(
                f"openings file:{text}: {setting!r} is not plies=N, start=N, order=sequential or order=random"
            )
    return OpeningBook(Path(form[1]), **settings)


def openings_in(book: OpeningBook, game: Game, count: int, seed: int) -> Sequence[Opening]:
    """Return `count` openings of a book; they repeat where it has fewer. `UsageError` names what is wrong with it."""
    suffix = book.path.suffix.lower()
    try:
        if suffix == POLYGLOT:
            return _polyglot(book, game, count, seed)
        if suffix == EPD:
            readers = _positions(book, game)
        else:
            readers = _games(book, game) if _is_notation(book, game) else _lines(book, game)
    except UsageError as error:
        raise UsageError(f"openings {error}") from None
    order = range(book.start - 1, len(readers))
    if not order:
        raise UsageError(f"openings {book.path} has {len(readers)} openings; there is no number {book.start}")
    chosen = make_rng(seed).permutation(order).tolist() if book.is_random else list(order)
    try:
        known = [readers[number]() for number in chosen[:count]]
    except UsageError as error:
        raise UsageError(f"openings {book.path}, {error}") from None
    return [known[i % len(known)] for i in range(count)]


Readers = Sequence[Callable[[], Opening]]
"""Functions that read the openings of a file, one by one: large books are read as far as they are needed."""


def _lines(book: OpeningBook, game: Game) -> Readers:
    lines = [line.partition("#")[0].split() for line in read_text(book.path).splitlines()]
    openings = [(number, moves) for number, moves in enumerate(lines, start=1) if moves]
    if not openings:
        raise UsageError(f"{book.path} has no line of moves")

    def reader(number: int, moves: list[str]) -> Callable[[], Opening]:
        return lambda: _played(book, game, moves, f"line {number}", game.parse_action)

    return [reader(number, moves) for number, moves in openings]


def _positions(book: OpeningBook, game: Game) -> Readers:
    if game.name != "chess":
        raise UsageError(f"{book.path}: EPD has positions of chess, not of {game.name}")
    if book.plies is not None:
        raise UsageError(f"{book.path}: EPD has positions, not moves; leave plies={book.plies} out")
    lines = enumerate(map(str.strip, read_text(book.path).splitlines()), start=1)
    positions = [(number, line) for number, line in lines if line and not line.startswith("#")]  # a mate is #, too
    if not positions:
        raise UsageError(f"{book.path} has no positions")

    def reader(number: int, line: str) -> Callable[[], Opening]:
        return lambda: _position(game, line, f"line {number}")

    return [reader(number, line) for number, line in positions]


def _position(game: Game, line: str, where: str) -> str:
    """Return the position of a line of EPD, or a FEN, as FEN; `UsageError` if it is none or the game is over there."""
    fields = line.split()
    known = dict(OPERATION.findall(" ".join(fields[4:])))
    is_fen = len(fields) >= 6 and fields[4].isdecimal() and fields[5].isdecimal()
    counts = fields[4:6] if is_fen else [known.get("hmvc", "0"), known.get("fmvn", "1")]
    try:
        state = with_start(game, " ".join([*fields[:4], *counts])).initial
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    if state["current_player"] == TERMINAL:
        raise UsageError(f"{where}: the game is over in this position")
    assert game.position_text is not None
    return game.position_text(state)


def _is_notation(book: OpeningBook, game: Game) -> bool:
    return game.notation is not None and book.path.suffix.lower() == game.notation.suffix


def _games(book: OpeningBook, game: Game) -> Readers:
    assert game.notation is not None
    notation = game.notation
    texts = notation.split(read_text(book.path))
    if not texts:
        raise UsageError(f"{book.path} has no games")

    def reader(number: int, text: str) -> Callable[[], Opening]:
        def read() -> Opening:
            where = f"game {number}"
            try:
                written = notation.read(text)
            except UsageError as error:
                raise UsageError(f"{where}: {error}") from None
            if position_bytes(written.game.initial) != position_bytes(game.initial):
                raise UsageError(f"{where}: it does not begin as {game.spec} does")
            return _played(book, game, written.actions, where, lambda state, action: action)

        return read

    return [reader(number, text) for number, text in enumerate(texts, start=1)]


def _played(
    book: OpeningBook, game: Game, moves: Sequence[Any], where: str, parse: Callable[[Any, Any], Action]
) -> Moves:
    """Return the actions of moves, those of the book's plies alone; `UsageError` if they cannot be played."""
    if book.plies is not None and len(moves) < book.plies:
        raise UsageError(f"{where}: it has {len(moves)} plies, fewer than {book.plies}")
    match = Match(game, [("", None)] * game.num_players)
    for move in moves[: book.plies]:
        try:
            match.play(parse(match.state, move))
        except UsageError as error:
            raise UsageError(f"{where}: {str(move)!r} cannot be played: {error}") from None
    if match.over:
        raise UsageError(f"{where}: the game is over after these moves")
    return tuple(match.actions)


def _polyglot(book: OpeningBook, game: Game, count: int, seed: int) -> list[Moves]:
    """Return openings drawn by the weights of the moves; each once, as far as there are so many."""
    if game.name != "chess":
        raise UsageError(f"{book.path}: polyglot books are for chess, not {game.name}")
    try:
        import chess.polyglot
    except ImportError:
        raise UsageError(f"{book.path}: polyglot books need python-chess: {install_command('chess')}") from None
    try:
        size = book.path.stat().st_size
    except OSError as error:
        raise UsageError(f"{book.path}: {error.strerror}") from None
    if size % ENTRY_BYTES:
        raise UsageError(f"{book.path} is no polyglot book, or cut off: its {size} bytes are not entries of 16 each")
    reader = chess.polyglot.open_reader(book.path)
    plies, rng = book.plies or USUAL_PLIES, make_rng(seed)
    openings: dict[Moves, None] = {}  # a set that keeps its order
    in_vain = 0
    with reader:
        while len(openings) < count and in_vain < TRIES:
            before = len(openings)
            moves = _walk(reader, plies, lambda weights: int(rng.choice(len(weights), p=weights)))
            if len(moves) == plies:
                openings[_played(book, game, moves, "a line of it", game.parse_action)] = None
            in_vain = in_vain + 1 if len(openings) == before else 0
    if not openings:
        raise UsageError(f"{book.path} has no line of {plies} plies from the first position; take fewer by plies=N")
    known = list(openings)
    return [known[i % len(known)] for i in range(count)]


def _walk(reader: "chess.polyglot.MemoryMappedReader", plies: int, draw: Callable[[list[float]], int]) -> list[str]:
    """Return moves from the first position in UCI notation, as far as the book goes, at most so many."""
    import chess

    board, moves = chess.Board(), list[str]()
    while len(moves) < plies and (entries := list(reader.find_all(board))):
        total = sum(entry.weight for entry in entries)
        weights = [entry.weight / total if total else 1 / len(entries) for entry in entries]
        move = entries[draw(weights)].move
        moves.append(move.uci())
        board.push(move)
    return moves
