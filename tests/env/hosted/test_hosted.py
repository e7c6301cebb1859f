"""Hosted games go through the whole platform: matches, stores, tournaments, trainings, resumed ones too."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.classic import connect_four_v3

from agents.configs.on_policy import PPOConfig
from arena.base.errors import UsageError
from arena.cli.main import main
from arena.data.flat import flatten
from arena.env import hosted
from arena.env.hosted.environment import EnvironmentFaultError
from arena.env.make import vector_games
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.match.process import AgentProcess
from arena.match.replay import replay
from arena.policy.registry import make_agent, make_game
from arena.store.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.tournament import run_tournament
from arena.training.league.config import LeagueConfig, RunConfig
from arena.training.league.self_play import SelfPlayTraining
from arena.tui.app import ArenaApp
from arena.tui.parts.sitting import PlayOptions
from arena.tui.screens.play import PlayScreen
from games import check
from games.engine.errors import ContractError
from games.engine.trust import VARIABLE
from tests.env.hosted import worlds
from tests.env.hosted.worlds import spec
from tests.training.league.small import left_behind
from tests.tui.helpers import until

OWN = [spec(name) for name in ("race", "early_death", "irregular", "unequal", "many", "truncated")]
CLASSIC = [
    f"pettingzoo:pettingzoo.classic.{name}"
    for name in ("connect_four_v3", "tictactoe_v3", "leduc_holdem_v4", "rps_v2,max_cycles=3", "texas_holdem_v4")
]
MORE = [
    f"pettingzoo:pettingzoo.classic.{name}" for name in ("texas_holdem_no_limit_v6", "hanabi_v5", "go_v5,board_size=5")
]
MPE = [
    f"pettingzoo:mpe2.simple_{name}"
    for name in (
        *("spread_v3", "tag_v3", "adversary_v3", "reference_v3", "push_v3"),
        *("crypto_v3", "speaker_listener_v4", "world_comm_v3,max_cycles=5", "v3"),
    )
]
PYGAME = [
    "pettingzoo:pettingzoo.butterfly.pistonball_v6,n_pistons=3,continuous=False,max_cycles=4",
    "pettingzoo:pettingzoo.sisl.pursuit_v5,max_cycles=8,n_pursuers=2",
]
SPIEL = [
    f"openspiel:{name}"
    for name in ("oware", "kuhn_poker", "goofspiel(num_cards=3)", "liars_dice", "tiny_hanabi", "matrix_pd")
]
NESTED = ["openspiel:turn_based_simultaneous_game(game=goofspiel(num_cards=3))", "openspiel:misere(game=tic_tac_toe())"]
WITHOUT_LEAGUE = ["pettingzoo:pettingzoo.butterfly.cooperative_pong_v6,max_cycles=10"]
"""A game that is played here, and not learned: its two agents see 280 x 480 pixels each."""
UNREPEATED = "pettingzoo:pettingzoo.butterfly.knights_archers_zombies_v11,max_cycles=10"
"""A game that its seed does not repeat: what an earlier game left decides when a zombie comes."""
FEW = {*OWN[:2], CLASSIC[0], CLASSIC[2], SPIEL[1]}
"""The games of the fast tests."""
KINDS = [*OWN, CLASSIC[0], CLASSIC[2], CLASSIC[3], MPE[0], MPE[6], PYGAME[1], SPIEL[1], NESTED[0]]
"""Games of each kind: in turns or at once, with unequal spaces, with hidden cards, with pixels, of a team."""
LEARNED = [*OWN[1:2], *OWN[3:5], CLASSIC[2], CLASSIC[3], PYGAME[1], NESTED[0]]
"""Of each kind of transition: deaths, unequal spaces, many seats, masks, moves at once, pixels.

