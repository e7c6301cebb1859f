#!/usr/bin/env bash
# From a fresh clone to an agent that was trained here and ranked here: about six minutes, of which three are training.
#
#   bash scripts/quickstart.sh [options of 'arena train']
#
# Run again, it goes on with a training that was interrupted, or on to another tournament with one that is finished.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup_env.sh
setup_env

arena=.venv/bin/arena
run=runs/quickstart
resume=()
if [ -f "$run/run.json" ]; then
    resume=(--resume)
fi
# By AlphaZero: tree searches guided by a network, which learns from them while the workers play on (--ahead); games
# begin after 0 to 12 random moves.
"$arena" train connect_four alphazero --out "$run" ${resume[@]+"${resume[@]}"} --steps 600000 --snapshots 6 \
    --openings 12 --simulations 64 --quick-simulations 16 --evaluation random one-ply alphabeta:4 \
    --workers 2 --ahead "$@"
# Its network with a search of 800 simulations a move; alphazero:$run makes 100.
agent=puct:$run:800

# Against its own past: the agent as it was after one third and after two thirds of its training.
snapshots=("$run"/snapshot-*)
count=${#snapshots[@]}
earlier=()
for index in $((count / 3 - 1)) $((2 * count / 3 - 1)); do
    if [ "$index" -ge 0 ] && [ "$index" -lt $((count - 1)) ]; then
        earlier+=("alphazero:${snapshots[$index]}")
    fi
done

results=runs/quickstart-tournament
number=1
while [ -e "$results" ]; do # nothing is overwritten
    number=$((number + 1))
    results=runs/quickstart-tournament-$number
done
"$arena" tournament connect_four "$agent" ${earlier[@]+"${earlier[@]}"} random one-ply alphabeta:4 mcts:1000 \
    --games 200 --workers 2 --out "$results"

echo
echo "Watch it:  $arena watch connect_four $agent alphabeta:4"
echo "Play it:   $arena play connect_four $agent"
