#!/usr/bin/env bash
# Everything that is checked before a change is called done: style, types, tests, and the package as others install it.
#
#   bash scripts/test.sh [options of pytest]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup_env.sh
setup_env dev

step() {
    printf '\n== %s\n' "$1"
}

step "ruff"
.venv/bin/ruff check
.venv/bin/ruff format --check

step "mypy"
.venv/bin/mypy

step "pytest"
# One more than there are cores: what is tested waits for programs, clocks and terminals a third of its time.
cores=$(.venv/bin/python -c 'from arena.cores import usable_cores; print(usable_cores())')
.venv/bin/python -m pytest --numprocesses "$((cores + 1))" --dist loadfile "$@"

step "the wheel, in an empty environment"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
.venv/bin/python -m build --outdir "$work/dist" . >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$(find_python)" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --constraint scripts/constraints.txt "$work"/dist/*.whl
cd "$work"
export ARENA_CACHE=$work/cache
venv/bin/python -c 'import agents, arena, games; assert all("site-packages" in p.__file__ for p in (agents, arena, games))'
venv/bin/arena --help
venv/bin/arena games
venv/bin/python -m arena agents
venv/bin/arena tournament tic_tac_toe random one-ply --games 20 --out results
test -s results/ratings.csv

printf '\nAll checks passed.\n'
