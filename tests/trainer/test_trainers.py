"""Trainers: the order of things in an epoch, hooks, ends, counts, and what is refused."""

import pytest

from arena.base.errors import UsageError
from arena.collector import AsyncCollector, Collector
from arena.data import Batch, VectorReplayBuffer
from arena.env import GameVectorEnv, SubprocVectorEnv
from arena.policy.random import RandomPolicy
from arena.trainer import OffpolicyTrainer, OnpolicyTrainer, offpolicy_trainer, onpolicy_trainer
from arena.trainer.base import Hooks, Schedule
from tests.trainer.walk import LENGTH, Improver, Walk, collectors

PLAN = {"max_epoch": 3, "step_per_epoch": 16, "batch_size": 5, "step_per_collect": 8, "episode_per_test": 2}


def recorded(policy: Improver) -> tuple[Hooks, list[tuple]]:
    """Hooks that write down when they are called, with what."""
    log: list[tuple] = []
    return Hooks(
        train_fn=lambda *told: log.append(("train", *told, policy.updates)),
        test_fn=lambda *told: log.append(("test", *told, policy.training)),
        save_fn=lambda saved: log.append(("save", saved is policy, policy.updates)),
        save_checkpoint_fn=lambda *told: log.append(("checkpoint", *told)),
        collect_fn=lambda stats: log.append(("collect", stats.n_collected_steps, stats.n_collected_episodes)),
    ), log


def test_off_policy_step_by_step():
    policy = Improver()
    hooks, log = recorded(policy)
    trainer = OffpolicyTrainer(policy, *collectors(policy), Schedule(**PLAN | {"max_epoch": 2}), 0.25, hooks)
    trainer.run()
    assert log == [
        ("test", 0, 0, False),
        ("save", True, 0),
        ("train", 1, 0, 0),
        ("collect", 8, 2),
        ("train", 1, 8, 2),
        ("collect", 8, 2),
        ("test", 1, 16, False),
        ("save", True, 4),
        ("checkpoint", 1, 16, 4),
        ("train", 2, 16, 4),
        ("collect", 8, 2),
        ("train", 2, 24, 6),
        ("collect", 8, 2),
        ("test", 2, 32, False),
        ("save", True, 8),
        ("checkpoint", 2, 32, 8),
    ]
    assert policy.taught == [(5, {})] * 8, "each time on a sample of batch_size"
    assert policy.asked == {(True, False), (False, False)}


def test_on_policy_step_by_step():
    policy = Improver()
    hooks, log = recorded(policy)
    train, test = collectors(policy)
    plan = PLAN | {"max_epoch": 1, "step_per_collect": None, "episode_per_collect": 3}
    OnpolicyTrainer(policy, train, test, Schedule(**plan), 7, hooks).run()
    assert log == [
        ("test", 0, 0, False),
        ("save", True, 0),
        ("train", 1, 0, 0),
        ("collect", 12, 3),
        ("train", 1, 12, 1),
        ("collect", 12, 3),
        ("test", 1, 24, False),
        ("save", True, 2),
        ("checkpoint", 1, 24, 14),
    ]
    assert policy.taught == [(12, {"batch_size": 5, "repeat": 7})] * 2, "everything that was collected, once"
    assert len(train.buffer) == 0


def test_what_was_collected_is_forgotten_but_not_the_episodes_under_way():
    policy = Improver()
    train, _ = collectors(policy, envs=1)
    plan = PLAN | {"max_epoch": 1, "step_per_epoch": 3, "step_per_collect": 3}
    OnpolicyTrainer(policy, train, None, Schedule(**plan), 1).run()
    assert [rows for rows, _ in policy.taught] == [3]
    last = Batch(obs=[[3.0]], act=[0], rew=[5.0], done=[True], obs_next=[[4.0]])
    _, episode_return, length, _ = train.buffer.add(last, [0])
    assert (episode_return.item(), length.item()) == (5.0, LENGTH)


@pytest.mark.parametrize("kind", ["off", "on"])
def test_function_and_iterator_are_the_same(kind):
    told = []
    for way in range(2):
        policy = Improver()
        hooks, log = recorded(policy)
        train, test = collectors(policy)
        if kind == "off" and way == 0:
            info = offpolicy_trainer(policy, train, test, **PLAN, update_per_step=0.25, **hooks_of(hooks))
        elif kind == "on" and way == 0:
            info = onpolicy_trainer(policy, train, test, **PLAN, repeat_per_collect=2, **hooks_of(hooks))
        else:
            trainer = {"off": OffpolicyTrainer, "on": OnpolicyTrainer}[kind]
            trainer = trainer(policy, train, test, Schedule(**PLAN), {"off": 0.25, "on": 2}[kind], hooks)
            epochs = list(trainer)
            assert [epoch for epoch, _, _ in epochs] == [1, 2, 3]
            info = epochs[-1][2]
            assert info.keys() == trainer.info().keys()
        log = [entry for entry in log if entry[0] != "collect"]
        told.append((log, {key: value for key, value in info.items() if "time" not in key and "speed" not in key}))
        told[-1][1].pop("duration")
    assert told[0] == told[1]


