"""Map of the names in Tianshou's manual to their places here, for errors about the old places.

One table for all: `docs/how-to/coming-from-tianshou.md` shows it, errors of imports and attributes quote it.
"""

PLACES: dict[str, dict[str, str]] = {
    "data": {
        "arena.data": "Batch ReplayBuffer PrioritizedReplayBuffer ReplayBufferManager PrioritizedReplayBufferManager "
        "VectorReplayBuffer PrioritizedVectorReplayBuffer CachedReplayBuffer "
        "CollectStats CollectStatsBase SequenceSummaryStats",
        "arena.collector": "Collector AsyncCollector",
    },
    "env": {
        "arena.env": "BaseVectorEnv VectorEnv DummyVectorEnv SubprocVectorEnv ShmemVectorEnv RayVectorEnv "
        "PettingZooEnv",
    },
    "env.worker": {
        "arena.env.workers": "EnvWorker DummyEnvWorker SubprocEnvWorker RayEnvWorker",
    },
    "policy": {
        "arena.policy": "BasePolicy RandomPolicy MultiAgentPolicyManager",
        "agents": "DQNPolicy C51Policy RainbowPolicy QRDQNPolicy IQNPolicy FQFPolicy PGPolicy NPGPolicy A2CPolicy "
        "TRPOPolicy PPOPolicy DDPGPolicy TD3Policy SACPolicy DiscreteSACPolicy ImitationPolicy BCQPolicy "
        "DiscreteBCQPolicy DiscreteCQLPolicy DiscreteCRRPolicy PSRLPolicy",
    },
    "trainer": {
        "arena.trainer": "offpolicy_trainer onpolicy_trainer offline_trainer test_episode gather_info "
        "OffpolicyTrainer OnpolicyTrainer OfflineTrainer",
    },
    "exploration": {
        "agents": "BaseNoise GaussianNoise OUNoise",
    },
    "utils": {
        "arena.data": "MovAvg RunningMeanStd",
        "arena.trainer": "BaseLogger TensorboardLogger BasicLogger LazyLogger WandbLogger",
    },
    "utils.net.common": {
        "agents.networks": "miniblock MLP Net Recurrent ActorCritic DataParallelNet",
    },
    "utils.net.discrete": {
        "agents.networks": "Actor Critic CosineEmbeddingNetwork ImplicitQuantileNetwork FractionProposalNetwork "
        "FullQuantileFunction NoisyLinear sample_noise",
    },
    "utils.net.continuous": {
        "agents.networks": "ActorProb RecurrentActorProb RecurrentCritic Perturbation VAE",
        "agents.networks.continuous": "Actor Critic",
    },
}
"""Modules of Tianshou -> where the names in them are here -> those names."""
PAGE = "docs/how-to/coming-from-tianshou.md"


def places(module: str) -> dict[str, str]:
    """Return, for each name that a module of Tianshou has (`policy`, `utils.net.common`), the module it is in here."""
    return {name: place for place, names in PLACES.get(module, {}).items() for name in names.split()}


def has_moved(module: str) -> bool:
    """Return whether Tianshou has a module (`utils`, `utils.net`) of which there is nothing under that name here."""
    within = [old for old in PLACES if old == module or old.startswith(f"{module}.")]
    return bool(within) and not any(f"arena.{module}" in PLACES[old] for old in within)


def direction(old: str) -> str | None:
    """Return where a name or a module of Tianshou (`policy.DQNPolicy`, `utils`) is here, in one line.

    None for what Tianshou does not have, and for what is here under the same name.
    """
    module, _, name = old.rpartition(".")
    place = places(module).get(name)
    if place is not None:
        return None if place == f"arena.{module}" else f"{name} is in {place}: from {place} import {name}"
    if not has_moved(old):
        return None
    modules = dict.fromkeys(
        place for parent in PLACES if f"{parent}.".startswith(f"{old}.") for place in PLACES[parent]
    )
    return f"there is no arena.{old}: its names are in {', '.join(modules)}; see {PAGE}"
