#!/usr/bin/env bash
# From a fresh clone to an agent that was trained here and ranked here: about five minutes, of which two are training.
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
# Half of its games against itself, a fifth against its own past, the rest against two fixed players.
"$arena" train connect_four ppo --out "$run" ${resume[@]+"${resume[@]}"} --steps 2500000 \
    --self-play 0.5 --pool 0.2 --references random one-ply --evaluation-games 400 "$@"

# Against its own past: the agent as it was after one third and after two thirds of its training.
snapshots=("$run"/snapshot-*)
count=${#snapshots[@]}
earlier=()
for index in $((count / 3 - 1)) $((2 * count / 3 - 1)); do
    if [ "$index" -ge 0 ] && [ "$index" -lt $((count - 1)) ]; then
        earlier+=("ppo:${snapshots[$index]}")
    fi
done

results=runs/quickstart-tournament
number=1
while [ -e "$results" ]; do # nothing is overwritten
    number=$((number + 1))
    results=runs/quickstart-tournament-$number
done
"$arena" tournament connect_four "ppo:$run" ${earlier[@]+"${earlier[@]}"} random one-ply alphabeta:4 \
    --games 400 --out "$results"

echo
echo "Watch it:  $arena watch connect_four ppo:$run alphabeta:4"
echo "Play it:   $arena play connect_four ppo:$run"
