"""Games that begin elsewhere than usual: played, told to agents, written down, stored and read back."""

import json
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

import games
from agents.outside.line import ReplayedGame
from arena.base.errors import UsageError
from arena.match.batch import Pairing, play_matches
from arena.match.contained import ContainedPolicy
from arena.match.files import WrittenMatch, match_text, read_match
from arena.match.json_lines import from_json_line, to_json_line
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.replay import replay
from arena.match.starts import start_of, with_start
from arena.match.verdict import MatchRecord, Verdict
from arena.policy.registry import make_agent
from arena.store import Store
from games.engine.game import position_bytes
from tests.match.players import Lowest

pytestmark = pytest.mark.full

CHESS = games.make("chess")
ROOK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
"""White gives mate by Rd8."""
PAWN = "8/8/8/4k3/8/4K3/4P3/8 b - - 3 40"
"""Black is to move."""
OPEN = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
NOBODY = [("", None)] * 2


class Listener(Lowest):
    """Plays the lowest legal action, and notes the positions in which it was told that games began."""

    needs_moves = True

    def __init__(self):
        self.told: list[str] = []

    def forward(self, batch, state=None):
        initial = batch.obs.get("initial")
        self.told += ["usual"] * len(batch.obs) if initial is None else map(CHESS.position_text, initial)
        return super().forward(batch)


def test_the_usual_start_has_no_text():
    assert start_of(CHESS) == ""
    assert start_of(with_start(CHESS, "")) == ""
    assert start_of(with_start(CHESS, games.chess.fen(CHESS.initial))) == ""
    assert start_of(with_start(CHESS, PAWN)) == PAWN
    assert start_of(with_start(with_start(CHESS, ROOK), PAWN)) == PAWN
    assert start_of(games.make("connect_four")) == ""


def test_a_position_that_cannot_be_is_refused():
    with pytest.raises(UsageError, match="is no position of chess: white has 0 kings"):
        with_start(CHESS, "8/8/8/4k3/8/8/4P3/8 b - - 0 1")
    with pytest.raises(UsageError, match="connect_four begins in its first position"):
        with_start(games.make("connect_four"), ROOK)


def test_games_side_by_side_are_those_played_one_by_one():
    pairings = [Pairing((0, 1), 1, ROOK), Pairing((1, 0), 2), Pairing((1, 0), 3, PAWN), Pairing((0, 1), 4, (2421,))]
    players = [("low", Lowest()), ("mcts", make_agent("mcts:20", CHESS))]
    records = play_matches(CHESS, players, pairings, seed=5)
    assert [record.start for record in records] == [ROOK, "", PAWN, ""]
    assert [record.opening for record in records] == [(), (), (), (2421,)]
    for record in records:
        assert replay(record).match.record().verdict == record.verdict
    alone = play_matches(CHESS, players[:1], [Pairing((0, 0), 1, ROOK)])[0]
    match = Match(with_start(CHESS, ROOK), [players[0]] * 2, 1)
    assert match.play_out() == alone


def test_agents_are_told_where_their_game_began():
    listener = Listener()
    play_matches(CHESS, [("l", listener)], [Pairing((0, 0), 0, PAWN), Pairing((0, 0))])
    assert set(listener.told) == {PAWN, games.chess.fen(CHESS.initial)}
    for opening, told in ((ROOK, ROOK), ((), "usual")):
        listener = Listener()
        game = with_start(CHESS, opening) if opening else CHESS
        Match(game, [("l", listener), ("", None)]).consult(listener)
        assert listener.told == [told]


def test_an_agent_in_a_process_of_its_own_plays_on_from_there():
    with closing(ContainedPolicy("alphabeta:2", CHESS, Limits(memory="2GB"))) as agent:
        match = Match(with_start(CHESS, ROOK), [("deep", agent), ("", None)])
        match.advance()
    assert match.verdict == Verdict((1.0, -1.0))


def test_matches_are_written_and_read_back(tmp_path):
    match = Match(with_start(CHESS, OPEN), NOBODY)
    for move in ("Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"):
        match.play(CHESS.parse_action(match.state, move))
    record = MatchRecord(CHESS.label, ("a", "b"), 0, (), tuple(match.actions), match.verdict, start=OPEN)
    line = to_json_line(CHESS, record)
    assert json.loads(line)["start"] == OPEN
    assert from_json_line(line)[1] == record
    written = WrittenMatch.of(record)
    assert written.record == record
    (tmp_path / "a.pgn").write_text(text := match_text(written, ".pgn"))
    assert f'[FEN "{OPEN}"]' in text
    assert "2. Bc4 Nc6" in text
    assert read_match(tmp_path / "a.pgn").record == record
    with Store(tmp_path / "s.db") as store:
        run = store.open_run("tournament", "key", CHESS.label, {}, ["a", "b"])
        store.add_games(run.id, [(0, record)])
        stored = next(iter(store.each_match())).record
        assert stored == record
        assert replay(stored).moves[0] == "Bc4"


@pytest.mark.parametrize(
    ("start", "message"),
    [("nonsense", "is not a FEN"), (ROOK.replace("w", "b"), "move 1, .* cannot be played")],
)
def test_a_record_whose_start_is_wrong_is_refused(start, message):
    match = Match(with_start(CHESS, ROOK), NOBODY)
    match.play(CHESS.parse_action(match.state, "Rd8#"))
    record = MatchRecord(CHESS.label, ("a", "b"), 0, (), tuple(match.actions), match.verdict, start=ROOK)
    line = json.loads(to_json_line(CHESS, record)) | {"start": start}
    with pytest.raises(UsageError, match=message):
        from_json_line(json.dumps(line))


def test_observations_are_those_of_the_position():
    """What was before the start is not shown: the boards of earlier moves are empty."""
    match = Match(with_start(CHESS, PAWN), NOBODY)
    side_by_side = play_matches(CHESS, [("low", Lowest())], [Pairing((0, 0), 0, PAWN)])[0]
    assert match.seat == 1
    match.play(side_by_side.actions[0])
    assert np.count_nonzero(match.observation_of(0)[..., 7:20]) > 0


def test_what_lies_between_the_fields_of_a_position_does_not_count():
    """Records are aligned, and NumPy copies their fields alone."""
    dirty = np.full(CHESS.initial.nbytes, 255, np.uint8).view(CHESS.initial.dtype)
    dirty[:] = CHESS.initial
    assert dirty[0].tobytes() != CHESS.initial.tobytes()
    assert position_bytes(dirty[0]) == position_bytes(CHESS.initial)
    assert start_of(replace(CHESS, initial=dirty[0])) == ""
    assert ReplayedGame(CHESS, dirty[0]).start_text is None
    assert start_of(with_start(CHESS, PAWN)) == PAWN
