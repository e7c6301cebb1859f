"""The store, on each kind of database: what goes in comes out, once, in order, and is found again."""

import sqlite3
import tracemalloc
from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest

from arena.base.errors import UsageError
from arena.match.verdict import MatchRecord, Reason, Verdict
from arena.store import MatchFilter, Selection, Store
from arena.store.matches import PACKED
from arena.store.moves import MOST_BYTES, pack, unpack
from tests.store.records import GAME, OTHER_GAME, record, schedule


def begin(store: Store, key: str = "key", game: str | None = GAME):
    return store.open_run("tournament", key, game, {"games": 40, "openings": "random:4"}, ["ada", "bob"])


@pytest.mark.full
def test_matches_come_back_as_they_were_in_order_of_number(store):
    run, games = begin(store), schedule(40)
    store.add_games(run.id, games[20:])
    store.add_games(run.id, games[:20])
    assert list(store.played(run.id)) == games


def test_a_match_that_is_there_already_stays_as_it_is(store):
    run = begin(store)
    store.add_games(run.id, [(0, record(0)), (0, record(1))])
    store.add_games(run.id, [(0, record(2)), (1, record(3))])
    assert list(store.played(run.id)) == [(0, record(0)), (1, record(3))]
    assert store.results(Selection(GAME)).games.sum() == 2


def test_times_come_back_where_they_were_measured(store):
    run, times = begin(store), [None, tuple(range(20)), (0, 0, 0, 0, 255, 256, 70_000, *[1] * 14)]
    store.add_games(run.id, [(n, replace(record(n), move_ms=one)) for n, one in enumerate(times)])
    assert [one.move_ms for _, one in store.played(run.id)] == times


def test_a_run_goes_on_under_its_key_until_it_is_finished(url):
    with Store(url) as store:
        first = begin(store)
        assert (first.config, first.players, first.finished) == (
            {"games": 40, "openings": "random:4"},
            ("ada", "bob"),
            False,
        )
        store.add_games(first.id, schedule(2))
        assert begin(store, "another").id != first.id
    with Store(url) as store:
        assert begin(store) == first
        assert list(store.played(first.id)) == schedule(2)
        store.finish_run(first.id)
        finished = begin(store)
        assert finished.finished
        store.finish_run(first.id)
        assert begin(store) == finished


def test_matches_are_counted_and_read_from_any_place(store):
    assert (store.count(), store.newest(), store.games(), store.players()) == (0, 0, [], [])
    run = begin(store)
    lengths = [6 + number % 10 for number in range(40)]
    store.add_games(run.id, [(n, record(n, ("ada", "bob"), length=length)) for n, length in enumerate(lengths)])
    everything = store.matches(limit=99)
    assert store.count() == len(everything) == 40
    assert store.newest() == everything[0].id
    assert store.matches(limit=7, skip=30) == everything[30:37]
    assert store.matches(limit=7, skip=40) == []
    assert store.count(before_id=everything[10].id) == 29
    wanted = MatchFilter(player="ada", min_length=8, max_length=9)
    fitting = [match for match in everything if 8 <= len(match.record.actions) <= 9]
    assert (store.count(wanted), store.matches(wanted, skip=2)) == (len(fitting), fitting[2:])
    assert (store.games(), store.players(1)) == ([GAME], ["ada"])


@pytest.mark.parametrize("change", [{"kind": "import"}, {"game": OTHER_GAME}, {"players": ["ada", "eve"]}])
def test_a_key_of_another_run_is_refused(store, change):
    begin(store)
    asked = {"kind": "tournament", "key": "key", "game": GAME, "config": {}, "players": ["ada", "bob"]} | change
    with pytest.raises(UsageError, match=r"run 'key' is tournament of connect_four\(.*\) with ada, bob, not "):
        store.open_run(**asked)


def test_a_block_with_an_impossible_match_leaves_nothing(store):
    run = begin(store)
    negative = MatchRecord(GAME, ("new", "newer"), -1, (), (1,), Verdict((1.0, -1.0)))
    with pytest.raises(UsageError, match=r"match 1 has the seed -1, which is not between"):
        store.add_games(run.id, [(0, record(0)), (1, negative)])
    with pytest.raises(UsageError, match=r"match 7 does not begin with its opening \(3,\)"):
        store.add_games(run.id, [(7, MatchRecord(GAME, ("new", "newer"), 0, (3,), (1,), Verdict((1.0, -1.0))))])
    assert list(store.played(run.id)) == []
    assert store.results(Selection(GAME)).names == ()
    with pytest.raises(UsageError, match="there is no run 17"):
        store.add_games(17, schedule(1))


