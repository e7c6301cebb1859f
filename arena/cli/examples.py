"""Examples for the help of every command: a command line and its description."""

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "games": (
        ("arena games", "the games in a table"),
        ("arena games --json", "the same for a program"),
    ),
    "agents": (
        ("arena agents", "the agents in a table"),
        ("arena agents --game othello", "the champion of a game and its ten levels, with their Elo"),
        ("arena agents --json", "the same for a program"),
    ),
    "zoo": (
        ("arena zoo", "the champions of all games"),
        ("arena zoo verify othello", "play the games of its main figure again"),
        ("arena zoo train othello --out runs/othello-again", "train it again by its own recipe"),
        ("arena zoo add runs/connect_four-ppo --name mine", "your own beside them: arena play connect_four zoo:mine"),
        ("arena zoo get https://HOST/zoo/othello --name theirs", "somebody else's"),
    ),
    "train": (
        ("arena train connect_four ppo", "self-play in a league; the agent is saved in runs/"),
        ("arena train connect_four ppo --league full --steps 5000000", "with exploiters, as in AlphaStar"),
        ("arena train tic_tac_toe:m=6,n=6,k=4 dqn --steps 300000 --ui", "another game and algorithm, on a screen"),
        (
            "arena train connect_four alphazero --workers 8",
            "with eight worker processes; ray://HOST:10001: on a cluster",
        ),
        ("arena train connect_four ppo --store arena.db --share snapshots", "in a league shared with other trainers"),
        ("arena train runs/connect_four-ppo --resume", "resume a training; with more --steps, train longer"),
        ("arena train gym:CartPole-v1 dqn", "in a Gymnasium environment"),
        ("arena train connect_four discrete-cql --data c4.hdf5", "offline, from a file of 'arena collect'"),
    ),
    "sweep": (
        (
            "arena sweep connect_four ppo --steps 100000 --search learning_rate=1e-4..1e-2:log",
            "20 trainings of 100,000 steps, by their score against the agents of the evaluation",
        ),
        (
            "arena sweep leduc_poker mmd --search 'hidden=64|128' --objective exploitability --parallel 8",
            "by how little a best opponent wins, eight trainings at a time",
        ),
        ("arena sweep gym:CartPole-v1 dqn --search 'discount_factor=0.9|0.99' --trials 8", "in Gymnasium"),
    ),
    "league": (
        ("arena league runs/connect_four-ppo", "ladder, payoffs, lineage and next opponents"),
        ("arena league runs/connect_four-ppo --ui", "on a screen; pick two players and watch them"),
        ("arena league runs/connect_four-ppo --png pictures", "with pictures of payoffs and ratings"),
    ),
    "runs": (
        ("arena runs", "the trainings in runs/"),
        ("arena runs connect_four-ppo", "follow one on a screen; it goes on when you leave"),
        ("arena runs connect_four-ppo --control", "the same, with keys to pause, stop and keep snapshots"),
    ),
    "collect": (
        ("arena collect connect_four alphabeta:2 --out c4.hdf5 --random 0.3", "games with some random moves"),
        ("arena collect gym:CartPole-v1 dqn:runs/gym-CartPole-v1-dqn --out cartpole.hdf5", "episodes of an agent"),
    ),
    "export": (
        ("arena export ppo:runs/connect_four-ppo --out connect-four.onnx", "the last snapshot of a training"),
        ("arena export ppo:runs/connect_four-ppo/snapshot-0003 --out third.onnx", "an earlier one"),
    ),
    "tournament": (
        ("arena tournament connect_four random one-ply alphabeta:4", "all against all, with Elo and its intervals"),
        ("arena tournament tic_tac_toe:m=6,n=6,k=4 random alphabeta:2 --games 100", "more games, another board"),
        (
            "arena tournament connect_four new=ppo:runs/c4 old=ppo:runs/c4/snapshot-0001 --format sprt --elo1 20",
            "test whether one is better than the other; stops when it is decided",
        ),
        (
            "arena tournament connect_four --agents agents.toml --new-only",
            "agents from a file; only pairs that have not met often enough",
        ),
        (
            "arena tournament chess uci:stockfish my-bot=cmd:./my-bot --time-per-move 1s --memory 2GB",
            "external programs, with limits of time and memory",
        ),
        (
            "arena tournament chess alphabeta uci:stockfish --clock 10+0.1 --resign movecount=3,score=600",
            "games end when both players see them lost for one",
        ),
    ),
    "tune": (
        (
            "arena tune connect_four mcts:200 --parameter exploration=0.2..3",
            "the weight of exploration, by 3,200 games",
        ),
        ("arena tune chess alphabeta:4", "a list of what can be tuned"),
        (
            "arena tune chess alphabeta:4 --parameter tempo=0..50 --parameter doubled=-40..0:step=3 --workers 8",
            "two weights of the evaluation at once, in eight processes",
        ),
        (
            "arena tune chess 'uci:stockfish,nodes=2000' --parameter 'Contempt=-100..100:start=0'",
            "an option of an engine that has it",
        ),
    ),
    "rate": (
        ("arena rate runs/arena.db --game chess --since 2026-05-01", "the games of a store since a date"),
        ("arena rate games.pgn --anchor Stockfish", "Elo from a PGN file, with one player at 0"),
        ("arena rate games.csv --out ratings", "from a CSV file, with the results in a folder"),
    ),
    "matches": (
        ("arena matches --player alphabeta:4 --result loss", "the games that a player lost"),
        ("arena matches --game connect_four --min-length 40 --json", "long games, for a program"),
        ("arena matches --ui", "browse any number of them on a screen, and replay them"),
        ("arena matches --player mcts:400 --out games.jsonl", "write them to a file"),
        ("arena matches --import games.jsonl --store other.db", "read them into another store"),
    ),
    "match": (
        ("arena match 17", "the moves and the end of a stored match"),
        ("arena match 17 --json", "the same for a program"),
    ),
    "replay": (
        ("arena replay 17", "step through a stored match"),
        ("arena replay 17 --agent mcts:1000", "with an agent's analysis of each position"),
        ("arena replay 17 --out game.gif", "write it as an animated GIF"),
        ("arena replay http://127.0.0.1:8080/matches/12", "a match of a ladder server"),
    ),
    "ladder": (
        ("arena ladder connect_four", "the players of a game by their rating"),
        ("arena ladder connect_four --limit 100 --json", "more of them, for a program"),
        ("arena ladder go --store postgresql://ada@db.example.org/arena", "from a database server"),
        ("arena ladder http://127.0.0.1:8080", "the ladders of a server"),
    ),
    "play": (
        ("arena play connect_four alphabeta:4", "you move first"),
        (
            "arena play chess alphabeta --seat 2 --clock 10m+5s",
            "you move second, with ten minutes and 5 s a move",
        ),
        ("arena play hex:size=7 human", "two people at one keyboard"),
        ("arena play leduc_poker ismcts:1000 --open", "with the agent's estimates shown during the game"),
    ),
    "watch": (
        ("arena watch connect_four alphabeta:4 one-ply", "a series of ten games"),
        ("arena watch tic_tac_toe:m=6,n=6,k=4 random alphabeta:2 --speed 4", "four moves a second"),
        ("arena watch othello mcts:100 mcts:400 --boards 4", "four games at once"),
        ("arena watch gym:CartPole-v1 dqn:runs/gym-CartPole-v1-dqn", "an agent in a Gymnasium environment"),
        ("arena watch http://127.0.0.1:8080/ladders/chess", "the games of a ladder server as they come in"),
        ("arena watch http://127.0.0.1:8080/live/3", "a game that two people play there"),
    ),
    "serve": (
        ("arena serve", "the home screen at http://127.0.0.1:8000"),
        ('arena serve "watch hex level:5 level:7" --read-only', "to be looked at, and not touched"),
        ('arena serve "play connect_four mcts:400 --seat 2" --port 9000', "one game against one agent"),
    ),
    "server": (
        ("arena server --demo", "two ladders whose bots play each other; http://127.0.0.1:8080"),
        ("arena server ladder new connect_four --clock move=1s", "a ladder of your own"),
        ("arena server invite --role submitter --uses 30", "an invitation for a course"),
        ("arena server key bob --role worker", "an account for somebody's machine, and its key"),
        ("arena server backup copy.tar", "a copy, while the server runs"),
    ),
    "submit": (
        ("arena submit http://127.0.0.1:8080 mcts:400 --ladder connect-four --name mine", "an agent by its spec"),
        ("arena submit http://127.0.0.1:8080 mybot/ --ladder connect-four --name mine", "a folder with bot.toml"),
    ),
    "worker": (
        ("ARENA_KEY=... arena worker http://127.0.0.1:8080", "play its games here until Ctrl-C"),
        (
            "ARENA_KEY=... arena worker http://127.0.0.1:8080 --workers 4",
            "four jobs at a time, in processes of their own",
        ),
        ("ARENA_KEY=... arena worker http://127.0.0.1:8080 --sandbox", "programs as well, in a sandbox"),
    ),
    "uci": (
        ("arena uci alphabeta", "the engine command to enter in a chess program; it manages its time"),
        ("arena uci puct:runs/chess-alphazero:400", "a trained agent"),
    ),
    "piskvork": (
        ("arena piskvork mcts", "the command of a brain, for Piskvork and other managers"),
        ("arena piskvork alphabeta:4 --seed 7", "one that looks four moves ahead"),
    ),
    "gnubg": (
        ("arena gnubg zoo:backgammon", "then in GNU Backgammon: set player 0 external localhost:2564"),
        ("arena gnubg mcts:1000 --game backgammon:scoring=full --port 9000", "for points, on another port"),
    ),
    "gtp": (
        ("arena gtp mcts --game go:size=9", "the engine command to enter in a go program; it manages its time"),
        ("arena gtp ppo:runs/go9 --game go:size=9", "a trained agent"),
        ("arena gtp mcts:5s --game hex", "for HexGui, with the words of MoHex"),
    ),
    "mcp": (
        ("arena mcp", "the command to enter in an assistant that speaks the Model Context Protocol"),
        ("arena mcp --seed 5", "with other games and agents' choices"),
    ),
    "solve": (
        ("arena solve kuhn_poker", "CFR+, saved in runs/kuhn_poker-cfr+"),
        ("arena solve leduc_poker dcfr --iterations 100000 --until 1e-6", "until the exploitability is 1e-6"),
        ("arena solve runs/leduc_poker-dcfr --resume --iterations 200000", "resume a run, and make it longer"),
    ),
    "exploitability": (
        ("arena exploitability kuhn_poker random", "of the agent that plays at random"),
        ("arena exploitability leduc_poker tabular:runs/leduc_poker-cfr+", "of the strategy of 'arena solve'"),
        ("arena exploitability leduc_poker ppo:runs/leduc --json", "of a trained network, for a program"),
        ("arena exploitability tic_tac_toe mcts:1000 --chosen", "of the moves that a search chooses"),
    ),
    "exploit": (
        ("arena exploit ppo:runs/connect_four-ppo --budget 10m", "train against a trained agent for ten minutes"),
        ("arena exploit mcts:100 --game tic_tac_toe --steps 300000 --openings 2", "against a search"),
        ("arena exploit ppo:runs/leduc --begin-as agent --json", "start with the agent's own weights"),
    ),
    "analyse": (
        ("arena analyse connect_four puct:runs/c4:100 mcts:1000 --against perfect", "judged by the solver"),
        ("arena analyse hex:size=5 mcts:1000 --against alphabeta:8 --plot hex.png", "judged by a deeper search"),
    ),
    "sandbox": (
        ("arena sandbox check", "what is contained, attempt by attempt"),
        ("arena sandbox check --json", "the same for a script"),
    ),
    "check-game": (
        ("arena check-game kuhn_poker:players=3", "ten random games, a line a check"),
        ("arena check-game nine_mens_morris --games 1000", "a game of one's own, more thoroughly"),
    ),
    "new-game": (
        ("arena new-game nine_mens_morris", "the folder nine_mens_morris with the game, its test and pyproject.toml"),
        ("arena new-game nine_mens_morris --folder src", "the same in the folder src"),
    ),
    "new-agent": (
        ("arena new-agent my_reinforce", "the folder my_reinforce with the agent, its test and pyproject.toml"),
        ("arena new-agent my_reinforce --folder src", "the same in the folder src"),
    ),
    "docs": (
        ("arena docs", "the first page"),
        ("arena docs tournament", "the page of a command"),
        ("arena docs hex --address", "the address of a game's page, without opening it"),
    ),
    "completion": (
        ("arena completion bash > ~/.local/share/bash-completion/completions/arena", "bash, permanently"),
        ("arena completion zsh > ~/.zfunc/_arena", "zsh; ~/.zfunc must be in fpath"),
        ("arena completion fish > ~/.config/fish/completions/arena.fish", "fish"),
        ('eval "$(arena completion bash)"', "bash, in the current shell only"),
    ),
}


def epilog(command: str) -> str:
    """Return the examples of a command as they are printed below its help; empty if it has none."""
    examples = EXAMPLES.get(command, ())
    return "".join(["\nexamples:\n", *(f"  {line}\n      {what}\n" for line, what in examples)]) if examples else ""
