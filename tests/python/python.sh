#!/bin/sh
# Usage: python.sh RMACAST SOURCE: rmacast.py against figures of the worked example and of examples/table.txt, and each cell of
# the notebook, without a browser and without pandas.
command -v python3 >/dev/null || { echo "SKIPPED: no python3"; exit 77; }
RMACAST=$(realpath "$1") source=$(realpath "$2")
export RMACAST PYTHONPATH="$source/python" PYTHONDONTWRITEBYTECODE=1
cd "$source" || exit 1
exec python3 "$source/tests/python/check.py" "$source"
