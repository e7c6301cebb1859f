"""All agents of this distribution as they are registered: facts about them, imported without what they describe."""

from agents.configs.actors import (
    BCQConfig,
    DDPGConfig,
    DiscreteCRRConfig,
    DiscreteSACConfig,
    ImitationConfig,
    SACConfig,
    TD3Config,
)
from agents.configs.on_policy import A2CConfig, MMDConfig, NPGConfig, PGConfig, PPOConfig, PSRLConfig, TRPOConfig
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

DQN = learner(
    "dqn",
    "deep Q-network",
    Algorithm(
        DQNConfig,
        Deferred("agents.algorithms.dqn:build"),
        "off-policy",
        "Nature 518 (2015)",
        single=DQNConfig(**STEADY),
    ),
)
C51 = learner(
    "c51",
    "categorical deep Q-network",
    Algorithm(
        C51Config,
        Deferred("agents.algorithms.c51:build"),
        "off-policy",
        "arXiv 1707.06887",
        single=C51Config(**SINGLE, v_min=0.0, v_max=100.0),
    ),
)
RAINBOW = learner(
    "rainbow",
    "Rainbow",
    Algorithm(
        RainbowConfig,
        Deferred("agents.algorithms.rainbow:build"),
        "off-policy",
        "arXiv 1710.02298",
        single=RainbowConfig(**SINGLE, v_min=0.0, v_max=100.0),
    ),
)
QRDQN = learner(
    "qrdqn",
    "quantile regression DQN",
    Algorithm(
        QRDQNConfig,
        Deferred("agents.algorithms.qrdqn:build"),
        "off-policy",
        "arXiv 1710.10044",
        single=QRDQNConfig(**SINGLE),
    ),
)
IQN = learner(
    "iqn",
    "implicit quantile network",
    Algorithm(
        IQNConfig, Deferred("agents.algorithms.iqn:build"), "off-policy", "arXiv 1806.06923", single=IQNConfig(**SLOWER)
    ),
)
FQF = learner(
    "fqf",
    "fully parameterised quantile function",
    Algorithm(
        FQFConfig,
        Deferred("agents.algorithms.fqf:build"),
        "off-policy",
        "arXiv 1911.02140",
        single=FQFConfig(**SLOWER, num_fractions=8),
    ),
)
DISCRETE_BCQ = learner(
    "discrete-bcq",
    "batch-constrained Q-learning",
    Algorithm(DiscreteBCQConfig, Deferred("agents.algorithms.discrete_bcq:build"), "offline", "arXiv 1910.01708"),
)
DISCRETE_CQL = learner(
    "discrete-cql",
    "conservative Q-learning",
    Algorithm(DiscreteCQLConfig, Deferred("agents.algorithms.discrete_cql:build"), "offline", "arXiv 2006.04779"),
)
IMITATION = learner(
    "imitation",
    "behaviour cloning",
    Algorithm(
        ImitationConfig,
        Deferred("agents.algorithms.imitation:build"),
        "offline",
        "Neural Computation 3 (1991)",
        ("discrete", "continuous"),
    ),
)
PSRL = learner(
    "psrl",
    "posterior sampling",
    Algorithm(PSRLConfig, Deferred("agents.algorithms.psrl:build"), "on-policy", "ICML 2000, 943-950"),
)
PG = learner(
    "pg",
    "REINFORCE, the policy gradient",
    Algorithm(
        PGConfig,
        Deferred("agents.algorithms.pg:build"),
        "on-policy",
        "Machine Learning 8 (1992)",
        ("discrete", "continuous"),
    ),
)
A2C = learner(
    "a2c",
    "advantage actor-critic",
    Algorithm(
        A2CConfig, Deferred("agents.algorithms.a2c:build"), "on-policy", "arXiv 1602.01783", ("discrete", "continuous")
    ),
)
PPO = learner(
    "ppo",
    "proximal policy optimisation",
    Algorithm(
        PPOConfig, Deferred("agents.algorithms.ppo:build"), "on-policy", "arXiv 1707.06347", ("discrete", "continuous")
    ),
)
NPG = learner(
    "npg",
    "natural policy gradient",
    Algorithm(
        NPGConfig, Deferred("agents.algorithms.npg:build"), "on-policy", "NIPS 14 (2001)", ("discrete", "continuous")
    ),
)
TRPO = learner(
    "trpo",
    "trust region policy optimisation",
    Algorithm(
        TRPOConfig,
        Deferred("agents.algorithms.trpo:build"),
        "on-policy",
        "arXiv 1502.05477",
        ("discrete", "continuous"),
    ),
)
DDPG = learner(
    "ddpg",
    "deep deterministic policy gradient",
    Algorithm(DDPGConfig, Deferred("agents.algorithms.ddpg:build"), "off-policy", "arXiv 1509.02971", ("continuous",)),
)
TD3 = learner(
    "td3",
    "twin delayed DDPG",
    Algorithm(TD3Config, Deferred("agents.algorithms.td3:build"), "off-policy", "arXiv 1802.09477", ("continuous",)),
)
SAC = learner(
    "sac",
    "soft actor-critic",
    Algorithm(SACConfig, Deferred("agents.algorithms.sac:build"), "off-policy", "arXiv 1812.05905", ("continuous",)),
)
DISCRETE_SAC = learner(
    "discrete-sac",
    "soft actor-critic, discrete",
    Algorithm(DiscreteSACConfig, Deferred("agents.algorithms.discrete_sac:build"), "off-policy", "arXiv 1910.07207"),
)
BCQ = learner(
    "bcq",
    "batch-constrained Q-learning",
    Algorithm(BCQConfig, Deferred("agents.algorithms.bcq:build"), "offline", "arXiv 1812.02900", ("continuous",)),
)
DISCRETE_CRR = learner(
    "discrete-crr",
    "critic-regularised regression",
    Algorithm(DiscreteCRRConfig, Deferred("agents.algorithms.discrete_crr:build"), "offline", "arXiv 2006.15134"),
)
ALPHAZERO = learner(
    "alphazero",
    "AlphaZero",
    Algorithm(
        AlphaZeroConfig,
        Deferred("agents.algorithms.alphazero:build"),
        "off-policy",
        "Science 362 (2018)",
        ("games",),
        self_play=True,
    ),
)
NFSP = learner(
    "nfsp",
    "neural fictitious self-play",
    Algorithm(
        NFSPConfig,
        Deferred("agents.algorithms.nfsp:build"),
        "off-policy",
        "arXiv 1603.01121",
        ("games",),
        self_play=True,
    ),
)
MMD = learner(
    "mmd",
    "magnetic mirror descent",
    Algorithm(
        MMDConfig, Deferred("agents.algorithms.mmd:build"), "on-policy", "arXiv 2206.05825", ("games",), self_play=True
    ),
)
RANDOM = AgentKind(summary="draws a legal action uniformly", make=Deferred("agents.scripted.uniform:make"))
ONE_PLY = AgentKind(
    summary="wins if it can, blocks if it must, otherwise plays at random",
    make=Deferred("agents.scripted.one_ply:make"),
)
ALPHABETA = AgentKind(
    summary="minimax with alpha-beta pruning and iterative deepening",
    make=Deferred("agents.search.alphabeta:make"),
    argument="DEPTH or TIME",
)
MCTS = AgentKind(
    summary="Monte Carlo tree search with random playouts",
    make=Deferred("agents.search.mcts:make"),
    argument="SIMULATIONS or TIME",
)
ISMCTS = AgentKind(
    summary="tree search for games with hidden information or simultaneous moves",
    make=Deferred("agents.search.ismcts:make"),
    argument="SIMULATIONS or TIME",
)
PUCT = AgentKind(
    "tree search guided by a trained network", Deferred("agents.guided.puct:make", ("puct",)), "DIR:N or DIR:TIME"
)
GUMBEL = AgentKind(
    "tree search guided by a network, in few simulations", Deferred("agents.guided.puct:make", ("gumbel",)), "DIR:N"
)
TABULAR = AgentKind(
    summary="plays a strategy solved by 'arena solve'", make=Deferred("agents.solvers.tabular:make"), argument="DIR"
)
PERFECT = AgentKind(
    summary="plays exactly: connect_four, small tic_tac_toe, endgames of othello, small poker",
    make=Deferred("agents.perfect.perfect:make"),
)
CMD = AgentKind(
    summary="any program that exchanges lines of JSON (agents/outside/PROTOCOL.md)",
    make=Deferred("agents.outside.command:make"),
    argument="COMMAND",
)
UCI = AgentKind(
    summary="a chess engine, as uci:stockfish,nodes=1000",
    make=Deferred("agents.outside.uci:make"),
    argument="COMMAND[,NAME=VALUE...]",
)
GTP = AgentKind(
    summary="a go program, as gtp:gnugo --mode gtp", make=Deferred("agents.outside.gtp:make"), argument="COMMAND"
)
