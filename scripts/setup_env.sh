# shellcheck shell=bash
# Sourced by quickstart.sh and test.sh, in the root of the checkout: makes .venv and installs the project into it, once.

# Print the first Python on the PATH that will do.
find_python() {
    local name
    for name in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if "$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    echo "Python 3.11 to 3.14 is needed, and the PATH has none (looked for python3, python3.11 ... python3.14)." >&2
    return 1
}

# setup_env [EXTRA]: installs the project, with the tools of that extra. Where nothing has changed since the last time
# (a stamp in .venv says so), it does nothing.
setup_env() {
    local extra=${1:-} python
    local stamp=.venv/installed-${extra:-base}
    local inputs
    inputs=$(cat pyproject.toml scripts/constraints.txt; pwd)
    if .venv/bin/python -c '' 2>/dev/null && [ "$(cat "$stamp" 2>/dev/null)" = "$inputs" ]; then
        return
    fi
    if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
        python=$(find_python) || return 1
        echo "Making .venv with $("$python" --version)."
        if ! "$python" -m venv .venv; then
            echo "$python cannot make a virtual environment (on Debian and Ubuntu: apt install python3-venv)." >&2
            return 1
        fi
    fi
    rm -rf arena_marl.egg-info # what an earlier version left would be read first by programs that begin here
    echo "Installing the project into .venv; the first time, this takes a few minutes."
    if ! .venv/bin/python -m pip install --quiet --constraint scripts/constraints.txt --editable ".${extra:+[$extra]}"; then
        echo "The installation failed; what pip says of it stands above." >&2
        return 1
    fi
    echo "$inputs" >.venv/installed-base
    echo "$inputs" >"$stamp"
}
