"""check.py SOURCE: rmacast.py, its command line, and the cells of python/results.ipynb."""
import csv
import io
import json
import subprocess
import sys

import rmacast

source = sys.argv[1]
worked = f"{source}/tests/cases/active/worked_example.case"

# The trace of the worked example: 5 calls of 2 ranks; rank 0 starts from 0 to 300 us and puts 1 MB.
trace = rmacast.trace(worked)
assert (trace["ranks"], len(trace["calls"])) == (2, 5)
assert trace["calls"][0] == {"rank": 0, "enter": 0.0, "exit": 0.0003, "call": "MPI_Win_start", "win": 0, "group": 1}, trace["calls"][0]
assert trace["definitions"] == [{"kind": "window", "number": 0, "comm": 0, "bytes": 1000000, "disp_unit": 1}]

# Under a it lasts 570 us, under d 520 (docs/simulation.md). Late Post is 400 us in one place, rank 0's.
comparison = rmacast.run("compare", worked, "--platform", f"{source}/tests/cases/base.json", "--engine", "loggp")
times = [round(row["run_time_s"] * 1e6) for row in rmacast.rows(comparison, "results")]
assert (times[0], times[3]) == (570, 520), times
late = [row for row in rmacast.rows(comparison, "results.patterns.places") if row["patterns.name"] == "late_post"]
assert late[0]["results.semantics"] == "a" and round(late[0]["severity_s"] * 1e6) == 400 and late[0]["rank"] == 0, late[0]

# What rmacast refuses is an exception with its line; a gate that does not hold is a result.
try:
    rmacast.run("analyze", "no such trace")
    raise SystemExit("a missing trace was analysed")
except rmacast.Error as error:
    assert error.status == 1 and str(error).startswith("rmacast: no such trace"), error
assert not isinstance(rmacast.run("diff", worked, worked), list)

# The command line: a list as CSV has a row for each of its objects.
said = subprocess.run([sys.executable, rmacast.__file__, "/dev/stdin", "calls"], input=json.dumps(rmacast.run("analyze", worked)),
                      capture_output=True, text=True, check=True).stdout
rows = list(csv.DictReader(io.StringIO(said)))
assert sorted(row["call"] for row in rows) == ["MPI_Put", "MPI_Win_complete", "MPI_Win_post", "MPI_Win_start", "MPI_Win_wait"], rows

# The notebook: every cell runs behind the ones before, and prints.
with open(f"{source}/python/results.ipynb", encoding="utf-8") as file:
    cells = ["".join(cell["source"]) for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
names = {}
for number, cell in enumerate(cells):
    exec(compile(cell, f"cell {number}", "exec"), names)  # pylint: disable=exec-used
assert len(cells) == 5 and names["comparison"]["results"] and names["flushes"]
