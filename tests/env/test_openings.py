"""Games that begin after random moves: how many, which, and that they are games all the same."""

import numpy as np
import pytest

from arena.base.errors import UsageError
from arena.env.make import vector_games
from arena.env.native import GameVectorEnv
from arena.match.files import WrittenMatch
from arena.training.recorded import GameRecorder
from arena.tui.state.live_match import LiveMatch
from games.engine.registry import make_game


def begun(name, count, openings, seed=0, **options):
    env = GameVectorEnv(name, count, openings=openings, **options)
    env.seed(seed)
    env.reset()
    return env


def test_every_number_of_moves_is_as_likely():
    env = begun("connect_four", 7_000, 6)
    stones = (env.states["length"]).astype(int)
    counts = np.bincount(stones, minlength=7)
    assert len(counts) == 7
    assert (abs(counts - 1_000) < 5 * np.sqrt(1_000)).all()
    assert not env.over.any()
    assert (env.seats == stones % 2).all()
    seen = env.observations().obs.reshape(7_000, -1)
    assert (seen.sum(axis=1) == stones).all(), "what is seen belongs to the position"


def test_each_legal_move_is_as_likely():
    env = begun("connect_four", 14_000, 1)
    first = env.observations().obs[:, -1].sum(axis=2)[env.states["length"] == 1]
    counts = first.sum(axis=0)
    assert (abs(counts - counts.mean()) < 5 * np.sqrt(counts.mean())).all()


def test_a_game_that_would_end_in_its_opening_begins_at_its_beginning():
    env = begun("tic_tac_toe", 2_000, 9)
    assert not env.over.any()
    assert env.mask.any(axis=1).all()
    lengths = env.states["length"]
    assert (lengths == 0).mean() > 0.2
    assert lengths.max() >= 7
    assert ((env.states["board"] >= 0).sum(axis=(1, 2)) == lengths).all()


@pytest.mark.parametrize("name", ["connect_four", "leduc_poker", "backgammon", "goofspiel", "tron"])
def test_a_seed_fixes_them_on_any_number_of_threads(name):
    one, same, other = (begun(name, 64, 5, seed) for seed in (1, 1, 2))
    threads = begun(name, 64, 5, 1, threads=2)
    for env in (same, threads):
        assert (env.states == one.states).all()
        assert (env.observations().obs == one.observations().obs).all()
    assert (other.states != one.states).any()
    before = one.states.copy()
    one.reset()
    assert (one.states != before).any(), "the next games begin otherwise"


def test_a_new_game_of_autoreset_has_an_opening_too_and_the_end_before_is_told():
    env = GameVectorEnv("tic_tac_toe", 256, autoreset=True, openings=3)
    env.seed(0)
    env.reset()
    rng, ends = np.random.default_rng(0), 0
    for _ in range(12):
        actions = (rng.random(env.mask.shape) * env.mask).argmax(axis=1)
        seen, rewards, terminated, _, _ = env.step(actions)
        over = terminated[:, 0]
        ends += over.sum()
        assert (rewards[~over] == 0).all()
        assert (env.states["length"][over] <= 3).all()
        assert seen == env.observations()
    assert ends > 256
    assert (env.states["length"] > 0).any()


@pytest.mark.parametrize("name", ["connect_four", "kuhn_poker", "goofspiel", "pig", "hanabi", "kalah"])
def test_remembered_games_are_played_again_opening_and_all(name):
    game = make_game(name)
    env = GameVectorEnv(game, 4, openings=6)
    recorder = env.recorder = GameRecorder(game, lambda board: ["a"] * game.num_players)
    env.seed(3)
    env.reset()
    rng, openings = np.random.default_rng(0), 0
    for _ in range(12):
        recorder.latest = None
        openings += bool(recorder._actions)
        while recorder.latest is None:
            actions = (rng.random(env.mask.shape) * env.mask).argmax(axis=1)
            env.step(actions)
            if recorder.latest is None and (over := np.flatnonzero(env.over)).size:
                env.reset(over)
        written = WrittenMatch.of(recorder.latest)
        positions = LiveMatch(written.game).unroll(written)
        assert len(positions) == len(recorder.latest.actions) + 1
        assert positions[-1].verdict is not None
        env.reset(np.flatnonzero(env.over))
    assert openings > 3


def test_a_number_below_zero_is_refused():
    with pytest.raises(UsageError, match="openings=-1 is not at least 0"):
        GameVectorEnv("tic_tac_toe", 1, openings=-1)


def test_hosted_games_begin_after_up_to_as_many_moves():
    env = vector_games(make_game("openspiel:tic_tac_toe"), 200, openings=2)
    env.reset(seed=0)
    counts = np.bincount(env.states["length"], minlength=3)
    assert len(counts) == 3
    assert (abs(counts - 200 / 3) < 5 * np.sqrt(200 / 3)).all()
