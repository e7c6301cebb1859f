"""Opening books of chess and go: PGN, SGF and polyglot, whose openings are those that python-chess finds."""

import dataclasses
import struct

import pytest

import games
from arena.base.errors import UsageError
from arena.match.limits import Limits
from arena.match.match import Match
from arena.tournament.config import TournamentConfig
from arena.tournament.openings import openings_of
from arena.tournament.tournament import run_tournament

chess = pytest.importorskip("chess.polyglot").chess

CHESS, GO = games.make("chess"), games.make("go", size=9, komi=7.0)
PGN = """[Event "first"]

1. e4 {the king's pawn} e5 2. Nf3 (2. f4 exf4) Nc6 *

[Event "second"]

1. d4 d5 2. c4 e6 1/2-1/2

[Event "third"]

1. c4 *
"""


def texts(game, opening):
    """The moves of an opening in UCI or the game's notation."""
    found, match = [], Match(game, [("", None)] * 2)
    for action in opening:
        found.append(game.action_text(match.state, action))
        match.play(action)
    return " ".join(found)


def polyglot(path, lines, weights=None):
    """Write a polyglot book of the moves of lines in UCI notation."""
    entries = {}
    for line, weight in zip(lines, weights or [1] * len(lines), strict=True):
        board = chess.Board()
        for text in line.split():
            move = board.parse_uci(text)
            raw = move.to_square | move.from_square << 6
            entries[chess.polyglot.zobrist_hash(board), raw] = weight
            board.push(move)
    path.write_bytes(b"".join(struct.pack(">QHHI", *key, weight, 0) for key, weight in sorted(entries.items())))
    return f"file:{path}"


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.pgn"
    path.write_text(PGN)
    return f"file:{path}"


def test_games_of_a_pgn_are_openings(book):
    first, second, third, again = openings_of(CHESS, book, 4, 0)
    assert texts(CHESS, first) == "e4 e5 Nf3 Nc6"
    assert texts(CHESS, second) == "d4 d5 c4 e6"
    assert texts(CHESS, third) == "c4"
    assert again == first
    assert [texts(CHESS, one) for one in openings_of(CHESS, f"{book},plies=2,start=2", 1, 0)] == ["d4 d5"]


def test_positions_of_an_epd_are_openings(tmp_path):
    path = tmp_path / "book.epd"
    lines = [
        'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3; am Qh5#; id "e4 e5";',
        "",
        "# the end",
        "8/8/8/4k3/8/4K3/4P3/8 b - - hmvc 3; fmvn 40;",
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 7 30",
    ]
    path.write_text("\n".join(lines))
    found = [
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/4k3/8/4K3/4P3/8 b - - 3 40",
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 7 30",
    ]
    for fen, line in ((found[0], lines[0].replace("am Qh5#; ", "")), (found[1], lines[3])):
        assert chess.Board.from_epd(line)[0] == chess.Board(fen)
    assert openings_of(CHESS, f"file:{path}", 4, 0) == [*found, found[0]]
    assert openings_of(CHESS, f"file:{path},start=3", 1, 0) == found[2:]
    assert set(openings_of(CHESS, f"file:{path},order=random", 3, 1)) == set(found)
    with pytest.raises(UsageError, match="EPD has positions of chess, not of go"):
        openings_of(GO, f"file:{path}", 1, 0)


@pytest.mark.full
def test_a_tournament_plays_positions_from_both_sides_and_goes_on(tmp_path):
    (tmp_path / "book.epd").write_text("8/8/8/4k3/8/4K3/4P3/8 b - -\n6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -\n")
    config = TournamentConfig(games=4, openings=f"file:{tmp_path}/book.epd")
    entrants = {"a": "alphabeta:2", "b": "random"}
    records = run_tournament(CHESS, entrants, config).records
    assert [record.start.split()[0] for record in records] == ["8/8/8/4k3/8/4K3/4P3/8"] * 2 + [
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1"
    ] * 2
    assert [record.players for record in records] == [("a", "b"), ("b", "a")] * 2
    assert records[2].verdict.returns == (1.0, -1.0)  # a gives mate in one
    assert len(records[2].actions) == 1
    timed = dataclasses.replace(config, limits=Limits(clock="10+0.1"))
    assert [record.start for record in run_tournament(CHESS, entrants, timed).records] == [r.start for r in records]


def test_an_order_is_drawn_by_the_seed(book):
    drawn = {tuple(openings_of(CHESS, f"{book},plies=1,order=random", 3, seed)) for seed in range(12)}
    assert len(drawn) > 1
    assert all(len(set(one)) == 3 for one in drawn)
    assert openings_of(CHESS, f"{book},order=random", 3, 5) == openings_of(CHESS, f"{book},order=random", 3, 5)


