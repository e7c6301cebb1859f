"""`planted:NOISE=X,DEPTH=N`: an agent whose best parameters are known, for the tests of tuning.

It plays as `one-ply`, but for a share of random moves that grows with the distance from the best values.
"""

from agents.scripted.one_ply import make as make_one_ply
from arena.policy.kinds import AgentKind
from arena.policy.noisy import NoisyPolicy
from arena.policy.parameters import Parameter, read_parameters, split_settings
from arena.policy.registry import make_agent

BEST = {"slope": 0.7, "level": 12.0}
PARAMETERS = (Parameter("slope", 0.1, 0.0, 1.0), Parameter("level", 38, 0, 40, whole=True))


def parameters(game, argument):
    """Return the two parameters."""
    return PARAMETERS


def make(game, argument):
    """Make the agent."""
    values = read_parameters("planted", split_settings(argument)[1], PARAMETERS)
    distance = [(values[one.name] - BEST[one.name]) / (one.high - one.low) for one in PARAMETERS]
    share = min(1.0, sum(map(abs, distance)))
    return NoisyPolicy(make_one_ply(game, ""), make_agent("random", game), share)


PLANTED = AgentKind("plays best at planted values", make, parameters=parameters)
