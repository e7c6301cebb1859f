"""`llm:` agents against a server of chat completions: what they are told, and all that can go wrong."""

import io
import json
import socket
import threading
from contextlib import closing

import numpy as np
import pytest
from rich.console import Console

import games
from agents.outside.llm import endpoint
from arena.base.errors import UsageError
from arena.env.make import vector_games
from arena.match.batch import Pairing, play_matches
from arena.match.contained import ContainedPolicy
from arena.match.json_lines import from_json_line, to_json_line
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.transcripts import unpack
from arena.match.verdict import Reason
from arena.policy.registry import make_agent, make_game
from arena.policy.transcript import OUTCOMES, counted
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.files import json_figures, to_json
from arena.tournament.report import print_report
from arena.tournament.tournament import run_tournament
from tests.agents.outside.endpoints import HANG, first_move, legal_moves, said, serving, slowly
from tests.match.players import Lowest

pytestmark = pytest.mark.full

TIC_TAC_TOE = games.make("tic_tac_toe")


def play(server, options="", game=TIC_TAC_TOE, count=1):
    """Records of matches side by side between a model, which begins, and an agent that plays the lowest action."""
    with closing(make_agent(f"llm:{server.url},model=m{options}", game)) as agent:
        seating = (0,) + (1,) * (game.num_players - 1)
        pairings = [Pairing(seating, seed) for seed in range(count)]
        return play_matches(game, [("model", agent), ("low", Lowest())], pairings, seed=1)


def counts_of(records):
    return counted(move.transcript for record in records for move in unpack(record.transcripts))


def once(fault, then=first_move):
    """Return an answer that is the fault the first time."""
    first = threading.Event()

    def answer(body):
        if first.is_set():
            return then(body)
        first.set()
        return fault

    return answer


def test_a_model_is_told_rules_position_history_and_legal_moves():
    with serving() as server:
        (record,) = play(server)
    assert record.verdict.reason is Reason.FINISHED
    system, prompt = (message["content"] for message in server.asked[1]["messages"])
    assert "three marks in a row" in system
    assert "Final Answer: MOVE" in system
    state = TIC_TAC_TOE.initial
    assert TIC_TAC_TOE.picture(state).text().splitlines()[1] in prompt
    assert "You are player 1 of 2 (●)" in prompt
    assert "Moves so far: a1, " in prompt
    assert server.asked[1]["model"] == "m"
    assert set(legal_moves(server.asked[0])) == {column + row for column in "abc" for row in "123"}


def test_legal_moves_are_told_only_if_asked_for():
    with serving(lambda body: said("Final Answer: b2")) as server:
        play(server, ",legal=no,rethink=0")
    assert "Legal moves" not in server.asked[0]["messages"][1]["content"]


@pytest.mark.parametrize("name", ["chess", "backgammon", "leduc_poker", "goofspiel", "hanabi", "openspiel:oware"])
def test_a_model_plays_any_game(name):
    if name.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    with serving() as server:
        records = play(server, game=make_game(name), count=2)
    assert [record.verdict.reason for record in records] == [Reason.FINISHED] * 2
    assert "Your" not in server.asked[0]["messages"][1]["content"]


@pytest.mark.parametrize("name", ["leduc_poker", "kuhn_poker", "texas_holdem", "hanabi", "gin_rummy"])
def test_a_model_is_told_only_what_its_seat_may_see(name):
    game = games.make(name)
    with serving() as server, closing(make_agent(f"llm:{server.url},model=m", game)) as agent:
        match = Match(game, [("model", agent), ("other", None)], seed=5)
        prompt = json.loads(match.consult(agent).transcript)["prompt"]
    assert game.picture(match.shown_to(match.seat)).text() in prompt
    assert game.picture(match.state).text() not in prompt


def test_the_key_is_sent_and_kept_nowhere(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "sk-secret")
    with serving(once((500, {"error": "bad sk-secret"}))) as server:
        records = play(server, ",key_env=SOME_KEY")
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-secret"}
    assert "sk-secret" not in repr(records) + repr([unpack(record.transcripts) for record in records])


def test_games_are_asked_for_side_by_side():
    with serving(slowly(first_move, 0.05)) as server:
        play(server, ",concurrency=4", count=8)
        assert 2 <= server.most_at_once <= 4


