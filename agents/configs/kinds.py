"""All agents of this distribution as they are registered: facts about them, imported without what they describe."""

from typing import Any, Literal

from agents.configs.actors import (
    BCQConfig,
    DDPGConfig,
    DiscreteCRRConfig,
    DiscreteSACConfig,
    ImitationConfig,
    SACConfig,
    TD3Config,
)
from agents.configs.afterstates import TDConfig
from agents.configs.on_policy import (
    CONTROL,
    A2CConfig,
    MMDConfig,
    NPGConfig,
    PGConfig,
    PPOConfig,
    PSRLConfig,
    TRPOConfig,
)
from agents.configs.search import AlphaZeroConfig
from agents.configs.value_based import (
    SINGLE,
    SLOWER,
    STEADY,
    C51Config,
    DiscreteBCQConfig,
    DiscreteCQLConfig,
    DQNConfig,
    FQFConfig,
    IQNConfig,
    NFSPConfig,
    QRDQNConfig,
    RainbowConfig,
)
from arena.policy.kinds import AgentKind, Algorithm, Deferred, learner

Actions = tuple[Literal["discrete", "continuous", "games"], ...]
DISCRETE: Actions = ("discrete",)
CONTINUOUS: Actions = ("continuous",)
BOTH: Actions = ("discrete", "continuous")
GAMES: Actions = ("games",)


def _learner(
    name: str,
    summary: str,
    config: type,
    data: Literal["on-policy", "off-policy", "offline"],
    paper: str,
    actions: Actions = DISCRETE,
    self_play: bool = False,
    single: Any = None,
) -> AgentKind:
    """Return the registration of the algorithm that `build` of the module of this name in `agents.algorithms` makes."""
    build = Deferred(f"agents.algorithms.{name.replace('-', '_')}:build")
    return learner(name, summary, Algorithm(config, build, data, paper, actions, self_play, single))