That every game goes on from its state is tested without a league.
"""
ALL = [*OWN, *CLASSIC, *MORE, *MPE, *PYGAME, *SPIEL, *NESTED]
LEAGUE = LeagueConfig(self_play=0.5, pool=0.3, opponents=1, references=("random",))


def few(names):
    """Return these games, of which the fast tests take `FEW`."""
    return [name if name in FEW else pytest.param(name, marks=pytest.mark.full) for name in names]


def randoms(game):
    return [(f"random {seat}", make_agent("random", game)) for seat in range(game.num_players)]


def training(name, out, **changed):
    settings = {"steps": 192, "snapshots": 3, "boards": 4, "moves": 8, "evaluation": ("random",), "seed": 3}
    run = RunConfig(out=out, evaluation_games=2, threads=1, **settings | changed)
    return SelfPlayTraining(make_game(name), "ppo", PPOConfig(hidden=16, channels=8, batch_size=32), run, LEAGUE)


class CutError(Exception):
    """Ends a training from within."""


@pytest.mark.parametrize("name", few([*ALL, *WITHOUT_LEAGUE]))
def test_what_is_printed_can_be_pasted(name):
    game = make_game(name)
    for text in (game.spec, game.label):
        again = make_game(text)
        assert (again.label, again.num_actions, again.observation_shape) == (
            game.label,
            game.num_actions,
            game.observation_shape,
        )


@pytest.mark.parametrize("name", few([*ALL, *WITHOUT_LEAGUE, UNREPEATED]))
def test_the_contract_is_kept(name):
    check(make_game(name), 2)


@pytest.mark.full
def test_a_match_that_its_seed_does_not_repeat_is_replayed_as_it_was_shown():
    game = make_game(UNREPEATED)
    (record,) = play_matches(game, randoms(game), [Pairing((0, 1, 2, 3))])
    replayed = replay(record)
    assert replayed.match is None
    assert len(replayed.moves) == len(record.actions) == 40
    assert replayed.picture.text()


@pytest.mark.parametrize("name", few(KINDS))
def test_matches_are_replayed_from_seed_and_actions(name):
    game = make_game(name)
    seating = tuple(range(game.num_players))
    records = play_matches(game, randoms(game), [Pairing(seating, seed) for seed in range(3)], seed=1)
    for record in records:
        replayed = replay(record).match
        assert replayed.returns == record.verdict.returns
        assert game.picture(replayed.shown_to(0)).text()
    assert records == play_matches(game, randoms(game), [Pairing(seating, seed) for seed in range(3)], seed=1)


@pytest.mark.parametrize("name", few(KINDS))
def test_saved_games_go_on(name):
    game = make_game(name)
    env, other = vector_games(game, 3), vector_games(game, 3)
    env.reset(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(4):
        env.step((rng.random(env.mask.shape) * env.mask).argmax(axis=1))
        if env.over.any():
            env.reset(np.flatnonzero(env.over))
    other.load_state_dict(env.state_dict())
    assert other.observations() == env.observations()
    for _ in range(6):
        actions = (rng.random(env.mask.shape) * env.mask).argmax(axis=1)
        for one, two in zip(env.step(actions)[:4], other.step(actions)[:4], strict=True):
            assert one == two if hasattr(one, "keys") else np.array_equal(one, two)
        if env.over.any():
            env.reset(np.flatnonzero(env.over))
            other.reset(np.flatnonzero(other.over))
    assert flatten(env.state_dict()).keys() == flatten(other.state_dict()).keys()


@pytest.mark.full
@pytest.mark.parametrize("name", LEARNED)
def test_a_league_that_is_cut_off_and_resumed_ends_as_it_would_have(name, tmp_path):
    def cut(progress):
        if progress.step > 64:
            raise CutError

    training(name, tmp_path / "whole").train()
    with pytest.raises(CutError):
        training(name, tmp_path / "cut").train(cut)
    training(name, tmp_path / "cut", resume=True).train()
    assert left_behind(tmp_path / "cut") == left_behind(tmp_path / "whole")


@pytest.mark.full
@pytest.mark.parametrize("name", [OWN[1], SPIEL[2]])
def test_a_tournament_does_not_depend_on_workers(name):
    game = make_game(name)
    players = {f"agent {number}": "random" for number in range(game.num_players)}
    config = TournamentConfig(games=2 * game.num_players)
    alone, together = (run_tournament(game, players, config, workers=workers) for workers in (1, 2))
    assert alone.records == together.records


@pytest.mark.full
def test_a_league_on_pettingzoos_rules_leaves_the_snapshots_of_one_on_ours(tmp_path):
    settings = {"steps": 1024, "snapshots": 2, "boards": 8, "moves": 32, "evaluation_games": 4}
    for name, out in ((CLASSIC[0], "theirs"), ("connect_four", "ours")):
        run = RunConfig(out=tmp_path / out, seed=1, threads=1, evaluation=("random",), **settings)
        SelfPlayTraining(make_game(name), "ppo", PPOConfig(), run, LEAGUE).train()
    for number in (1, 2):
        file = f"snapshot-{number:04}/weights.safetensors"
        assert (tmp_path / "theirs" / file).read_bytes() == (tmp_path / "ours" / file).read_bytes()


def test_a_game_begins_as_the_environment_alone_with_its_seed():
    env = vector_games(make_game(CLASSIC[2]), 1)
    from pettingzoo.classic import leduc_holdem_v4

    alone = leduc_holdem_v4.env()
    for seed in (1, 7):
        alone.reset(seed=seed)
        seen = alone.observe(alone.agent_selection)
        shown = env.reset(seed=seed)[0]
        assert np.array_equal(shown.obs[0], seen["observation"].astype(shown.obs.dtype))
        assert np.array_equal(shown.mask[0], seen["action_mask"].astype(bool))


def test_traits_are_found_by_playing():
    traits = {name: make_game(name) for name in (CLASSIC[0], CLASSIC[2], spec("truncated"), spec("irregular"), MPE[0])}
    assert [game.zero_sum for game in traits.values()] == [True, True, False, False, False]
    assert [game.cooperative for game in traits.values()] == [False, False, True, False, True]
    assert [game.has_chance for game in traits.values()] == [False, True, False, True, True]
    assert [game.perfect_information for game in traits.values()] == [True, False, False, False, False]


def test_names_of_actions_are_shown_and_read():
    match = Match(game := make_game(spec("race")), randoms(make_game(spec("race"))))
    assert [game.action_text(match.state, action) for action in range(3)] == ["walk", "run", "jump"]
    assert game.parse_action(match.state, "Jump") == 2
    assert game.parse_action(match.state, "1") == 1
    with pytest.raises(UsageError, match="'fly' is no action here"):
        game.parse_action(match.state, "fly")
    oware = make_game("openspiel:oware")
    assert oware.action_text(Match(oware, randoms(oware)).state, 0) == "A"


def test_a_seat_is_shown_its_own_cards_alone():
    game = make_game("openspiel:leduc_poker")
    match = Match(game, randoms(game), seed=3)
    own, others, whole = (game.picture(state).text() for state in (match.shown_to(0), match.shown_to(1), match.state))
    assert own != others != whole
    assert "Private: " in own


def test_an_environment_without_an_end_is_cut():
    game = make_game(f"{spec('truncated')},max_length=5")
    (record,) = play_matches(game, randoms(game), [Pairing((0, 1, 2))])
    assert len(record.actions) == 5
    with pytest.raises(ContractError, match=r"goes on after max_length=5 actions"):
        check(game, 1)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("all_masked", r"worlds:all_masked, step 5: the environment asks agent third to act and masks every action"),
        ("not_a_number", r"worlds:not_a_number, step 3: the environment gave agent second the reward nan"),
        ("wrong_shape", r"worlds:wrong_shape, step 7: .* an observation of shape \(5,\), not \(4,\)"),
        (
            "not_shown",
            r"worlds:not_shown, step 3: the environment showed agent \w+ an observation that is not a number",
        ),
        ("unpaid", r"worlds:unpaid, step \d+: the environment gave agent bob no reward"),
        ("stuck", r"worlds:stuck, step \d+: the environment masks every action of ann and bob and cid"),
        (
            "raises",
            r"worlds:raises, step 40: the environment failed with agent \w+ to act: RuntimeError: the physics exploded",
        ),
    ],
)
def test_an_environment_that_breaks_its_contract_is_named(name, said):
    with pytest.raises(EnvironmentFaultError, match=said) as told:
        make_game(spec(name))
    if name == "raises":
        assert "the physics exploded" in "".join(told.value.__notes__)
        assert "worlds.py" in "".join(told.value.__notes__)


def test_what_ignores_its_seed_is_said_to():
    game = make_game(spec("unseeded"))
    assert not game.repeatable
    assert "not exact" in game.variant
    with pytest.raises(ContractError, match="determinism: the same seed and actions changed"):
        check(game)


@pytest.mark.full
def test_a_training_says_that_it_is_not_resumed_exactly(tmp_path, capsys):
    words = ["--steps", "64", "--snapshots", "1", "--boards", "4", "--moves", "8", "--evaluation-games", "2"]
    name = spec("unseeded")
    assert main(["train", name, "ppo", *words, "--evaluation", "random", "--out", str(tmp_path / "run")]) == 0
    assert f"{name} plays another game by the same seed and moves" in capsys.readouterr().err


def test_another_game_is_not_shown_for_the_one_that_was_played(tmp_path, capsys):
    name, store = spec("unseeded"), ["--store", str(tmp_path / "games.sqlite")]
    (record,) = play_matches(game := make_game(name), randoms(game), [Pairing(tuple(range(game.num_players)), 1)])
    with Store(store[1]) as opened:
        opened.add_run("tournament", "one", game.label, {}, list(record.players), [(0, replace(record, shown=None))])
    assert main(["match", "1", *store]) == 1
    assert "what this match showed was not stored" in capsys.readouterr().err
    assert main(["replay", "1", *store]) == 2
    assert f"{name} cannot be replayed: it plays another game" in capsys.readouterr().err


def test_an_observation_outside_its_space_is_found():
    game = make_game(spec("out_of_bounds"))
    assert "outside its observation space" in game.variant
    with pytest.raises(
        ContractError, match=r"observations: \w+ is shown .* after action 1 .*outside its observation space"
    ):
        check(game)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pettingzoo:", "'arena games pettingzoo:' lists"),
        ("pettingzoo:nowhere.to_be_found", "nowhere.to_be_found is not imported because a file names it"),
        ("pettingzoo:subprocess:run,args=ls", "subprocess is not imported because a file names it"),
        ("pettingzoo:pettingzoo.classic.connect_four_v3:parse", "is not imported because a file names it"),
        ("pettingzoo:pettingzoo.classic.chess_v0", "pettingzoo.classic.chess_v0"),
        ("pettingzoo:pettingzoo.classic.tictactoe_v3,max_length=0", "max_length=0 is not a whole number from 1"),
        ("pettingzoo:pettingzoo.classic.tictactoe_v3,size=4", "no option 'size'; it has max_length, render_mode"),
        ("pettingzoo:pettingzoo.classic.rps_v2,max_cycle=4", "no option 'max_cycle'; did you mean max_cycles?"),
        ("pettingzoo:mpe2.simple_spread_v3,local_ration=1", "'local_ration'; did you mean local_ratio?"),
        (f"{spec('race')},lenght=4", "no option 'lenght'; did you mean length?"),
        ("pettingzoo:pettingzoo.classic.conect_four_v3", "; did you mean pettingzoo.classic.connect_four_v3?"),
        ("pettingzoo:tests.env.hosted.worlds:irregulr", "has no function irregulr; did you mean irregular?"),
        ("openspiel:kuhn_poker(playrs=3)", "no option 'playrs'; did you mean players?"),
        ("openspiel:owarre", "did you mean 'oware'"),
        ("openspiel:mfg_garnet", "mean-field"),
        ("openspiel:misere", "Missing parameter game (it has the options game)"),
        ("openspiel:crossword", "does not number its actions"),
        ("openspiel:kuhn_poker(players=99)", "openspiel:kuhn_poker: "),
        ("nobody:game", "unknown host of games 'nobody'"),
        ("hex:size", "option 'size' is not of the form name=value"),
    ],
)
def test_games_that_cannot_be_had_are_refused_in_a_line(name, said):
    with pytest.raises(UsageError) as told:
        make_game(name)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.full
@pytest.mark.parametrize("name", [CLASSIC[0], CLASSIC[1], "openspiel:dots_and_boxes", "openspiel:pig(winscore=15)"])
def test_mcts_searches_where_positions_can_be_copied(name):
    game = make_game(name)
    players = [("mcts", make_agent("mcts:40", game)), ("random", make_agent("random", game))]
    pairings = [Pairing(seating, seed) for seed in range(2) for seating in ((0, 1), (1, 0))]
    records = play_matches(game, players, pairings)
    earned = [record.verdict.returns[record.players.index("mcts")] for record in records]
    assert sum(earned) >= 2
    again = play_matches(game, [("mcts", make_agent("mcts:40", game)), players[1]], pairings)
    assert [record.actions for record in again] == [record.actions for record in records]


@pytest.mark.full
def test_ismcts_searches_where_what_is_hidden_can_be_drawn_anew():
    game = make_game("openspiel:leduc_poker")
    players = [("ismcts", make_agent("ismcts:60", game)), ("random", make_agent("random", game))]
    pairings = [Pairing(seating, seed) for seed in range(40) for seating in ((0, 1), (1, 0))]
    records = play_matches(game, players, pairings)
    earned = [record.verdict.returns[record.players.index("ismcts")] for record in records]
    assert np.mean(earned) > 0.3


def test_a_search_is_shown_samples_of_what_is_hidden():
    game = make_game("openspiel:kuhn_poker")
    env = vector_games(game, 1)
    env.reset(seed=3)
    (state,), own = env.positions(), env.final_obs().obs[0, 0]
    samples = [game.playable(state, seed) for seed in range(30)]
    assert all(np.array_equal(sample.observe(0), own) for sample in samples)
    assert len({sample.observe(1).tobytes() for sample in samples}) == 2, "the other seat has one of two cards"


def test_a_search_does_not_know_what_chance_will_do():
    game = make_game("openspiel:pig")
    match = Match(game, randoms(game), seed=3)
    env = vector_games(game, 1)
    env.reset(seed=3)
    drawn = set()
    for seed in range(20):
        copy = game.playable(env.positions()[0], seed)
        copy.step(0)
        drawn.add(copy.observe(0).tobytes())
    match.play(0)
    assert len(drawn) > 2


def test_mcts_is_refused_where_something_is_hidden_or_cannot_be_copied():
    with pytest.raises(UsageError, match="mcts plays games of perfect information"):
        make_agent("mcts:10", make_game("openspiel:kuhn_poker"))
    with pytest.raises(UsageError, match="mcts plays games of perfect information"):
        make_agent("mcts:10", make_game(spec("irregular")))
    with pytest.raises(UsageError, match="cannot be copied with what is hidden drawn again"):
        make_agent("ismcts:10", make_game("openspiel:liars_dice"))
    with pytest.raises(UsageError, match="cannot be copied with what is hidden drawn again"):
        make_agent("ismcts:10", make_game(CLASSIC[2]))


@pytest.mark.parametrize(
    ("text", "said"), [("def env(:", "SyntaxError"), ("raise OSError('no display')", "no display")]
)
def test_a_module_that_cannot_be_imported_is_refused_in_a_line(text, said, tmp_path, monkeypatch):
    (tmp_path / "broken_env.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(VARIABLE, "broken_env")
    with pytest.raises(UsageError, match=f"pettingzoo:broken_env: the module broken_env cannot be imported: .*{said}"):
        make_game("pettingzoo:broken_env")


def test_an_environment_says_that_it_hides_nothing(monkeypatch):
    assert not hosted(worlds.Turns, "turns").perfect_information
    monkeypatch.setattr(worlds.Turns, "metadata", {"perfect_information": True})
    assert hosted(worlds.Turns, "turns").perfect_information


def test_a_function_of_ones_own_is_a_game():
    game = hosted(worlds.EarlyDeath, "early_death")
    (record,) = play_matches(game, randoms(game), [Pairing((0, 1, 2), 4)])
    assert record.game == "early_death()"
    assert not game.perfect_information
    check(game, 2)


@pytest.mark.full
@pytest.mark.parametrize("name", [spec("race"), CLASSIC[2]])
async def test_a_person_plays_by_keys(name):
    game = make_game(name)
    others = [(f"bot {seat}", make_agent("random", game)) for seat in range(1, game.num_players)]
    app = ArenaApp(PlayScreen(game, others, PlayOptions(seed=1)))
    rng = np.random.default_rng(1)
    async with app.run_test(size=(80, 24)) as pilot:
        while True:
            screen = app.screen
            await until(pilot, lambda screen=screen: screen.sitting.my_turn or screen.sitting.position.verdict, 120)
            if screen.sitting.position.verdict:
                break
            known = len(screen.match.positions)
            texts = list(screen.sitting.position.legal.values())
            await pilot.press(*texts[rng.integers(len(texts))], "enter")
            await until(pilot, lambda screen=screen, known=known: len(screen.match.positions) > known)
        assert "n: next game" in str(screen.query_one("#notice").content)


@pytest.mark.full
def test_an_agent_in_a_process_plays_what_the_user_trusts(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    process = AgentProcess()
    try:
        answer = process.exchange({"spec": "random", "game": spec("race"), "options": {}, "obeys": []}, 120)
        assert "refused" not in answer
    finally:
        process.kill()


@pytest.mark.parametrize("agent", ["alphabeta:2", "perfect", "ismcts:10", "one-ply"])
def test_searches_are_refused_where_positions_cannot_be_copied(agent):
    with pytest.raises(UsageError) as told:
        make_agent(agent, make_game("openspiel:liars_dice"))
    assert "openspiel:liars_dice" in str(told.value)


def test_a_file_brings_no_module_in(tmp_path, monkeypatch, capsys):
    from games.engine.trust import VARIABLE

    monkeypatch.delenv(VARIABLE)
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.json").write_text(
        json.dumps({"game": "pettingzoo:antigravity:parallel_env", "options": {}, "algorithm": "ppo"})
    )
    assert main(["runs", str(run)]) in (0, 2)
    capsys.readouterr()
    assert "antigravity" not in sys.modules


def test_steps_are_those_of_pettingzoo_itself():
    game, alone = make_game(CLASSIC[0]), connect_four_v3.env()
    env, rng = vector_games(game, 1), np.random.default_rng(4)
    env.reset(seed=0)
    alone.reset(seed=0)
    while not env.over[0]:
        action = int(rng.choice(np.flatnonzero(env.mask[0])))
        obs, rewards, *_ = env.step([action])
        alone.step(action)
        assert np.array_equal(rewards[0], [alone.rewards[agent] for agent in alone.possible_agents])
        if alone.agents and not any(alone.terminations.values()):
            assert np.array_equal(obs.obs[0], alone.observe(alone.agent_selection)["observation"])


def test_a_package_that_is_missing_is_named_with_what_installs_it(monkeypatch):
    monkeypatch.setattr(sys.modules["arena.env.hosted.pettingzoo"], "OF_PETTINGZOO", ("no_such_package",))
    monkeypatch.setenv(VARIABLE, "no_such_package")
    with pytest.raises(UsageError, match=r"the package no_such_package is not installed: pip install no_such_package$"):
        make_game("pettingzoo:no_such_package.x_v0")


def test_a_module_that_lies_in_this_folder_is_named_as_a_file(tmp_path, monkeypatch):
    (tmp_path / "noughts_here.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "noughts_here")
    with pytest.raises(UsageError, match=r"noughts_here\.py lies here .* name it \./noughts_here\.py"):
        make_game("pettingzoo:noughts_here")
