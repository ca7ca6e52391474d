#!/usr/bin/env bash
# All checks: style, types, import contracts, then the tests. Called by `make test`.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=.venv/bin
echo "== style";  "$bin/ruff" check . ; "$bin/ruff" format --check .
echo "== types";  "$bin/mypy"
echo "== imports"; "$bin/lint-imports"
echo "== tests";  "$bin/python" -m pytest -q -n 4 --dist loadfile --no-loadscope-reorder -m "not model" "$@"