def hooks_of(hooks: Hooks) -> dict:
    """Hooks as the functions take them."""
    return {name: getattr(hooks, name) for name in ("train_fn", "test_fn", "save_fn", "save_checkpoint_fn")}


def test_an_epoch_tells_its_figures():
    policy = Improver()
    trainer = OffpolicyTrainer(policy, *collectors(policy), Schedule(**PLAN), 0.25)
    epoch, figures, info = next(trainer)
    assert epoch == 1
    assert figures == {"rew": 2.0 * LENGTH, "len": LENGTH, "test": 4.0 * LENGTH, "loss": 0.5}
    assert info["best_reward"] == 4.0 * LENGTH


def test_it_stops_when_a_test_is_good_enough():
    policy = Improver()
    hooks = Hooks(stop_fn=lambda reward: reward >= 4 * LENGTH)
    plan = Schedule(**PLAN | {"test_in_train": False})
    trainer = OffpolicyTrainer(policy, *collectors(policy), plan, 0.25, hooks)
    assert [epoch for epoch, _, _ in trainer] == [1]
    assert list(trainer) == []


def test_it_stops_in_the_middle_of_an_epoch_if_training_was_good_and_a_test_confirms_it():
    policy = Improver()
    tests = []
    hooks = Hooks(stop_fn=lambda reward: reward >= 2 * LENGTH, test_fn=lambda *told: tests.append(told))
    train, test = collectors(policy)
    info = OffpolicyTrainer(policy, train, test, Schedule(**PLAN | {"step_per_epoch": 80}), 0.25, hooks).run()
    assert tests == [(0, 0), (1, 16)]
    assert policy.updates == 2, "no update after the test that ended it"
    assert (train.collect_step, info["best_reward"]) == (16, 2.0 * LENGTH)


def test_it_may_be_good_enough_from_the_start():
    policy = Improver()
    train, test = collectors(policy)
    OffpolicyTrainer(policy, train, test, Schedule(**PLAN), 1, Hooks(stop_fn=lambda reward: reward == 0)).run()
    assert (train.collect_step, policy.updates) == (0, 0)


def test_save_fn_is_for_what_is_better():
    policy = Improver()
    returns, saved = iter([2.0, 1.0, 3.0, 3.0]), []
    hooks = Hooks(save_fn=lambda _: saved.append(policy.updates), reward_metric=lambda r: r * 0 + next(returns))
    train, test = collectors(policy)
    trainer = OffpolicyTrainer(policy, train, test, Schedule(**PLAN | {"step_per_collect": 2}), 1, hooks)
    trainer.hooks = hooks
    told = []
    for _ in range(4):
        trainer._test()
        told.append((len(saved), trainer.at.best_reward))
    assert told == [(1, 2.0), (1, 2.0), (2, 3.0), (2, 3.0)]


@pytest.mark.parametrize(("per_step", "updates"), [(0.25, 2), (0.2, 2), (0.18, 1), (1, 8), (2.5, 20), (0.07, 1)])
def test_updates_a_step_are_rounded_for_each_collection(per_step, updates):
    policy = Improver()
    plan = Schedule(**PLAN | {"max_epoch": 1, "step_per_epoch": 8})
    OffpolicyTrainer(policy, *collectors(policy), plan, per_step).run()
    assert policy.updates == updates


@pytest.mark.full
@pytest.mark.parametrize("kind", ["off", "on"])
def test_collecting_in_parts(kind):
    """Steps are those that came back; what is under way comes with the next collection."""
    policy = Improver()
    hooks, log = recorded(policy)
    env = SubprocVectorEnv([Walk] * 4, wait_num=3)
    train, test = AsyncCollector(policy, env, VectorReplayBuffer(400, 4)), collectors(policy)[1]
    kinds = {"off": OffpolicyTrainer, "on": OnpolicyTrainer}
    kinds[kind](policy, train, test, Schedule(**PLAN | {"max_epoch": 2}), 1, hooks).run()
    steps = [entry[1] for entry in log if entry[0] == "collect"]
    assert all(8 <= count <= 11 for count in steps)
    assert train.collect_step == sum(steps) >= 32
    learned = sum(rows for rows, _ in policy.taught)
    assert learned == (sum(steps) if kind == "on" else 5 * sum(steps)), "every step once, or a sample a step"
    train.close()


