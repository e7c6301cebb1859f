"""Self-play training in a league: what it writes, whom it plays, and what it reports."""

import json

import numpy as np
import pytest
import torch

from agents.configs.on_policy import PPOConfig
from agents.configs.search import AlphaZeroConfig
from arena.data.flat import flatten
from arena.policy.checkpoint import read_config
from arena.policy.registry import make_agent, make_game
from arena.training.evaluation import score_against
from arena.training.league.config import LeagueConfig
from arena.training.league.matchups import transition_bytes
from arena.training.league.records import read_league
from arena.training.league.scale import ScaleConfig
from arena.training.league.self_play import SelfPlayTraining
from tests.agents.pile import game as pile
from tests.match.players import Highest, Lowest
from tests.policy.policies import Diary
from tests.training.league.small import CONFIGS, LEAGUE, left_behind, run_config, training

pytestmark = pytest.mark.full


@pytest.fixture(scope="module", params=["ppo", "dqn"])
def finished(request, tmp_path_factory):
    """A training that has run to its end, and what it told on the way."""
    torch.set_num_threads(1)
    told = []
    made = training(request.param, tmp_path_factory.mktemp("runs") / "run")
    last = made.train(told.append)
    return made, told, last


def test_it_writes_its_snapshots(finished):
    made, _, last = finished
    assert made.finished
    assert last.name == "snapshot-0005"
    assert sorted(path.name for path in made.folder.iterdir()) == [
        "config.toml",
        "league.json",
        "run.json",
        *[f"snapshot-000{n}" for n in range(1, 6)],
        "training",
    ]
    hashes = {read_config(made.folder / f"snapshot-000{n}")["sha256"] for n in range(1, 6)}
    assert len(hashes) == 5, "they differ"
    steps = [read_config(made.folder / f"snapshot-000{n}")["env_step"] for n in range(1, 6)]
    assert all(2000 * n <= step < 2000 * n + 64 * 8 * n for n, step in enumerate(steps, 1))


@pytest.mark.parametrize("shares", [0, 2])
def test_games_of_training_begin_after_random_moves_if_asked(shares, tmp_path):
    """The first thing that a learner sees of a game tells how many moves there were before."""
    scale = ScaleConfig(shares=shares)
    seen = {}
    for openings in (0, 6):
        made = training("dqn", tmp_path / str(openings), scale=scale, steps=1000, snapshots=1, openings=openings)
        made.train()
        buffer = made.current_learner.collector.buffer
        starts = np.arange(buffer.buffer_num) * (buffer.maxsize // buffer.buffer_num)
        starts = np.intersect1d(starts, buffer.sample_indices(0))
        seen[openings] = buffer.obs.obs[starts].reshape(len(starts), -1).sum(axis=1)
    assert seen[0].max() <= 1
    assert seen[6].max() >= 4


@pytest.mark.parametrize(
    ("game", "algorithm", "config", "views"),
    [
        ("tic_tac_toe", "dqn", CONFIGS["dqn"], 2),
        ("tic_tac_toe", "alphazero", AlphaZeroConfig(hidden=8, simulations=8, buffer_size=500), 1),
        ("go:size=3", "dqn", CONFIGS["dqn"], 2),
        ("go:size=3", "alphazero", AlphaZeroConfig(hidden=8, channels=4, simulations=8, buffer_size=500), 1),
    ],
)
def test_a_replay_buffer_holds_what_is_learned_from_and_as_much_as_was_reckoned_with(
    game, algorithm, config, views, tmp_path
):
    """Planes and masks of go are stored as bits, and there are none of tic-tac-toe."""
    run = run_config(tmp_path / "run", steps=400, snapshots=1)
    made = SelfPlayTraining(make_game(game), algorithm, config, run, LEAGUE)
    made.train()
    buffer = made.current_learner.collector.buffer
    stored = {path: leaf.nbytes / buffer.maxsize for path, leaf in flatten(buffer.state_dict().storage).items()}
    large = sum(size for path, size in stored.items() if path.split("/")[-1] in ("obs", "mask", "target"))
    needs = made.policy.keeps_policies, made.policy.needs_obs_next
    assert large == transition_bytes(made.game, *needs, pack=made.game.name == "go")
    assert sum(path.startswith("obs") and path.endswith("mask") for path in stored) == views
    assert sum(stored.values()) - large < 100


def test_the_newest_snapshot_is_what_was_learned(finished):
    made, _, _ = finished
    loaded = make_agent(f"{made.algo}:{made.folder}", made.game)
    for name, tensor in made.policy.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], tensor)


