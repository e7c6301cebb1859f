"""Matches in files: what is written is read again as it was."""

from dataclasses import replace

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.match.files import WrittenMatch, circumstances, match_text, read_match
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.verdict import Reason, Verdict, forfeit
from arena.policy.registry import make_game


def played(name, moves=10**6, seed=3):
    """A match of random moves, and its end if it has one by then."""
    game, rng = make_game(name), np.random.default_rng(seed)
    match = Match(game, [("ada", None), ("bob", None)], seed)
    while not match.over and len(match.actions) < moves:
        match.play(int(rng.choice(np.flatnonzero(match.legal))))
    return WrittenMatch(game, ("ada", "bob"), tuple(match.actions), seed, 0, match.verdict)


def written(match, path):
    path.write_text(match_text(match, path.suffix) * 2, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "suffix"), [("connect_four", ".jsonl"), ("kuhn_poker", ".jsonl"), ("chess", ".pgn"), ("go:size=5", ".sgf")]
)
def test_what_is_written_is_read_again(name, suffix, tmp_path):
    match = played(name)
    path = written(match, tmp_path / f"match{suffix}")
    for number in (1, 2) if suffix != ".sgf" else (1,):
        found = read_match(path, number)
        assert (found.actions, found.players, found.verdict) == (match.actions, match.players, match.verdict)
        assert found.game.label == match.game.label


@pytest.mark.parametrize(
    ("verdict", "read"),
    [
        (forfeit(2, 0, Reason.RESIGNED), forfeit(2, 0, Reason.RESIGNED)),
        (forfeit(2, 1, Reason.LATE, "no move in 1 s"), forfeit(2, 1, Reason.RESIGNED)),
        (Verdict((0.0, 0.0), Reason.AGREED), Verdict((0.0, 0.0), Reason.AGREED)),
        (None, None),
    ],
)
@pytest.mark.parametrize(("name", "suffix"), [("chess", ".pgn"), ("go:size=5", ".sgf")])
def test_other_notations_tell_who_won_and_not_why(name, suffix, verdict, read, tmp_path):
    half = played(name, moves=4)
    match = WrittenMatch(half.game, half.players, half.actions, verdict=verdict)
    assert read_match(written(match, tmp_path / f"match{suffix}")).verdict == read


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("a.pgn", "1. e4 e5 2. Ke3 *", "a.pgn, match 1: PGN, move 2 of white: "),
        ("a.sgf", "(;GM[1]SZ[5];B[aa];W[aa])", "a.sgf, match 1: SGF: "),
        ("a.jsonl", "{}", "a.jsonl, match 1: a record is an object"),
        ("a.jsonl", "", "a.jsonl holds 0 matches; there is no number 1"),
        ("a.txt", "", "a.txt: .txt is no format of matches"),
        ("none/a.pgn", None, "cannot be read: No such file"),
    ],
)
def test_what_cannot_be_read_is_said(file, text, said, tmp_path):
    if text is not None:
        (tmp_path / file).write_text(text)
    with pytest.raises(UsageError) as error:
        read_match(tmp_path / file)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_game_without_a_notation_says_what_will_do():
    with pytest.raises(UsageError, match=r"connect_four is not written as \.pgn; \.jsonl will do"):
        match_text(played("connect_four"), ".pgn")


def test_chess_and_go_say_when_and_where_they_were_played():
    told = circumstances("tournament 3", 1_780_000_000, 7, Limits(time_per_move="5s", time_per_game="2m"))
    match = played("chess")
    late = replace(match, circumstances=told, verdict=forfeit(2, 0, Reason.LATE))
    text = match_text(late, ".pgn")
    for tag in ('[Event "tournament 3"]', '[Date "2026.05.28"]', '[Round "7"]', '[UTCTime "20:26:40"]'):
        assert tag in text
    assert '[TimeControl "1/5:120"]' in text
    assert '[Termination "time forfeit"]' in text
    per_game = circumstances("play 4", 1_780_000_000, 1, Limits(time_per_game="2m"))
    go = replace(played("go"), actions=(0,), circumstances=per_game, verdict=forfeit(2, 1, Reason.RESIGNED))
    text = match_text(go, ".sgf")
    for written in ("EV[play 4]", "DT[2026-05-28]", "RO[1]", "TM[120]", "RE[B+R]"):
        assert written in text