def test_games_of_an_sgf_are_openings_of_go(tmp_path):
    path = tmp_path / "book.sgf"
    path.write_text("(;GM[1]FF[4]SZ[9]KM[7]RU[CGOS];B[ee];W[cc])")
    assert [texts(GO, one) for one in openings_of(GO, f"file:{path}", 1, 0)] == ["E5 C7"]
    with pytest.raises(UsageError, match="game 1: it does not begin as go:size=19"):
        openings_of(games.make("go"), f"file:{path}", 1, 0)


def test_lines_of_a_polyglot_book_are_drawn_by_weight(tmp_path):
    lines = ["e2e4 e7e5 g1f3 b8c6", "e2e4 c7c5 g1f3 d7d6", "d2d4 d7d5 c2c4 e7e6"]
    form = polyglot(tmp_path / "book.bin", lines)
    found = {texts(CHESS, one) for one in openings_of(CHESS, f"{form},plies=4", 30, 1)}
    assert found == {"e4 e5 Nf3 Nc6", "e4 c5 Nf3 d6", "d4 d5 c4 e6"}
    assert openings_of(CHESS, f"{form},plies=4", 9, 1) == openings_of(CHESS, f"{form},plies=4", 9, 1)
    never = polyglot(tmp_path / "other.bin", lines[1:], [1, 0])
    assert {texts(CHESS, one) for one in openings_of(CHESS, f"{never},plies=2", 5, 0)} == {"e4 c5"}


def test_a_polyglot_book_castles(tmp_path):
    """In the book the king goes to its rook."""
    board, path = chess.Board(), tmp_path / "book.bin"
    line = "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7"
    for text in line.split():
        board.push_uci(text)
    polyglot(path, [line])
    castles = chess.E1 << 6 | chess.H1
    entries = [path.read_bytes(), struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), castles, 1, 0)]
    data = b"".join(entries)
    path.write_bytes(b"".join(sorted(data[start : start + 16] for start in range(0, len(data), 16))))
    assert texts(CHESS, openings_of(CHESS, f"file:{path},plies=7", 1, 0)[0]).endswith("Bg7 O-O")


def test_a_tournament_plays_a_book_from_both_sides(book):
    config = TournamentConfig(games=4, openings=f"{book},plies=1")
    records = run_tournament(CHESS, {"a": "random", "b": "random"}, config).records
    assert [texts(CHESS, record.opening) for record in records] == ["e4", "e4", "d4", "d4"]


@pytest.mark.parametrize(
    ("name", "content", "settings", "message"),
    [
        ("none.pgn", None, "", "none.pgn"),
        ("none.bin", None, "", "none.bin: No such file"),
        ("a.pgn", PGN, ",plies=2", "a.pgn, game 3: it has 1 plies, fewer than 2"),
        ("a.pgn", "1. e4 e5 2. Ke3 *", "", "a.pgn, game 1: PGN, move 2 of white"),
        ("a.pgn", "1. f3 e5 2. g4 Qh4# 0-1", "", "game 1: the game is over after these moves"),
        ("a.pgn", '[FEN "8/8/8/8/8/k7/7P/K7 w - - 0 1"]\n\n1. h3 *', "", "game 1: it does not begin as chess"),
        ("a.pgn", PGN, ",start=9", "has 3 openings; there is no number 9"),
        ("a.epd", "8/8/8/8/8/k7/7P/K7 w - -", ",plies=2", "a.epd: EPD has positions, not moves; leave plies=2 out"),
        ("a.epd", "# nothing\n\n", "", "a.epd has no positions"),
        ("a.epd", "8/8/8/8/8/k7/7P/K7 w - -\n8/8/8 w", "", "a.epd, line 2: '8/8/8 w 0 1' is not a FEN"),
        (
            "a.epd",
            "8/8/8/8/8/k7/7P/8 w - -",
            "",
            "a.epd, line 1: '8/8/8/8/8/k7/7P/8 w - - 0 1' is no position of chess",
        ),
        ("a.epd", "R5k1/5ppp/8/8/8/8/8/6K1 b - -", "", "a.epd, line 1: the game is over in this position"),
        ("a.bin", "x" * 17, "", "a.bin is no polyglot book, or cut off"),
        ("a.bin", "x" * 32, "", "a.bin has no line of 8 plies from the first position"),
        ("a.bin", "", "", "a.bin"),
    ],
)
def test_wrong_books_are_refused_in_a_line(tmp_path, name, content, settings, message):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(UsageError) as refused:
        openings_of(CHESS, f"file:{path}{settings}", 3, 0)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("settings", ["plies=0", "plies=x", "order=best", "start=-1"])
def test_wrong_settings_are_refused_before_anything_is_read(settings):
    with pytest.raises(UsageError, match="is not plies=N, start=N, order=sequential or order=random"):
        TournamentConfig(openings=f"file:book.pgn,{settings}")


def test_polyglot_is_for_chess(tmp_path):
    (tmp_path / "a.bin").write_bytes(b"x" * 16)
    with pytest.raises(UsageError, match="polyglot books are for chess, not connect_four"):
        openings_of(games.make("connect_four"), f"file:{tmp_path}/a.bin", 1, 0)