def test_votes_decide():
    answers = iter(["Final Answer: b2", "Final Answer: a1", "Final Answer: b2"] * 9)
    lock = threading.Lock()

    def answer(body):
        with lock:
            return said(next(answers))

    with serving(answer) as server, closing(make_agent(f"llm:{server.url},model=m,votes=3", TIC_TAC_TOE)) as agent:
        match = Match(TIC_TAC_TOE, [("model", agent), ("other", None)])
        assert match.action_text(match.consult(agent).action) == "b2"


LONG = said("I think and think", "length")
UNREADABLE, ILLEGAL = said("Well."), said("Final Answer: d9")
WITHHELD, REFUSAL = said("", "content_filter"), said(None, refusal="I cannot play games.")


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [(UNREADABLE, "unreadable"), (ILLEGAL, "illegal"), (LONG, "truncated"), (WITHHELD, "refused"),
     (REFUSAL, "refused"), (said(""), "unreadable")],
    ids=["unreadable", "illegal", "truncated", "withheld", "refusal", "empty"],
)  # fmt: skip
def test_a_bad_answer_is_counted_and_sent_back_with_the_reason(fault, outcome):
    with serving(once(fault)) as server:
        records = play(server)
    counts = counts_of(records)
    assert records[0].verdict.reason is Reason.FINISHED
    assert {name: counts[name] for name in OUTCOMES if counts[name]} == {outcome: 1, "move": counts.moves}
    reason = server.asked[1]["messages"][-1]["content"]
    assert "Think again" in reason
    assert len(server.asked[1]["messages"]) == 4


@pytest.mark.parametrize(
    ("fault", "reason", "words"),
    [(UNREADABLE, Reason.CRASHED, "unreadable in 2 answers; the last: 'Well.'"),
     (ILLEGAL, Reason.ILLEGAL, "no legal move in 2 answers; the last: 'Final Answer: d9'"),
     (LONG, Reason.CRASHED, "truncated in 2 answers"),
     (REFUSAL, Reason.CRASHED, "refused in 2 answers; the last: 'I cannot play games.'")],
    ids=["unreadable", "illegal", "truncated", "refusal"],
)  # fmt: skip
def test_a_model_that_stays_wrong_loses_that_game_alone(fault, reason, words):
    with serving(lambda body: fault if len(server.asked) > 20 else first_move(body)) as server:
        records = play(server, ",rethink=1", count=10)
    reasons = [record.verdict.reason for record in records]
    assert reason in reasons
    assert set(reasons) <= {reason, Reason.FINISHED}
    assert words in next(record.verdict.detail for record in records if record.verdict.reason is reason)


@pytest.mark.parametrize(
    ("fault", "retries"),
    [((429, {"error": {"message": "slow down"}}, {"Retry-After": "0.1"}), 1), ((500, b"<html>oops</html>"), 1),
     ((503, {"error": "busy"}), 1), (b"not JSON", 1), ({"choices": []}, 1), (b"", 1)],
    ids=["429", "500", "503", "no JSON", "no choices", "nothing"],
)  # fmt: skip
def test_what_passes_by_itself_is_waited_for(fault, retries):
    with serving(once(fault)) as server:
        records = play(server)
    counts = counts_of(records)
    assert records[0].verdict.reason is Reason.FINISHED
    assert counts.retries == retries
    assert counts.answers == counts["move"] == counts.moves


def test_a_server_that_fails_for_good_is_the_verdict_of_that_game(monkeypatch):
    monkeypatch.setattr(endpoint, "BACKOFF_S", 0.01)
    with serving(lambda body: (500, {"error": {"message": "out of memory"}})) as server:
        records = play(server, count=2)
    for record in records:
        assert record.verdict.reason is Reason.CRASHED
        assert record.verdict.detail.endswith("answered 500 out of memory, in 4 tries")
    assert counts_of(records)["failed"] == 2


def test_a_model_that_goes_away_in_the_middle_is_the_verdict_of_that_game():
    with serving(once((404, {"error": {"message": "no such model"}}))) as server:
        first, second = play(server, count=2)
    assert {first.verdict.reason, second.verdict.reason} == {Reason.CRASHED, Reason.FINISHED}
    assert counts_of([first, second])["refused"] == 1


