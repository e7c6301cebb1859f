"""Examples of every command, for its help: a command line, and what it does."""

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "games": (
        ("arena games", "the games in a table"),
        ("arena games --json", "the same for a program"),
    ),
    "agents": (
        ("arena agents", "who can play, and what can be trained"),
        ("arena agents --json", "the same for a program"),
    ),
    "train": (
        ("arena train connect_four ppo", "self-play in a league; what is learned goes to runs/"),
        ("arena train connect_four ppo --league full --steps 5000000", "with exploiters, as AlphaStar's"),
        ("arena train tic_tac_toe:m=6,n=6,k=4 dqn --steps 300000 --ui", "another game and algorithm, on a screen"),
        ("arena train connect_four alphazero --workers 8", "games by eight processes; ray://HOST:10001: by a cluster"),
        ("arena train connect_four ppo --store arena.db --share snapshots", "in one league with others who say so"),
        ("arena train connect_four ppo --out runs/mine --resume", "go on where it was stopped, or killed"),
        ("arena train gym:CartPole-v1 dqn", "an environment of Gymnasium"),
        ("arena train connect_four discrete-cql --data c4.hdf5", "offline, from what 'arena collect' wrote"),
    ),
    "league": (
        ("arena league runs/connect_four-ppo", "ladder, payoffs, lineage and next opponents"),
        ("arena league runs/connect_four-ppo --ui", "on a screen that follows a training; pick two and watch them"),
        ("arena league runs/connect_four-ppo --png pictures", "with pictures of payoffs and ratings"),
    ),
    "runs": (
        ("arena runs", "the trainings below runs/"),
        ("arena runs connect_four-ppo", "follow one on a screen; it goes on when you leave"),
        ("arena runs connect_four-ppo --control", "and pause, stop and keep snapshots"),
    ),
    "collect": (
        ("arena collect connect_four alphabeta:2 --out c4.hdf5 --random 0.3", "games with some random moves"),
        ("arena collect gym:CartPole-v1 dqn:runs/gym-CartPole-v1-dqn --out cartpole.hdf5", "episodes of an agent"),
    ),
    "export": (
        ("arena export ppo:runs/connect_four-ppo connect-four.onnx", "the last snapshot of a training"),
        ("arena export ppo:runs/connect_four-ppo/snapshot-0003 third.onnx", "an earlier one"),
    ),
    "tournament": (
        ("arena tournament connect_four random one-ply alphabeta:4", "each against each, and Elo with intervals"),
        ("arena tournament tic_tac_toe:m=6,n=6,k=4 random alphabeta:2 --games 100", "more games, another board"),
        (
            "arena tournament connect_four new=ppo:runs/c4 old=ppo:runs/c4/snapshot-0001 --format sprt --elo1 20",
            "is one better than the other? stops as soon as it knows",
        ),
        (
            "arena tournament chess uci:stockfish my-bot=cmd:./my-bot --time-per-move 1s --memory 2GB",
            "programs, on a clock and with a limit of memory",
        ),
    ),
    "rate": (
        ("arena rate games.pgn --anchor Stockfish", "Elo from a PGN file, with one player at 0"),
        ("arena rate games.csv --out ratings", "from a table, with the results in a folder"),
    ),
    "matches": (
        ("arena matches --player alphabeta:4 --result loss", "the games that somebody lost"),
        ("arena matches --game connect_four --min-length 40 --json", "long games, for a program"),
        ("arena matches --ui", "browse any number of them on a screen, and replay them"),
        ("arena matches --player mcts:400 --export games.jsonl", "write them to a file"),
        ("arena matches --import games.jsonl --store elsewhere.db", "and read them into another store"),
    ),
    "match": (
        ("arena match 17", "the moves and the end of a stored match"),
        ("arena match 17 --json", "the same for a program"),
    ),
    "replay": (
        ("arena replay 17", "step through a stored match"),
        ("arena replay 17 --agent mcts:1000", "with what an agent thinks of each position"),
        ("arena replay 17 --export game.gif", "write it as an animated picture"),
    ),
    "ladder": (
        ("arena ladder connect_four", "the players of a game by their rating"),
        ("arena ladder connect_four --limit 100 --json", "more of them, for a program"),
        ("arena ladder go --store postgresql://ada@db.example.org/arena", "from a database server"),
    ),
    "play": (
        ("arena play connect_four alphabeta:4", "you begin"),
        ("arena play chess mcts:1s --seat 2 --time 10m", "you are second, ten minutes each"),
        ("arena play hex:size=7 human", "two people at one keyboard"),
        ("arena play leduc_poker ismcts:1000 --open", "see what it thinks while you play"),
    ),
    "watch": (
        ("arena watch connect_four alphabeta:4 one-ply", "a series of ten games"),
        ("arena watch tic_tac_toe:m=6,n=6,k=4 random alphabeta:2 --speed 4", "four moves a second"),
        ("arena watch othello mcts:100 mcts:400 --boards 4", "four games at once"),
    ),
    "serve": (
        ("arena serve", "the home screen, on http://127.0.0.1:8000"),
        ('arena serve "play connect_four mcts:400 --seat 2" --port 9000', "one game against one agent"),
    ),
    "uci": (
        ("arena uci alphabeta:3", "the engine's command in a chess program"),
        ("arena uci puct:runs/chess-alphazero:400", "a trained agent"),
    ),
    "gtp": (
        ("arena gtp mcts:1000 --game go:size=9", "the program's command in a go board"),
        ("arena gtp ppo:runs/go9 --game go:size=9", "a trained agent"),
    ),
    "solve": (
        ("arena solve kuhn_poker", "CFR+, to runs/kuhn_poker-cfr+"),
        ("arena solve leduc_poker dcfr --iterations 100000 --until 1e-6", "until it is as close as that"),
        ("arena solve liars_dice:dice=1 cfr+ --out runs/dice --iterations 2000 --resume", "go on with it"),
    ),
    "exploitability": (
        ("arena exploitability kuhn_poker random", "of an agent that chooses blindly"),
        ("arena exploitability leduc_poker tabular:runs/leduc_poker-cfr+", "of a solved game"),
        ("arena exploitability leduc_poker ppo:runs/leduc --json", "of a trained network, for a program"),
        ("arena exploitability tic_tac_toe mcts:1000 --chosen", "of the moves that a search chooses"),
    ),
    "exploit": (
        ("arena exploit ppo:runs/connect_four-ppo --budget 10m", "train against it for ten minutes"),
        ("arena exploit mcts:100 --game tic_tac_toe --steps 300000 --openings 2", "against a search"),
        ("arena exploit ppo:runs/leduc --begin-as agent --json", "begin with what it knows itself"),
    ),
    "analyse": (
        ("arena analyse connect_four puct:runs/c4:100 mcts:1000 --against perfect", "against the solver"),
        ("arena analyse hex:size=5 mcts:1000 --against alphabeta:8 --plot hex.png", "against a deeper search"),
    ),
    "new-game": (
        ("arena new-game nine_mens_morris", "nine_mens_morris.py and its test, here"),
        ("arena new-game nine_mens_morris --folder src", "or there"),
    ),
    "new-agent": (
        ("arena new-agent my_reinforce", "my_reinforce.py and its test, here"),
        ("arena new-agent my_reinforce --folder src", "or there"),
    ),
    "completion": (
        ("arena completion bash > ~/.local/share/bash-completion/completions/arena", "bash, for good"),
        ("arena completion zsh > ~/.zfunc/_arena", "zsh; ~/.zfunc has to be in fpath"),
        ("arena completion fish > ~/.config/fish/completions/arena.fish", "fish"),
        ('eval "$(arena completion bash)"', "bash, in this shell alone"),
    ),
}


def epilog(command: str) -> str:
    """The examples of a command, as they stand below its help; empty if it has none."""
    given = EXAMPLES.get(command, ())
    return "".join(["\nexamples:\n", *(f"  {line}\n      {what}\n" for line, what in given)]) if given else ""