@pytest.mark.full
def test_matches_are_found_newest_first_by_what_is_known_of_them(store):
    run, other = begin(store), begin(store, "other", None)
    games = schedule(60)
    store.add_games(run.id, games)
    store.add_games(other.id, [(0, record(100, ("eve", "bob"), OTHER_GAME, 300)), (1, record(101, ("eve", "ada")))])

    def found(**wanted):
        return [(match.run, match.number) for match in store.matches(MatchFilter(**wanted), limit=100)]

    def expected(test):
        return [(run.id, number) for number, game in reversed(games) if test(game)]

    assert found() == [(other.id, 1), (other.id, 0), *expected(lambda game: True)]
    assert found(player="eve") == [(other.id, 1), (other.id, 0)]
    assert found(player="eve", game=OTHER_GAME) == found(min_length=21) == [(other.id, 0)]
    assert found(player="nobody") == found(game="no game") == found(run=9) == []
    assert found(game="connect") == [], "a game whose name begins so is another one"
    assert found(run=run.id, result="draw") == expected(lambda game: game.verdict.returns == (0.0, 0.0))
    won = expected(lambda game: game.verdict.returns[game.players.index("ada")] == 1)
    assert 0 < len(won) < 60
    assert found(player="ada", result="win", run=run.id) == won == found(player="bob", result="loss", run=run.id)
    assert found(reason=Reason.CRASHED) == [(run.id, number) for number in range(59, 0, -10)]
    newest = store.matches(limit=3)
    assert store.matches(limit=100, before_id=newest[-1].id) == store.matches(limit=100)[3:]
    assert list(store.each_match(MatchFilter(run=run.id))) == list(
        reversed(store.matches(MatchFilter(run=run.id), limit=99))
    )
    assert store.match(newest[0].id) == newest[0]
    with pytest.raises(UsageError, match="there is no match 999"):
        store.match(999)


def test_a_result_is_a_players():
    with pytest.raises(UsageError, match="'win' is that of a player"):
        MatchFilter(result="win")
    with pytest.raises(UsageError, match="result='won' is none of win, draw, loss"):
        MatchFilter(player="ada", result="won")


@pytest.mark.full
def test_more_matches_than_are_read_at_a_time(store, monkeypatch):
    monkeypatch.setattr("arena.store.store.PAGE", 7)
    monkeypatch.setattr("arena.store.numbers.CHUNK", 5)
    run, games = begin(store), schedule(22)
    store.add_games(run.id, games[:12])
    store.add_games(run.id, games)
    assert list(store.played(run.id)) == games
    assert [match.number for match in store.each_match()] == list(range(22))


def test_results_are_counted_by_the_database(store):
    run = begin(store)
    store.add_games(run.id, schedule(40)[:30])
    store.add_games(run.id, schedule(40))
    by_hand = Counter(
        (game.players, game.verdict.returns, game.verdict.reason is Reason.CRASHED) for _, game in schedule(40)
    )
    found = store.results(Selection(GAME))
    assert found.names == ("ada", "bob")
    rows = zip(*(getattr(found, name).tolist() for name in ("players", "places", "games", "fault")), strict=True)
    assert {(tuple(sat), tuple(places), fault >= 0): games for sat, places, games, fault in rows} == {
        (tuple(found.names.index(name) for name in players), places_of(returns), crashed): count
        for (players, returns, crashed), count in by_hand.items()
    }
    assert found.squares.sum() == sum(value**2 for _, game in schedule(40) for value in game.verdict.returns)
    assert found.plain.all()


def places_of(returns):
    return tuple(1 + sum(other > one for other in returns) for one in returns)


