"""Reads a GOAL schedule by the grammar of LogGOPSim's txt2bin, and runs it with nothing of rmacast.

Usage: goal.py FILE LATENCY_NS. A message takes LATENCY_NS whatever its size, computing takes what it says, nothing else takes
time. Prints when each rank's last operation is done, in nanoseconds. Fails where a line is none of GOAL's, a label is not
known, a send has no receive of its size or the other way round, or operations wait for each other.
"""
import re
import sys

OPERATION = re.compile(r"(l\d+): (?:calc (\d+)|(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+))(?: cpu (\d))?$")
DEPENDENCY = re.compile(r"(l\d+) (i?requires) (l\d+)$")


class Operation:
    def __init__(self, rank, match):
        self.rank, self.kind = rank, match[3] or "calc"
        self.amount = int(match[2] or match[4])
        self.peer, self.tag = (int(match[5]), int(match[6])) if match[3] else (None, None)
        self.after = []  # (operation, whether it must be done, else begun)
        self.other = None


def parse(path):
    ranks, labels, rank = {}, None, None
    with open(path, encoding="ascii") as lines:
        count = int(re.fullmatch(r"num_ranks (\d+)", next(lines).strip())[1])
        for line in map(str.strip, lines):
            if not line:
                continue
            if begin := re.fullmatch(r"rank (\d+) \{", line):
                assert rank is None and int(begin[1]) == len(ranks), line
                rank, labels = int(begin[1]), {}
            elif line == "}":
                ranks[rank], rank = list(labels.values()), None
            elif match := OPERATION.match(line):
                assert match[1] not in labels, line
                assert (" to " in line) == (match[3] == "send"), line
                labels[match[1]] = Operation(rank, match)
            else:
                match = DEPENDENCY.match(line)
                assert match, f"no line of GOAL: {line}"
                labels[match[1]].after.append((labels[match[3]], match[2] == "requires"))
    assert rank is None and len(ranks) == count, "ranks are missing"
    return ranks


def join(ranks):
    """The n-th send from one rank to another with a tag, and the n-th receive of it."""
    waiting = {}
    for operation in (o for r in ranks.values() for o in r if o.kind == "send"):
        assert operation.peer in ranks and operation.peer != operation.rank and operation.amount > 0, "a wrong send"
        waiting.setdefault((operation.rank, operation.peer, operation.tag), []).append(operation)
    for operation in (o for r in ranks.values() for o in r if o.kind == "recv"):
        sends = waiting.get((operation.peer, operation.rank, operation.tag))
        assert sends, "a receive without send"
        operation.other = sends.pop(0)
        assert operation.other.amount == operation.amount, "other sizes"
    assert not any(waiting.values()), "a send without receive"


def run(ranks, latency):
    """Begin and end of each operation once all that they wait for is known: a topological order (Kahn 1962)."""
    operations = [o for r in ranks.values() for o in r]
    needs = {}
    for o in operations:
        needs[o, "begun"] = [(before, "done" if full else "begun") for before, full in o.after]
        needs[o, "done"] = [(o, "begun")] + ([(o.other, "begun")] if o.other else [])
    followers = {}
    for event, before in needs.items():
        for b in before:
            followers.setdefault(b, []).append(event)
    missing = {event: len(before) for event, before in needs.items()}
    ready = [event for event in needs if missing[event] == 0]
    times = {}
    while ready:
        o, what = event = ready.pop()
        times[event] = max([times[b] for b in needs[event]], default=0)
        if what == "done" and o.kind == "calc":
            times[event] += o.amount
        if what == "done" and o.other:
            times[event] = max(times[o, "begun"], times[o.other, "begun"] + latency)
        for follower in followers.get(event, []):
            missing[follower] -= 1
            if missing[follower] == 0:
                ready.append(follower)
    assert len(times) == len(needs), f"{len(needs) - len(times)} begins and ends wait for each other"
    return times


def main():
    ranks = parse(sys.argv[1])
    join(ranks)
    times = run(ranks, int(sys.argv[2]))
    print(*(max((times[o, "done"] for o in ranks[r]), default=0) for r in sorted(ranks)))


main()