DQN = _learner("dqn", "deep Q-network", DQNConfig, "off-policy", "Nature 518 (2015)", single=DQNConfig(**STEADY))
C51 = _learner(
    "c51",
    "categorical deep Q-network",
    C51Config,
    "off-policy",
    "arXiv 1707.06887",
    single=C51Config(**SINGLE, v_min=0.0, v_max=100.0),
)
RAINBOW = _learner(
    "rainbow",
    "Rainbow",
    RainbowConfig,
    "off-policy",
    "arXiv 1710.02298",
    single=RainbowConfig(**SINGLE, v_min=0.0, v_max=100.0),
)
QRDQN = _learner(
    "qrdqn", "quantile regression DQN", QRDQNConfig, "off-policy", "arXiv 1710.10044", single=QRDQNConfig(**SINGLE)
)
IQN = _learner(
    "iqn", "implicit quantile network", IQNConfig, "off-policy", "arXiv 1806.06923", single=IQNConfig(**SLOWER)
)
FQF = _learner(
    "fqf",
    "fully parameterised quantile function",
    FQFConfig,
    "off-policy",
    "arXiv 1911.02140",
    single=FQFConfig(**SLOWER, num_fractions=8),
)
DISCRETE_BCQ = _learner(
    "discrete-bcq", "batch-constrained Q-learning", DiscreteBCQConfig, "offline", "arXiv 1910.01708"
)
DISCRETE_CQL = _learner("discrete-cql", "conservative Q-learning", DiscreteCQLConfig, "offline", "arXiv 2006.04779")
IMITATION = _learner("imitation", "behaviour cloning", ImitationConfig, "offline", "Neural Computation 3 (1991)", BOTH)
PSRL = _learner("psrl", "posterior sampling", PSRLConfig, "on-policy", "ICML 2000, 943-950")
PG = _learner("pg", "REINFORCE, the policy gradient", PGConfig, "on-policy", "Machine Learning 8 (1992)", BOTH)
A2C = _learner(
    "a2c",
    "advantage actor-critic",
    A2CConfig,
    "on-policy",
    "arXiv 1602.01783",
    BOTH,
    single=A2CConfig(**CONTROL),
)
PPO = _learner(
    "ppo",
    "proximal policy optimisation",
    PPOConfig,
    "on-policy",
    "arXiv 1707.06347",
    BOTH,
    single=PPOConfig(**CONTROL, repeat=5),
)
NPG = _learner("npg", "natural policy gradient", NPGConfig, "on-policy", "NIPS 14 (2001)", BOTH)
TRPO = _learner("trpo", "trust region policy optimisation", TRPOConfig, "on-policy", "arXiv 1502.05477", BOTH)
DDPG = _learner("ddpg", "deep deterministic policy gradient", DDPGConfig, "off-policy", "arXiv 1509.02971", CONTINUOUS)
TD3 = _learner("td3", "twin delayed DDPG", TD3Config, "off-policy", "arXiv 1802.09477", CONTINUOUS)
SAC = _learner("sac", "soft actor-critic", SACConfig, "off-policy", "arXiv 1812.05905", CONTINUOUS)
DISCRETE_SAC = _learner(
    "discrete-sac", "soft actor-critic, discrete", DiscreteSACConfig, "off-policy", "arXiv 1910.07207"
)
BCQ = _learner("bcq", "batch-constrained Q-learning", BCQConfig, "offline", "arXiv 1812.02900", CONTINUOUS)
DISCRETE_CRR = _learner(
    "discrete-crr", "critic-regularised regression", DiscreteCRRConfig, "offline", "arXiv 2006.15134"
)
ALPHAZERO = _learner(
    "alphazero", "AlphaZero", AlphaZeroConfig, "off-policy", "Science 362 (2018)", GAMES, self_play=True
)
NFSP = _learner(
    "nfsp", "neural fictitious self-play", NFSPConfig, "off-policy", "arXiv 1603.01121", GAMES, self_play=True
)
MMD = _learner("mmd", "magnetic mirror descent", MMDConfig, "on-policy", "arXiv 2206.05825", GAMES, self_play=True)
TD = learner(
    "td",
    "TD(lambda), values of positions after moves",
    Algorithm(
        TDConfig,
        Deferred("agents.algorithms.td:build"),
        "on-policy",
        "CACM 38 (1995)",
        GAMES,
        self_play=True,
        any_payoffs=True,
    ),
)
RANDOM = AgentKind(summary="draws a legal action uniformly", make=Deferred("agents.scripted.uniform:make"))
ONE_PLY = AgentKind(
    summary="wins if it can, blocks if it must, otherwise plays at random",
    make=Deferred("agents.scripted.one_ply:make"),
)
ALPHABETA = AgentKind(
    summary="minimax with alpha-beta pruning and iterative deepening; in chess a search of its own",
    make=Deferred("agents.search.alphabeta:make"),
    argument="DEPTH or TIME[,NAME=VALUE...]",
    parameters=Deferred("agents.search.alphabeta:parameters"),
)
MCTS = AgentKind(
    summary="Monte Carlo tree search with random playouts",
    make=Deferred("agents.search.mcts:make"),
    argument="SIMULATIONS or TIME[,NAME=VALUE...]",
    parameters=Deferred("agents.search.budget:exploration_parameter"),
)
RAVE = AgentKind(
    summary="Monte Carlo tree search that also learns from moves played later, for go and hex",
    make=Deferred("agents.search.mcts:make_rave"),
    argument="SIMULATIONS or TIME",
)
ISMCTS = AgentKind(
    summary="tree search for games with hidden information or simultaneous moves",
    make=Deferred("agents.search.ismcts:make"),
    argument="SIMULATIONS or TIME[,NAME=VALUE...]",
    parameters=Deferred("agents.search.budget:exploration_parameter"),
)
PUCT = AgentKind(
    "tree search guided by a trained network", Deferred("agents.guided.puct:make", ("puct",)), "DIR:N or DIR:TIME"
)
GUMBEL = AgentKind(
    "tree search guided by a network, in few simulations", Deferred("agents.guided.puct:make", ("gumbel",)), "DIR:N"
)
EXPECTIMAX = AgentKind(
    summary="looks turns ahead by a network of positions after moves, for games with dice",
    make=Deferred("agents.guided.expectimax:make"),
    argument="DIR:PLIES",
)
PUBEVAL = AgentKind(
    summary="PubEval, a linear benchmark of backgammon, from the folder of its published weights",
    make=Deferred("agents.guided.pubeval:make"),
    argument="FOLDER",
)
TABULAR = AgentKind(
    summary="plays a strategy solved by 'arena solve'", make=Deferred("agents.solvers.tabular:make"), argument="DIR"
)
BUCKETS = AgentKind(
    summary="plays limit hold'em as solved by 'arena solve', hands of like strength alike",
    make=Deferred("agents.solvers.holdem.strategy:make"),
    argument="DIR",
)
PERFECT = AgentKind(
    summary="plays exactly: connect_four, small tic_tac_toe, pig, endgames of othello and kalah, small poker",
    make=Deferred("agents.perfect.perfect:make"),
)
NOISY = AgentKind("plays as AGENT, but for a share of random moves", Deferred("arena.policy.noisy:make"), "SHARE:AGENT")
SOLVED = AgentKind(
    "plays as AGENT, and exactly what a solver finds within a second", Deferred("agents.perfect.solved:make"), "AGENT"
)
ZOO = AgentKind(
    "trained agent of the zoo; with N or TIME a search guided by it",
    Deferred("arena.policy.zoo.agents:make_zoo"),
    "NAME[:N]",
)
CHAMPION = AgentKind(
    summary="the best that there is for the game, trained, searching or exact",
    make=Deferred("arena.policy.zoo.agents:make_champion"),
)
LEVEL = AgentKind(
    summary="calibrated opponent, from 1, which moves at random, to 10, the champion",
    make=Deferred("arena.policy.zoo.agents:make_level"),
    argument="1-10",
)
CMD = AgentKind(
    summary="any program that exchanges lines of JSON (agents/outside/PROTOCOL.md)",
    make=Deferred("agents.outside.command:make"),
    argument="COMMAND",
    reaches_out=True,
)
UCI = AgentKind(
    summary="a chess engine, as uci:stockfish,nodes=1000",
    make=Deferred("agents.outside.uci:make"),
    argument="COMMAND[,NAME=VALUE...]",
    reaches_out=True,
    parameters=Deferred("agents.outside.uci:parameters"),
)
LLM = AgentKind(
    summary="a language model behind OpenAI's chat completions, as llm:http://localhost:8080,model=NAME",
    make=Deferred("agents.outside.llm.policy:make"),
    argument="URL,model=NAME[,NAME=VALUE...]",
    variables=Deferred("agents.outside.llm.config:variables"),
    reaches_out=True,
)
GTP = AgentKind(
    summary="a program for go, hex, othello or gomoku, as gtp:gnugo --mode gtp",
    make=Deferred("agents.outside.gtp:make"),
    argument="COMMAND",
    reaches_out=True,
)
GNUBG = AgentKind(
    summary="GNU Backgammon, as gnubg:plies=2",
    make=Deferred("agents.outside.gnubg:make"),
    argument="[COMMAND][,plies=N]",
    reaches_out=True,
)
XBOARD = AgentKind(
    summary="a chess engine of XBoard's protocol, as xboard:fairymax",
    make=Deferred("agents.outside.xboard:make"),
    argument="COMMAND",
    reaches_out=True,
)
PISKVORK = AgentKind(
    summary="a gomoku program of Gomocup, as piskvork:./pbrain-rapfi",
    make=Deferred("agents.outside.piskvork:make"),
    argument="COMMAND",
    reaches_out=True,
)
