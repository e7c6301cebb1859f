"""Games of continuous actions go the same ways as those of numbered ones, and their actions are kept exactly."""

import json
from pathlib import Path

import numpy as np
import pytest

from arena.base.errors import IllegalActionError, UsageError
from arena.cli.main import main
from arena.collector.collector import Collector
from arena.data.buffer.manager import VectorReplayBuffer
from arena.env.make import vector_games
from arena.match.batch import Pairing, play_matches
from arena.match.contained import ContainedPolicy
from arena.match.json_lines import from_json_line, to_json_line
from arena.match.limits import Limits
from arena.match.match import Match
from arena.match.replay import replay
from arena.policy.protocol import Policy
from arena.policy.registry import learning_algorithm, make_agent, make_game
from arena.store.moves import pack, unpack
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.self_play import SelfPlayTraining
from arena.tui.app import ArenaApp
from arena.tui.parts.sitting import PlayOptions
from arena.tui.screens.play import PlayScreen
from games import check
from games.engine.actions import ActionBox, action_of, written
from games.engine.trust import VARIABLE
from tests.env.hosted.worlds import spec
from tests.training.league.small import left_behind
from tests.tui.helpers import until

STEER, UNLIKE = spec("steer"), spec("unlike")
OTHERS = [
    "pettingzoo:mpe2.simple_spread_v3,continuous_actions=True",
    "pettingzoo:mpe2.simple_tag_v3,continuous_actions=True",
    "pettingzoo:pettingzoo.sisl.multiwalker_v9,max_cycles=20",
]
ALL = [STEER, UNLIKE, *(pytest.param(name, marks=pytest.mark.full) for name in OTHERS)]
SMALL = {"hidden": 16, "batch_size": 32}
SMALL_OF = {"sac": SMALL | {"update_per_step": 0.2}}


def randoms(game):
    return [(f"random {seat}", make_agent("random", game)) for seat in range(game.num_players)]


LEAGUE = LeagueConfig(self_play=0.5, pool=0.3, opponents=1, references=("random",))


def training(name, algo, out, league=LEAGUE, **changed):
    settings = {"steps": 192, "snapshots": 3, "boards": 4, "moves": 8, "evaluation": ("random",), "seed": 3}
    run = RunConfig(out=out, evaluation_games=2, threads=1, **settings | changed)
    return SelfPlayTraining(
        make_game(name), algo, learning_algorithm(algo).config(**SMALL_OF.get(algo, SMALL)), run, league
    )


class CutError(Exception):
    """Ends a training from within."""


@pytest.mark.parametrize("name", ALL)
def test_the_contract_is_kept(name):
    check(make_game(name), 1)


@pytest.mark.full
@pytest.mark.parametrize("name", ALL)
def test_matches_are_replayed_from_files_to_the_bit(name):
    game = make_game(name)
    seating = tuple(range(game.num_players))
    (record,) = play_matches(game, randoms(game), [Pairing(seating, 3)], seed=1)
    assert all(game.action_box.contain(np.array(action)) for action in record.actions)
    assert from_json_line(to_json_line(game, record))[1] == record
    assert unpack(pack(record.actions)) == record.actions
    assert replay(record).match.returns == record.verdict.returns


@pytest.mark.full
@pytest.mark.parametrize("algo", ["ppo", "sac"])
def test_a_league_that_is_cut_off_and_resumed_ends_as_it_would_have(algo, tmp_path):
    def cut(progress):
        if progress.step > 64:
            raise CutError

    training(STEER, algo, tmp_path / "whole").train()
    with pytest.raises(CutError):
        training(STEER, algo, tmp_path / "cut").train(cut)
    training(STEER, algo, tmp_path / "cut", resume=True).train()
    assert left_behind(tmp_path / "cut") == left_behind(tmp_path / "whole")


@pytest.mark.slow("trains, and plays a tournament three times")
@pytest.mark.full
@pytest.mark.parametrize("name", [UNLIKE, OTHERS[0]])
def test_trained_agents_play_tournaments_with_any_number_of_workers(name, tmp_path):
    folder = training(name, "ppo", tmp_path / "run", steps=96, snapshots=1).train()
    game = make_game(name)
    players = {"learned": f"ppo:{folder}"} | {f"random {seat}": "random" for seat in range(1, game.num_players)}
    config = TournamentConfig(games=game.num_players)
    alone, together = (run_tournament(game, players, config, workers=workers) for workers in (1, 2))
    assert alone.records == together.records
    assert {str(record.verdict.reason) for record in alone.records} == {"finished"}


def test_what_a_person_types_is_played(tmp_path):
    match = Match(make_game(STEER), [("a", None), ("b", None)])
    for text, action in [("0.5 -1", (0.5, -1.0)), ("1e-2", (float(np.float32(0.01)), 0.0))]:  # the second has one entry
        before = match.state
        match.play(match.game.parse_action(before, text))
        assert match.actions[-1] == action
        assert match.game.parse_action(before, match.game.action_text(before, action)) == action
    for text in ("0.5", "1 2 3", "2 0", "nan 0", "left"):
        with pytest.raises(UsageError, match="2 numbers from -1 to 1"):
            match.game.parse_action(match.state, text)
    with pytest.raises(IllegalActionError, match=r"1\.5,0"):
        match.play((1.5, 0.0))


