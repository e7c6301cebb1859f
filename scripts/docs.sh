#!/usr/bin/env bash
# Build the site of the documentation into build/docs/html, offline; a warning is an error.
#
#   bash scripts/docs.sh [--out DIR]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup_env.sh
setup_env docs
exec .venv/bin/python scripts/build_docs.py "$@"