def test_results_of_a_selection(store):
    games = [
        (n, record(n, pair)) for n, pair in enumerate([("ada", "bob"), ("ada", "eve"), ("eve", "ada"), ("bob", "bob")])
    ]
    first, second = begin(store), begin(store, "second")
    store.add_games(first.id, games)
    store.add_games(second.id, [(0, record(7, ("ada", "bob")))])

    def counted(itself=False, **conditions):
        return int(store.results(Selection(GAME, **conditions), itself).games.sum())

    added = store.match(5).added
    assert (counted(), counted(itself=True)) == (4, 5)
    assert counted(players=("ada", "bob")) == 2
    assert counted(players=("ada", "nobody")) == 0
    assert (counted(runs=(first.id,)), counted(runs=(second.id,)), counted(runs=())) == (3, 1, 0)
    assert (counted(since=added), counted(until=added)) == (1, 3)
    assert store.results(Selection(OTHER_GAME)).names == ()


def test_a_game_that_several_tournaments_played_counts_once(store):
    by_kind = {kind: store.open_run(kind, kind, GAME, {}, ["ada", "bob"]) for kind in ("tournament", "import")}
    again = store.open_run("tournament", "again", GAME, {}, ["ada", "bob", "eve"])
    store.add_games(by_kind["tournament"].id, schedule(4))
    later = [(0, record(0, ("ada", "eve"))), (1, replace(record(2), actions=record(2).actions[:19])), *schedule(6)[2:]]
    store.add_games(again.id, later)
    assert store.results(Selection(GAME)).games.sum() == 4 + 4, "seeds or moves alone make no repeat"
    assert store.results(Selection(GAME, runs=(again.id,))).games.sum() == 6
    store.add_games(by_kind["import"].id, schedule(4))
    assert store.results(Selection(GAME)).games.sum() == 12, "what was imported is not known to be the same game"


def test_results_of_games_of_more_than_two(store):
    run = begin(store, game=None)
    trio = ("a", "b", "c")
    for number, returns in enumerate([(2.0, -1.0, -1.0), (0.5, 0.5, -1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]):
        store.add_games(run.id, [(number, MatchRecord("kuhn", trio, 0, (), (0, 1), Verdict(returns)))])
    found = store.results(Selection("kuhn"))
    rows = zip(*(getattr(found, name).tolist() for name in ("places", "games", "returns", "plain")), strict=True)
    assert sorted(rows) == [
        ([1, 1, 1], 2, [0.0, 0.0, 0.0], True),
        ([1, 1, 3], 1, [0.5, 0.5, -1.0], False),
        ([1, 2, 2], 1, [2.0, -1.0, -1.0], False),
    ]


@pytest.mark.full
def test_who_descends_from_whom(store):
    for child, parent in [("c", "b"), ("b", "a"), ("d", "c"), ("d", "a"), ("d", "a")]:
        store.add_parent(child, parent)
    assert store.ancestors("d") == ["a", "c", "b"]
    assert store.ancestors("a") == store.ancestors("nobody") == []
    for child, parent in [("a", "d"), ("b", "b")]:
        with pytest.raises(UsageError, match="it descends from it"):
            store.add_parent(child, parent)


@pytest.mark.parametrize("actions", [(), (0,), (255, 0, 7), (256, 1), (65535,), (65536, 0, 2**32 - 1)])
def test_moves_are_packed_by_their_size(actions):
    packed = pack(actions)
    assert unpack(packed) == actions
    assert len(packed) == 1 + len(actions) * (1 if max(actions, default=0) < 256 else 2 if max(actions) < 65536 else 4)


@pytest.mark.parametrize("packed", [b"", b"\x00", b"\x03abc", b"\x02abc"])
def test_bytes_that_are_no_moves(packed):
    with pytest.raises(UsageError, match="its moves cannot be read"):
        unpack(packed)


@pytest.mark.full
@pytest.mark.parametrize("column", PACKED)
def test_more_bytes_than_a_match_has_are_refused_without_being_loaded(tmp_path, column):
    """A file may come from anybody: a column of a gigabyte is not to fill the memory of who looks at it."""
    with Store(tmp_path / "arena.db") as store:
        store.add_games(begin(store).id, [(0, record(0))])
    with closing(sqlite3.connect(tmp_path / "arena.db")) as file, file:
        file.execute(f"UPDATE matches SET {column} = zeroblob(?)", [16 * MOST_BYTES])
    with Store(tmp_path / "arena.db") as store:
        tracemalloc.start()
        with pytest.raises(UsageError, match=r"match 1 is damaged: .* cannot be read"):
            list(store.each_match())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 4 * MOST_BYTES