def test_every_number_of_single_precision_is_read_back():
    bits = np.random.default_rng(0).integers(2**32, size=20_000, dtype=np.uint32)
    values = bits.view(np.float32)
    box = ActionBox(np.float32([-3e38]), np.float32([3e38]))
    for value in values[box.contain(values[:, None])].tolist():
        assert box.parse(written((value,))) == (value,)


class Beyond(Policy):
    """Steers beyond its bounds."""

    def forward(self, batch, state=None):
        from arena.data.batch import Batch

        return Batch(act=np.full((len(batch.obs), 2), 7.0))


def test_an_action_beyond_its_bounds_loses():
    game = make_game(STEER)
    (record,) = play_matches(game, [("beyond", Beyond()), *randoms(game)[1:]], [Pairing((0, 1))])
    assert (str(record.verdict.reason), record.verdict.offender) == ("illegal", 0)
    assert record.verdict.detail == "action 7,7"


@pytest.mark.full
def test_an_agent_in_a_process_of_its_own_plays_the_same_game(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))  # the test's environment is found there
    game = make_game(STEER)
    inside, outside = make_agent("random", game), ContainedPolicy("random", game, Limits())
    try:
        records = [Match(game, [("a", policy), ("b", policy)], 5).play_out() for policy in (inside, outside)]
    finally:
        outside.close()
    assert records[0].verdict.reason == records[1].verdict.reason


def test_searches_and_discrete_learners_are_refused():
    game = make_game(STEER)
    for agent in ("mcts:10", "alphabeta:2", "one-ply", "cmd:cat"):
        with pytest.raises(UsageError, match="steer"):
            make_agent(agent, game)
    with pytest.raises(UsageError, match="these are continuous"):
        training(STEER, "dqn", None)


def test_collected_transitions_hold_the_actions(tmp_path):
    assert main(["collect", STEER, "random", "--out", str(tmp_path / "t.hdf5"), "--steps", "40"]) == 0
    game = make_game(STEER)
    policy = make_agent("random", game)
    buffer = VectorReplayBuffer(80, 4)
    Collector(policy, vector_games(game, 2), buffer).collect(n_step=24)
    assert buffer[:].act.shape == (len(buffer), 2)
    assert game.action_box.contain(buffer[:].act).all()


def test_the_list_of_games_says_what_an_action_is(capsys):
    assert main(["games", STEER, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert "continuous actions (2 numbers from -1 to 1)" in row["traits"]


def test_actions_without_bounds_are_refused(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "tests.env.hosted.test_continuous")
    assert main(["games", "pettingzoo:tests.env.hosted.test_continuous:boundless"]) == 2
    assert "have no finite bounds" in capsys.readouterr().err


def boundless():
    from gymnasium.spaces import Box

    from tests.env.hosted.worlds import Steer

    env = Steer()
    env.bounds = dict.fromkeys(env.possible_agents, Box(-np.inf, 1, (2,), np.float32))
    return env


@pytest.mark.full
async def test_a_person_plays_by_typing_numbers():
    game = make_game(STEER)
    app = ArenaApp(PlayScreen(game, [("bot", make_agent("random", game))], PlayOptions(seed=1)))
    async with app.run_test(size=(80, 24)) as pilot:
        typed = ["0", ".", "5", ",", "-", "1", "enter"]
        while True:
            screen = app.screen
            await until(pilot, lambda screen=screen: screen.sitting.my_turn or screen.sitting.position.verdict, 120)
            if screen.sitting.position.verdict:
                break
            known = len(screen.match.positions)
            await pilot.press(*typed)
            await until(pilot, lambda screen=screen, known=known: len(screen.match.positions) > known)
            assert screen.match.positions[known].action == (0.5, -1.0)
        assert str(screen.sitting.position.verdict.reason) == "finished"


@pytest.mark.full
async def test_a_person_plays_a_seat_of_numbered_actions_among_continuous_ones():
    game = make_game(UNLIKE)
    bots = [("pilot", make_agent("random", game)), ("clerk", make_agent("random", game))]
    app = ArenaApp(PlayScreen(game, bots, PlayOptions(seat=1, seed=1)))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = app.screen
        for turn in range(4):
            await until(pilot, lambda: screen.sitting.my_turn, 120)
            assert screen.sitting.position.legal == {0: "0", 1: "1", 2: "2"}
            assert screen.sitting.position.action_box is None
            known = len(screen.match.positions)
            await pilot.press(str(turn % 3), "enter")
            await until(pilot, lambda known=known: len(screen.match.positions) > known)
            assert screen.match.positions[known].action == (float(turn % 3), 0.0)
        await until(pilot, lambda: screen.sitting.position.verdict, 120)
        assert str(screen.sitting.position.verdict.reason) == "finished"


def test_an_entry_of_an_array_is_an_action():
    assert action_of(np.int64(3)) == 3
    assert action_of(np.float32([0.5, 1])) == (0.5, 1.0)