def test_nothing_is_learned_before_there_is_something_to_learn_from():
    """In a game of turns the first moves wait for their next observations."""
    policy = Improver()
    train = Collector(RandomPolicy(seed=0), GameVectorEnv("tic_tac_toe", 2), VectorReplayBuffer(40, 4))
    metric = Hooks(reward_metric=lambda returns: returns[:, 0])
    plan = Schedule(**PLAN | {"max_epoch": 1, "step_per_epoch": 6, "step_per_collect": 2})
    OffpolicyTrainer(policy, train, None, plan, 0.5, metric).run()
    assert [rows for rows, _ in policy.taught] == [5, 5]
    assert train.collect_step == 6


def test_without_a_test_collector_it_trains_to_the_end():
    policy = Improver()
    hooks, log = recorded(policy)
    train, _ = collectors(policy)
    info = OffpolicyTrainer(policy, train, None, Schedule(**PLAN), 0.25, hooks).run()
    assert {entry[0] for entry in log} == {"train", "collect", "checkpoint"}
    assert train.collect_step == 48
    assert "best_reward" not in info


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"episode_per_collect": 2}, "give one of step_per_collect=8 and episode_per_collect=2"),
        ({"step_per_collect": None}, "give one of step_per_collect=None and episode_per_collect=None"),
        ({"step_per_collect": 0}, "step_per_collect=0 is not at least 1"),
        ({"max_epoch": 0}, "max_epoch=0 is not at least 1"),
        ({"step_per_epoch": 0}, "step_per_epoch=0 is not at least 1"),
        ({"batch_size": 0}, "batch_size=0 is not at least 1"),
        ({"episode_per_test": 0}, "episode_per_test=0 is not at least 1"),
        ({"batch_size": 2.5}, "batch_size=2.5 is not a whole number"),
    ],
)
def test_schedules_that_mean_nothing(changed, message):
    with pytest.raises(UsageError, match=message):
        Schedule(**PLAN | changed)


def test_numbers_of_updates_that_mean_nothing():
    policy = Improver()
    with pytest.raises(UsageError, match="update_per_step=0 is not above 0"):
        OffpolicyTrainer(policy, *collectors(policy), Schedule(**PLAN), 0)
    message = "update_per_step=0.05 of 8 steps a collection rounds to no updates: step_per_collect has to be 10"
    with pytest.raises(UsageError, match=message):
        OffpolicyTrainer(policy, *collectors(policy), Schedule(**PLAN | {"step_per_collect": 7}), 0.05)
    OffpolicyTrainer(policy, *collectors(policy), Schedule(**PLAN | {"step_per_collect": 11}), 0.05)
    episodes = PLAN | {"step_per_collect": None, "episode_per_collect": 1}
    OffpolicyTrainer(policy, *collectors(policy), Schedule(**episodes), 0.05)  # how long they are is not known
    with pytest.raises(UsageError, match="repeat_per_collect=0 is not at least 1"):
        OnpolicyTrainer(policy, *collectors(policy), Schedule(**PLAN), 0)


def test_without_a_terminal_each_epoch_is_a_line(capsys):
    policy = Improver()
    OffpolicyTrainer(policy, *collectors(policy), Schedule(**PLAN), 0.25).run()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("  ")[:2] for line in lines] == [[f"epoch {i} of 3", f"step {16 * i}"] for i in (1, 2, 3)]
    assert all(figure in lines[0] for figure in ("rew ", "len 4", "test 16", "loss 0.5"))
    OffpolicyTrainer(policy, *collectors(policy), Schedule(**PLAN, verbose=False), 0.25).run()
    assert capsys.readouterr().err == ""


def test_a_trainer_takes_flat_keywords_in_place_of_schedule_and_hooks():
    policy, rewards = Improver(), []
    train, test = collectors(policy)
    trainer = OffpolicyTrainer(
        policy=policy,
        train_collector=train,
        test_collector=test,
        update_per_step=0.25,
        stop_fn=rewards.append,
        verbose=False,
        **PLAN,
    )
    assert trainer.schedule == Schedule(verbose=False, **PLAN)
    trainer.run()
    assert rewards


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_epoch": 1}, "give a schedule, or batch_size, step_per_epoch as well"),
        (PLAN | {"max_epochs": 1}, "unknown option max_epochs; known: batch_size, .*"),
        ({"schedule": Schedule(**PLAN), "verbose": False}, "give schedule or verbose, not both"),
        (PLAN | {"hooks": Hooks(), "stop_fn": None}, "give hooks or stop_fn, not both"),
    ],
)
def test_keywords_that_do_not_fit_are_refused(options, message):
    policy = Improver()
    with pytest.raises(UsageError, match=message):
        OnpolicyTrainer(policy, *collectors(policy), **options)