def test_snapshots_share_no_memory_with_the_learner(finished):
    made, _, _ = finished
    others = [
        p for p in made.current_learner.seating.manager.policies if p is not made.policy and hasattr(p, "parameters")
    ]
    assert others, "snapshots are at the tables"
    own = {tensor.data_ptr() for tensor in made.policy.state_dict().values()}
    for i, policy in enumerate(others):
        theirs = {tensor.data_ptr() for tensor in policy.state_dict().values()}
        assert not own & theirs
        assert all(not theirs & {t.data_ptr() for t in other.state_dict().values()} for other in others[:i])
        assert policy.optim is None


def test_snapshots_at_the_tables_are_as_they_were_saved(finished):
    made, _, _ = finished
    labels = made.current_learner.seating.manager.labels
    for slot, policy in enumerate(made.current_learner.seating.manager.policies):
        if labels[slot] > 0:
            saved = make_agent(f"{made.algo}:{made.folder / f'snapshot-{labels[slot]:04d}'}", made.game)
            assert all(torch.equal(a, b) for a, b in zip(policy.parameters(), saved.parameters(), strict=True))


def test_everyone_was_met_and_the_games_are_counted(finished):
    made, told, _ = finished
    met = made.league.training.table["main"]
    assert "random" in met, "the reference"
    assert met.keys() - {"random"} <= {f"main-000{n}" for n in range(1, 5)}
    assert len(met) >= 4
    assert all(counts.games > 0 for counts in met.values())
    assert any(progress.pool_score is not None for progress in told)
    assert read_league(made.folder).to_json() == made.league.to_json()
    state = json.loads((made.folder / "training" / "state.json").read_text())
    assert state["league"] == made.league.to_json()


def test_it_reports_where_it_is(finished):
    made, told, _ = finished
    steps = [progress.step for progress in told]
    assert steps == sorted(set(steps))
    assert {progress.snapshots for progress in told} == {1, 2, 3, 4, 5}
    assert made.progress().snapshots == 5
    assert set(made.progress().evaluation) == {"random"}
    assert 0 <= made.progress().evaluation["random"] <= 1


def test_only_the_learners_moves_are_stored(finished):
    made, _, _ = finished
    buffer = made.current_learner.collector.buffer
    if len(buffer):  # on-policy, everything has been learned from and forgotten
        assert set(buffer[:].info.policy_id.tolist()) == {0}
        players = buffer[:].info.players
        assert (players == 0).any(axis=1).all()
        assert players.min() == -1
        assert players.max() >= 1, "a stored transition knows whom it was played against"


def test_two_trainings_with_one_seed_are_one(finished, tmp_path):
    made, _, _ = finished
    training(made.algo, tmp_path / "again").train()
    assert left_behind(tmp_path / "again") == left_behind(made.folder)


def test_another_seed_is_another_training(tmp_path):
    weights = []
    for seed in (3, 4):
        training("ppo", tmp_path / str(seed), steps=500, snapshots=1, seed=seed).train()
        weights.append((tmp_path / str(seed) / "snapshot-0001" / "weights.safetensors").read_bytes())
    assert weights[0] != weights[1]


def test_a_game_in_which_turns_do_not_alternate_can_be_learned(tmp_path):
    run = run_config(tmp_path / "pile", steps=1100, snapshots=2, evaluation=("random",))
    made = SelfPlayTraining(pile(), "ppo", PPOConfig(hidden=8), run, LeagueConfig(self_play=0.5, pool=0.5))
    made.train()
    assert made.finished


class LowestInTraining(Diary):
    """Plays the legal action of the lowest number, and notes the states in which it is asked."""

    def __init__(self):
        super().__init__()
        self.asked = set()

    def forward(self, batch, state=None):
        self.asked.add(self.training)
        return Lowest().forward(batch)


def test_scores_count_a_draw_half_and_take_seats_in_turn():
    game = make_game("tic_tac_toe")
    low = LowestInTraining()
    assert score_against(game, low, Lowest(), 10, seed=1) == 0.5, "whoever begins wins, in both seats alike"
    assert score_against(game, low, Highest(), 10, seed=1) == 0.5
    assert low.asked == {False}
    assert low.training
    random = [score_against(game, low, make_agent("random", game), 100, seed=seed) for seed in range(3)]
    assert 0.5 < np.mean(random) < 1
    assert score_against(game, low, make_agent("alphabeta:4", game), 10, seed=1) == 0.0
