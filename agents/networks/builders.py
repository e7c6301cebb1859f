"""Construction of networks for the spaces of an environment, for the `build` functions of algorithms."""

from collections.abc import Sequence

import gymnasium as gym
from torch import nn

from agents.networks import continuous, discrete
from agents.networks.board import BoardNet
from agents.networks.brought import BroughtBody
from agents.networks.common import Net
from agents.networks.pixels import PixelNet, is_picture
from agents.networks.residual import ResidualTower
from arena.policy.registration import Spaces


def make_body(spaces: Spaces, hidden: int, blocks: int = 0, channels: int = 32) -> nn.Module:
    """Return a network to `hidden` features: a two-layer perceptron or, with `blocks`, a residual tower for boards.

    Pictures of pixels get strided convolutions. The network that the user brings takes the place of all of them.
    """
    if spaces.network is not None:
        return BroughtBody(spaces.network, spaces.observation, spaces.action)
    if is_picture(spaces.observation_shape):
        return PixelNet(spaces.observation, hidden)
    if blocks:
        return ResidualTower(spaces.observation_shape, channels, blocks, hidden)
    return Net(spaces.observation_shape, hidden_sizes=(hidden, hidden))


def body_of(
    spaces: Spaces, hidden_sizes: Sequence[int], channels: int = 0, activation: type[nn.Module] = nn.ReLU
) -> nn.Module:
    """Return a network from observations to features: a convolution for boards if `channels` > 0, else a perceptron.

    Pictures of pixels get strided convolutions. The network that the user brings takes the place of all of them.
    """
    if spaces.network is not None:
        return BroughtBody(spaces.network, spaces.observation, spaces.action)
    if is_picture(spaces.observation_shape):
        return PixelNet(spaces.observation, hidden_sizes[-1])
    if channels and len(spaces.observation_shape) == 3:
        return BoardNet(spaces.observation_shape, channels, hidden_sizes[-1])
    return Net(spaces.observation_shape, hidden_sizes=hidden_sizes, activation=activation)


def is_continuous(spaces: Spaces) -> bool:
    """Return whether actions are vectors of numbers."""
    return isinstance(spaces.action, gym.spaces.Box)


def stochastic_actor(
    spaces: Spaces, body: nn.Module, unbounded: bool = True, conditioned_sigma: bool = False
) -> discrete.Actor | continuous.ActorProb:
    """Return a head for logits of discrete actions, or for means and deviations of continuous ones."""
    if is_continuous(spaces):
        return continuous.ActorProb(body, spaces.action_shape, unbounded=unbounded, conditioned_sigma=conditioned_sigma)
    return discrete.Actor(body, spaces.num_actions, softmax_output=False)


def actor_critic_for(
    spaces: Spaces, hidden: int, channels: int = 0, shared: bool | None = None
) -> tuple[nn.Module, nn.Module]:
    """Return a stochastic actor and a critic of states.

    By default they share a body for discrete actions. For continuous actions each has its own, with tanh units, which
    give smoother actions.
    """
    shared = not is_continuous(spaces) if shared is None else shared
    activation = nn.Tanh if is_continuous(spaces) else nn.ReLU
    body = body_of(spaces, (hidden, hidden), channels, activation)
    actor = stochastic_actor(spaces, body)
    critic = discrete.Critic(body if shared else body_of(spaces, (hidden, hidden), channels, activation))
    return actor, critic


def q_critic(spaces: Spaces, hidden_sizes: Sequence[int]) -> nn.Module:
    """Return a critic Q(s, a) of continuous actions, of features and a for pictures and networks that users bring."""
    if spaces.network is not None or is_picture(spaces.observation_shape):
        return continuous.FeaturesCritic(body_of(spaces, hidden_sizes), spaces.action_shape, hidden_sizes[-1:])
    net = Net(spaces.observation_shape, spaces.action_shape, hidden_sizes=hidden_sizes, concat=True)
    return continuous.Critic(net)