def test_an_answer_that_never_comes_is_late():
    with serving(lambda body: HANG) as server:
        (record,) = play(server, ",timeout=200ms,rethink=1")
    assert record.verdict.reason is Reason.LATE
    assert counts_of([record])["timed out"] == 2


def test_a_clock_runs_while_a_model_thinks(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    limits = Limits(time_per_move="1s")
    with serving(first_move) as server:
        spec = f"llm:{server.url},model=m"
        with closing(ContainedPolicy(spec, TIC_TAC_TOE, limits)) as agent:
            server.answer = lambda body: HANG if len(server.asked) > 2 else first_move(body)
            record = Match(TIC_TAC_TOE, [("model", agent), ("low", Lowest())], limits=limits).play_out()
    assert record.verdict.reason is Reason.LATE
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-1"}
    assert unpack(record.transcripts)[0].transcript.move


def test_a_contained_model_keeps_its_words_when_it_loses():
    with serving(lambda body: UNREADABLE) as server:
        spec = f"llm:{server.url},model=m,rethink=0"
        with closing(ContainedPolicy(spec, TIC_TAC_TOE, Limits(time_per_move="10s"))) as agent:
            record = Match(TIC_TAC_TOE, [("model", agent), ("low", Lowest())]).play_out()
    assert record.verdict.reason is Reason.CRASHED
    assert [answer.text for answer in unpack(record.transcripts)[0].transcript.answers] == ["Well."]


def no_answer(status, text):
    return lambda body: (status, {"error": {"message": text}})


@pytest.mark.parametrize(
    ("check", "key", "words"),
    [(no_answer(401, "none"), "", "wants a key: put it into the environment variable OPENAI_API_KEY (401 none)"),
     (no_answer(401, "bad token k-1"), "k-1", "refuses the key in OPENAI_API_KEY (401 bad token ***)"),
     (no_answer(404, "unknown"), "", "does not know the model 'm', or is no such endpoint (404 unknown)"),
     (no_answer(500, "broken"), "", "answered 500 broken"),
     (lambda body: b"<html>hello</html>", "", "answered no chat completion, but '<html>hello</html>'")],
    ids=["no key", "wrong key", "wrong model", "500", "something else"],
)  # fmt: skip
def test_what_is_wrong_at_the_start_is_refused_in_a_line(monkeypatch, check, key, words):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with serving(check=check) as server, pytest.raises(UsageError) as error:
        make_agent(f"llm:{server.url},model=m", TIC_TAC_TOE)
    assert str(error.value).endswith(words)
    assert "\n" not in str(error.value)


def test_a_url_where_nobody_listens_is_refused():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(UsageError, match="cannot be reached"):
        make_agent(f"llm:{url},model=m", TIC_TAC_TOE)


def test_a_server_that_is_silent_at_the_start_is_refused(monkeypatch):
    monkeypatch.setattr(endpoint, "CHECK_S", 0.2)
    with serving(check=lambda body: HANG) as server, pytest.raises(UsageError, match=r"did not answer within 0\.2 s"):
        make_agent(f"llm:{server.url},model=m", TIC_TAC_TOE)


@pytest.mark.parametrize("name", ["seed", "max_tokens"])
def test_parameters_that_an_endpoint_refuses_by_name_are_left_out_or_renamed(name):
    said_of = {"seed": "unknown parameter: seed", "max_tokens": "use 'max_completion_tokens' instead of 'max_tokens'"}

    def check(body):
        return (400, {"error": {"message": said_of[name]}}) if name in body else said("ready")

    with serving(check=check) as server:
        play(server)
    assert all(name not in body for body in server.asked)
    assert name != "max_tokens" or server.asked[0]["max_completion_tokens"] == 2048


@pytest.mark.parametrize(
    ("argument", "words"),
    [("", "name the model"), (",model=m", "is no URL of http"), ("ftp://x,model=m", "is no URL of http"),
     ("http://x", "name the model"),
     ("http://x,model", "not of the form NAME=VALUE"), ("http://x,model=m,modle=n", "did you mean 'model'?"),
     ("http://x,model=m,key=sk-1", "a key is no part of a spec"), ("http://u:p@x,model=m", "a key belongs in"),
     ("http://x,model=m,legal=maybe", "neither yes nor no"), ("http://x,model=m,votes=0", "from 1 to 99"),
     ("http://x,model=m,price=3", "as 0.15/0.60"), ("http://x,model=m,system=/nowhere", "cannot be read"),
     ("http://x,model=m,key_env=sk-1234", "is it the key itself?"), ("http://x,model=m,timeout=5", "timeout=5"),
     ("http://x,model=m,model=n", "given twice"), ("http://x:99999,model=m", "is no URL of http")],
)  # fmt: skip
def test_a_wrong_spec_is_refused_in_a_line(argument, words):
    with pytest.raises(UsageError) as error:
        make_agent(f"llm:{argument}", TIC_TAC_TOE)
    assert words in str(error.value)
    assert "sk-1234" not in str(error.value)


def test_prices_and_tokens_are_counted():
    with serving() as server:
        records = play(server, ",price=1/10")
    counts = counts_of(records)
    assert (counts.prompt_tokens, counts.completion_tokens) == (100 * counts.moves, 10 * counts.moves)
    assert counts.cost == pytest.approx(counts.moves * (100 * 1 + 10 * 10) / 1e6)


def test_obfuscated_games_are_the_same_under_other_names():
    chess = games.make("chess")
    with serving() as server:
        play(server, ",obfuscate=3", game=chess)
    system, prompt = (message["content"] for message in server.asked[1]["messages"])
    assert "Chess" not in system
    assert "In one line" not in prompt
    env = vector_games(chess, 1)
    env.reset(seed=0)
    usual = {chess.action_text(env.states[0], action) for action in np.flatnonzero(env.mask[0])}
    told = legal_moves(server.asked[0])
    assert len(set(told)) == len(usual)
    assert set(told) != usual
    assert sorted(map(len, told)) == sorted(map(len, usual))


def test_games_whose_words_are_more_than_names_are_not_obfuscated():
    with serving() as server, pytest.raises(UsageError, match="board games without chance"):
        make_agent(f"llm:{server.url},model=m,obfuscate=1", games.make("leduc_poker"))


def tournament(server, tmp_path, progress=None):
    players = {"model": f"llm:{server.url},model=m,price=1/10", "random": "random"}
    config = TournamentConfig(games=20, seed=3)
    with Store(tmp_path / "games.sqlite") as store:
        return run_tournament(TIC_TAC_TOE, players, config, progress, store=store)


def test_a_tournament_counts_answers_and_resumes_without_asking_again(tmp_path):
    faults = iter([UNREADABLE, ILLEGAL, LONG, REFUSAL])
    with serving(lambda body: next(faults, None) or first_move(body)) as server:
        result = tournament(server, tmp_path)
        asked = len(server.asked)
        again = tournament(server, tmp_path)
        assert len(server.asked) == asked
    (player,) = result.answers
    row = player.to_json()
    assert [row[name] for name in ("unreadable", "illegal", "truncated", "refused", "timed_out")] == [1, 1, 1, 1, 0]
    assert row["answers"] == asked == row["moves"] + 4
    assert row["prompt_tokens"] == 100 * asked
    assert again.answers == result.answers
    assert json.loads(to_json(result.table, "", None, None, json_figures(result)))["answers"] == [row]
    console = Console(width=200, record=True, file=io.StringIO())
    print_report(result, console)
    assert "unreadable" in console.export_text()


def test_a_tournament_that_was_stopped_asks_for_unfinished_blocks_alone(tmp_path):
    with serving() as server:

        def progress(records, total):
            if records:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            tournament(server, tmp_path, progress)
        before = len(server.asked)
        result = tournament(server, tmp_path)
        asked = len(server.asked)
    assert 0 < before < asked
    assert sum(player.counts.answers for player in result.answers) == asked


def test_what_was_said_goes_through_json_lines(tmp_path):
    with serving(once(UNREADABLE)) as server:
        (record,) = play(server)
    _, read = from_json_line(to_json_line(TIC_TAC_TOE, record))
    assert unpack(read.transcripts) == unpack(record.transcripts) != ()
