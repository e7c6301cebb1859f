"""Networks: bodies that extract features, and heads for discrete and for continuous actions.

`Actor` and `Critic` are the heads for discrete actions; those for continuous ones are in `agents.networks.continuous`.
"""

from agents.networks.board import BoardNet
from agents.networks.common import MLP, ActorCritic, DataParallelNet, Net, Recurrent, miniblock
from agents.networks.continuous import VAE, ActorProb, Perturbation, RecurrentActorProb, RecurrentCritic
from agents.networks.discrete import (
    Actor,
    CosineEmbeddingNetwork,
    Critic,
    FractionProposalNetwork,
    FullQuantileFunction,
    ImplicitQuantileNetwork,
    NoisyLinear,
    sample_noise,
)
from agents.networks.pixels import PixelNet
from agents.networks.q_network import QNetwork
from agents.networks.residual import ResidualTower

__all__ = [
    "MLP",
    "VAE",
    "Actor",
    "ActorCritic",
    "ActorProb",
    "BoardNet",
    "CosineEmbeddingNetwork",
    "Critic",
    "DataParallelNet",
    "FractionProposalNetwork",
    "FullQuantileFunction",
    "ImplicitQuantileNetwork",
    "Net",
    "NoisyLinear",
    "Perturbation",
    "PixelNet",
    "QNetwork",
    "Recurrent",
    "RecurrentActorProb",
    "RecurrentCritic",
    "ResidualTower",
    "miniblock",
    "sample_noise",
]
