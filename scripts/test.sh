#!/usr/bin/env bash
# What is checked before a change is called done: style, types, tests, and the package as others install it.
#
#   bash scripts/test.sh                                 all but the tests that are marked slow: some twelve minutes
#   bash scripts/test.sh --all                           those as well, as in CI
#   bash scripts/test.sh --fast [options of pytest]      style, types and the fast tests: about a minute
#   bash scripts/test.sh OPTIONS OF PYTEST               what they choose, slow or not
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset PYTHONDONTWRITEBYTECODE # hundreds of programs are started: none of them is to compile what others have
source scripts/setup_env.sh
setup_env dev

core=(tests/analysis tests/collector tests/data tests/env tests/learning tests/policy tests/processes)
core+=(tests/ratings tests/training tests/trainer)
fast=
tier=(-m "not slow")
if [ "${1:-}" = --fast ]; then
    fast=yes
    shift
elif [ "${1:-}" = --all ]; then
    tier=(-m "")
    shift
fi

# Print the folder of files in memory, where there is one with room: to remove a file takes some disks milliseconds.
roomy_memory() {
    [ -w /dev/shm ] && [ "$(df -k --output=avail /dev/shm | tail -1)" -gt 4000000 ] && echo /dev/shm
}

step() {
    printf '\n== %s\n' "$1"
}

SECONDS=0
step "ruff"
.venv/bin/ruff check
.venv/bin/ruff format --check

if [ -n "$fast" ] || [ $# -gt 0 ]; then
    step "mypy"
    .venv/bin/mypy
fi

cores=$(.venv/bin/python -c 'from arena.base.cores import usable_cores; print(usable_cores())')
scratch=$(mktemp -d "$(roomy_memory || echo "${TMPDIR:-/tmp}")/arena-tests-XXXXXX")
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"' EXIT
run_pytest() { # groups and their order: tests/conftest.py
    .venv/bin/python -m pytest --dist loadgroup --no-loadscope-reorder --basetemp "$scratch/pytest" "$@"
}
check_wheel() { # in an environment with no more than it needs
    local work=$scratch/wheel
    mkdir "$work"
    .venv/bin/python -m build --outdir "$work/dist" .
    .venv/bin/python -m venv --without-pip "$work/venv"
    .venv/bin/python -m pip --python "$work/venv/bin/python" install --quiet --no-deps "$work"/dist/*.whl
    .venv/bin/python -m tests.link_dependencies arena-marl \
        "$("$work/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
    cd "$work"
    export ARENA_CACHE=$work/cache
    venv/bin/python -c 'import agents, arena, games; assert all("site-packages" in p.__file__ for p in (agents, arena, games))'
    venv/bin/arena --help
    venv/bin/arena games
    venv/bin/python -m arena agents
    venv/bin/arena tournament tic_tac_toe random one-ply --games 20 --out results
    test -s results/ratings.csv
    ls dist/*.whl
}
check_site() {
    .venv/bin/python scripts/build_docs.py --out "$scratch/docs"
    if [ "${CI:-}" = true ] || command -v chromium-headless-shell chromium chromium-browser google-chrome >/dev/null; then
        .venv/bin/python -m tests.open_site "$scratch/docs/html"
    fi
}
begin() { # a check that runs beside others: wheel or site
    "check_$1" >"$scratch/$1.log" 2>&1 &
    echo "$!" >"$scratch/$1.pid"
}
finish() {
    wait "$(cat "$scratch/$1.pid")" || { cat "$scratch/$1.log"; exit 1; }
    tail -1 "$scratch/$1.log"
}

if [ -n "$fast" ]; then
    step "pytest"
    run_pytest --fast --numprocesses "$cores" tests "$@"
    printf '\nFast checks passed in %s s.\n' "$SECONDS"
    exit
fi
# More than there are cores: what is tested waits for programs, clocks and terminals, a third of its time without games.
if [ $# -gt 0 ]; then
    step "pytest"
    run_pytest --numprocesses "$((cores + 1))" "$@"
    begin wheel
    begin site
else # in parts, since what a worker has compiled stays in its memory; all of them, whatever the first one finds
    step "mypy, the wheel, and games and tests, compiled once for all workers"
    .venv/bin/mypy & # side by side, so that no core waits for another
    types=$!
    .venv/bin/python -m pytest --collect-only -qq tests >"$scratch/collected" &
    collected=$!
    begin wheel
    .venv/bin/python -m tests.compile_games "$cores"
    wait "$types"
    wait "$collected" || { tail -50 "$scratch/collected"; exit 1; }
    step "pytest"
    failed=
    run_pytest --numprocesses "$((cores + 1))" "${tier[@]}" tests/games games || failed=yes
    run_pytest --numprocesses "$((cores + 1))" "${tier[@]}" tests/agents agents || failed=yes
    run_pytest --numprocesses "$((cores + 2))" "${tier[@]}" "${core[@]}" arena || failed=yes
    begin site # beside tests that wait most
    run_pytest --numprocesses "$((cores + 2))" "${tier[@]}" tests "${core[@]/#/--ignore=}" \
        --ignore=tests/games --ignore=tests/agents || failed=yes
    [ -z "$failed" ]
fi

step "the wheel, in an empty environment, and the site of the documentation, made beside them"
finish wheel
finish site

printf '\nAll checks passed in %s s.\n' "$SECONDS"
