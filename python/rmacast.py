"""Results and traces of rmacast in Python. One file; needs the standard library and the command rmacast.

    import rmacast
    result = rmacast.run("analyze", "app.rma")              # the JSON of any command as a dict; docs/results.md has the keys
    for call in rmacast.rows(result, "calls"): ...          # a list of the result as flat dicts
    rmacast.frame(rmacast.rows(result, "patterns"))         # the same as a pandas data frame, where pandas is installed
    trace = rmacast.trace("app.rma")                        # a dict; its "calls" are dicts with rank, enter, exit, call

    python3 rmacast.py RESULT.json                          # which lists a result has
    python3 rmacast.py RESULT.json LIST >list.csv           # one of them as CSV
"""
import csv
import json
import os
import subprocess
import sys
from urllib.parse import unquote

PROGRAM = os.environ.get("RMACAST", "rmacast")


class Error(Exception):
    """What rmacast says on standard error; status is its exit status."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


def _call(arguments, statuses):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode not in statuses:
        raise Error(done.stderr.strip(), done.returncode)
    return done


def run(command, *arguments):
    """The JSON of a command. gate, validate and analyze --check end with 1 and a result where something does not hold."""
    done = _call([command, *arguments, "--json", "-"], (0, 1))
    if not done.stdout.startswith("{"):
        raise Error(done.stderr.strip(), done.returncode)
    return json.loads(done.stdout)


def load(path):
    """A result that was written with --json."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def lists(result, prefix=""):
    """Names of the lists of objects in a result, "results.patterns.places" being the places of the patterns of all results."""
    found = []
    for key, value in result.items():
        if isinstance(value, dict):
            found += lists(value, f"{prefix}{key}.")
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            found.append(prefix + key)
            for one in value:
                found += [name for name in lists(one, f"{prefix}{key}.") if name not in found]
    return found


def _flat(item, prefix=""):
    flat = {}
    for key, value in item.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{key}."))
        elif not isinstance(value, list):
            flat[prefix + key] = value
    return flat


def rows(result, name):
    """A list of the result as flat dicts. Of a list in lists, the members around it are there as "patterns.name"."""
    found = [({}, result)]
    path = name.split(".")
    for at, key in enumerate(path):
        inner = []
        for around, item in found:
            value = item.get(key)
            if isinstance(value, list):
                outer = {f"{path[at - 1]}.{k}": v for k, v in _flat(item).items() if "." not in k} if at else {}
                inner += [({**around, **outer}, one) for one in value]
            elif isinstance(value, dict):
                inner.append((around, value))
        found = inner
    return [{**around, **_flat(item)} for around, item in found]


def frame(items):
    """A pandas data frame of rows, or, where pandas is not installed, the rows."""
    try:
        import pandas
    except ImportError:
        return items
    return pandas.DataFrame(items)


def _number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return unquote(text)


def _members(words):
    return {key: _number(value) if "," not in value else [_number(one) for one in value.split(",")]
            for key, value in (word.split("=", 1) for word in words)}


def trace(path, *options):
    """{"ranks", "calls", "definitions"} of a trace of any kind. A call has rank, enter and exit in seconds, call, and its keys of
    docs/format-text.md; the begin and end of a user region have the call "enter" and "leave" and its name as "region".
    options are those of rmacast dump, as "--rank", 3."""
    made = {"ranks": 0, "calls": [], "definitions": []}
    for line in _call(["dump", path, *options], (0,)).stdout.splitlines()[1:]:
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "ranks":
            made["ranks"] = int(words[1])
        elif not words[0][0].isdigit():
            made["definitions"].append({"kind": words[0], **({"number": int(words[1])} if "=" not in words[1] else {}),
                                        **_members(word for word in words[1:] if "=" in word)})
        elif words[2] in ("enter", "leave"):
            made["calls"].append({"rank": int(words[0]), "enter": float(words[1]), "exit": float(words[1]), "call": words[2],
                                  "region": unquote(words[3])})
        else:
            made["calls"].append({"rank": int(words[0]), "enter": float(words[1]), "exit": float(words[2]), "call": words[3],
                                  **_members(word for word in words[4:] if "=" in word)})
    return made


def write_csv(items, file):
    """Rows as CSV; a column is there if one of them has it."""
    columns = list(dict.fromkeys(key for item in items for key in item))
    writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(items)


def main(arguments):
    if not arguments or len(arguments) > 2 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    result = load(arguments[0])
    if len(arguments) == 1:
        print("\n".join(lists(result)))
    elif arguments[1] in lists(result):
        write_csv(rows(result, arguments[1]), sys.stdout)
    else:
        print(f"rmacast.py: {arguments[0]}: no list {arguments[1]}, expected one of {', '.join(lists(result))}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
