#!/usr/bin/env python3
"""Each fallible call of each command fails once: see README.md.

campaign.py [OPTION...] BUILD [ROW...]: rows of commands.txt, all by default. BUILD is the build directory.
"""
import argparse
import collections
import concurrent.futures
import errno
import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KINDS = ("allocations", "calls")
SECONDS = 30
BEGINNINGS = 2  # allocations that fail of each library of others while the linker begins it
NOTE = re.compile(r"rmacast: (note|warning): |rmacast: .*/spool: the recording is kept, not packed; ")
NUMBER = re.compile(rb"[0-9][0-9.e+-]*( ?[munpkKMG]?(s|B)\b)?")
LIBRARY = re.compile(r"\.so(\.[0-9.]+)?$")
CONTINUED = {"sweep-kept": "new.json"}  # rows whose output is there from the begin on, to be continued

Row = collections.namedtuple("Row", "name command words stdin")
Outcome = collections.namedtuple("Outcome", "status ended failed frames left count places calls said printed files")


def read_rows():
    rows = []
    for line in open(os.path.join(HERE, "commands.txt")):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, text = line.split(None, 1)
        words = shlex.split(text)
        stdin = [w[1:] for w in words if w.startswith("<")]
        words = [w for w in words if not w.startswith("<")]
        rows.append(Row(name, words[0], words, stdin[0] if stdin else None))
    return rows


def check_commands(rows):
    """A command without a row is an error."""
    text = open(os.path.join(ROOT, "cli", "commands.def")).read()
    commands = set(re.findall(r"^COMMAND\((\w+),", text, re.M))
    missing = commands - {row.command for row in rows}
    if not commands or missing:
        sys.exit("commands.txt: no row of %s" % ", ".join(sorted(missing) or ["any command"]))


def stamp(path):
    about = os.stat(path)
    return about.st_ino, about.st_size, about.st_mtime_ns, about.st_mode


def snapshot(directory, known=None):
    """{path: content or None} of all files and directories; known: {path: (stamp, content)} need not be read again."""
    found, pending = {}, [""]
    while pending:
        base = pending.pop()
        for entry in os.scandir(os.path.join(directory, base)):
            key = base + entry.name
            if entry.is_dir():
                found[key] = None
                if not entry.is_symlink():
                    pending.append(key + os.sep)
            elif known and key in known and known[key][0] == stamp(entry.path):
                found[key] = known[key][1]
            else:
                with open(entry.path, "rb") as file:
                    found[key] = file.read()
    return found


@functools.lru_cache(65536)
def unit_of(path):
    """The output that a path is part of; None: it is none."""
    top = path.split(os.sep)[0]
    return top if re.match(r"(new|old)\b", top) else None


def units(files):
    """{output: what it holds}."""
    found = collections.defaultdict(dict)
    for path, content in files.items():
        if unit_of(path):
            found[unit_of(path)][path] = content
    return found


@functools.lru_cache(4096)
def mask_content(content):
    return content if content is None else len(content) if b"\0" in content else NUMBER.sub(b"#", content)


def masked(files):
    """Without what differs from run to run: times that the command itself took."""
    return {path: mask_content(content) for path, content in files.items()}


class Place:
    """A directory of its own for each worker, with the inputs; what a command changes is made anew."""

    def __init__(self, campaign):
        self.campaign = campaign
        self.base = tempfile.mkdtemp(prefix="place-", dir=campaign.temporary)
        self.directory = os.path.join(self.base, "here")
        shutil.copytree(campaign.fixture, self.directory, symlinks=True)
        self.known = {}
        self.server, self.served = None, None
        self.note(self.campaign.before)

    def note(self, paths):
        for path in paths:
            if self.campaign.before[path] is not None:
                self.known[path] = (stamp(os.path.join(self.directory, path)), self.campaign.before[path])

    def renew(self, now):
        before = self.campaign.before
        units = {path.split(os.sep)[0] for path in set(now) | set(before) if now.get(path, 0) != before.get(path, 0)}
        for unit in units:
            path = os.path.join(self.directory, unit)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.lexists(path):
                os.remove(path)
            original = os.path.join(self.campaign.fixture, unit)
            if os.path.isdir(original):
                shutil.copytree(original, path, symlinks=True)
            elif os.path.lexists(original):
                shutil.copy2(original, path, follow_symlinks=False)
        self.note([path for path in before if path.split(os.sep)[0] in units])

    def start(self, row, *what):
        """The injector: its process."""
        report, printed, said = (os.path.join(self.base, name) for name in ("report", "stdout", "stderr"))
        environment = dict(self.campaign.environment, TMPDIR=os.path.join(self.directory, "tmp"))
        stdin = os.path.join(self.directory, row.stdin) if row.stdin else "/dev/null"
        with open(stdin, "rb") as source, open(printed, "wb") as out, open(said, "wb") as err:
            return subprocess.Popen([self.campaign.inject, *what, report, self.campaign.preload, str(SECONDS),
                                     self.campaign.program] + row.words, cwd=self.directory, env=environment, stdin=source,
                                    stdout=out, stderr=err, pass_fds=what[0] == "serve" and map(int, what[1].split(",")) or ())

    def serve(self, row, number):
        """An execution with an allocation that fails, by an injector that loads the command once for all of a row."""
        if self.served != row:
            self.end()
            (source, self.requests), (self.answers, answers) = os.pipe(), os.pipe()
            self.server, self.served = self.start(row, "serve", "%d,%d" % (source, answers)), row
            os.close(source)
            os.close(answers)
        os.write(self.requests, b"%d\n" % number)
        if os.read(self.answers, 1) != b"\0":
            sys.exit("the injector ends: %s" % self.server.wait())

    def end(self):
        if self.server:
            os.close(self.requests)
            os.close(self.answers)
            self.server.wait()
            self.server, self.served = None, None

    def run(self, row, kind, number):
        if kind == "allocations":
            self.serve(row, number)
        elif self.start(row, kind, str(number)).wait() != 0:
            sys.exit("the injector fails")
        outcome = self.read(*(os.path.join(self.base, name) for name in ("report", "stdout", "stderr")))
        if outcome.files != self.campaign.before:
            self.renew(outcome.files)
        return outcome

    def continues(self, row, unit, content, expected):
        """Whether the same command, where the output is as a fault left it, makes the whole one, and takes each whole line."""
        if content is None:
            return False
        with open(os.path.join(self.directory, unit), "wb") as file:
            file.write(content)
        again = self.run(row, "calls", 0)
        taken = re.search(r"(\d+) of \d+ points are taken", again.said)
        lines = re.findall(rb'^\{.*"state":"done".*\},?\n', content, re.M)
        return again.status == 0 and expected.of(again) == (expected.files, expected.printed) and \
            int(taken.group(1) if taken else 0) == len(lines)

    def read(self, report, printed, said):
        status, ended, failed, count = None, None, None, 0
        frames, left, places, calls = [], [], [], []
        for line in open(report, errors="replace"):
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "status":
                status = int(rest)
            elif word in ("signal", "timeout"):
                ended = (word + " " + rest).strip()
            elif word == "failed":
                failed = rest
            elif word == "count":
                count = int(rest)
            elif word == "from":
                frames.append(rest)
            elif word == "left":
                left.append(rest)
            elif word == "place":
                places.append(rest)
            elif word == "calls":
                calls.append(rest)
        with open(said, errors="replace") as err, open(printed, "rb") as out:
            return Outcome(status, ended, failed, frames, left, count, places, calls, err.read(), out.read(),
                           snapshot(self.directory, self.known))


class Expected:
    """What the undisturbed command does: run twice, since some numbers are times that it took."""

    def __init__(self, place, row):
        first, second = (place.run(row, "calls", 0) for _ in range(2))
        if first.status != 0 or first.ended:
            sys.exit("%s: rmacast %s: %s %s: %s" % (row.name, shlex.join(row.words), first.status, first.ended, first.said))
        self.stays = first.printed == second.printed and first.files == second.files
        self.recorded = row.command == "record"
        self.files = first.files if self.stays else self.mask(first.files)
        self.printed = first.printed if self.stays else NUMBER.sub(b"#", first.printed)
        self.said = set(first.said.splitlines())
        if not self.stays and (self.mask(second.files) != self.files or NUMBER.sub(b"#", second.printed) != self.printed):
            sys.exit("%s: two runs differ by more than numbers" % row.name)
        self.units = units(self.files)
        self.start = place.campaign.before if self.stays else self.mask(place.campaign.before)
        self.old = units(self.start)
        self.calls = first.calls

    def mask(self, files):
        """No two recordings are alike: of what is recorded only the names count. One that could not be packed is kept."""
        if not self.recorded:
            return masked(files)
        return {path: None if unit_of(path) else content for path, content in files.items() if "/spool" not in path}

    def of(self, outcome):
        """What compares: (files, printed)."""
        if self.stays:
            return outcome.files, outcome.printed
        return self.mask(outcome.files), NUMBER.sub(b"#", outcome.printed)


def cause_text(number):
    return "memory" if number == errno.ENOMEM else os.strerror(number)


def untrue(row, outcome, line, directory, before):
    """What an error line lacks, or None."""
    what, number, *path = outcome.failed.split(" ", 2)
    path = path[0] if path else ""
    # Standard I/O does not keep why an earlier write failed, and the next one succeeds here.
    if what in ("mmap", "mprotect") and re.search("failed to map segment|cannot map zero-fill", line):
        return None  # the linker's words
    forgotten = what == "write" and cause_text(errno.EIO) in line
    if cause_text(int(number)).lower() not in line.lower() and not forgotten:
        return "the cause is not named: " + cause_text(int(number))
    if ":[" in path or "(deleted)" in path or ("/" not in path and path not in before):
        return None  # a pipe, memory, or a name in a directory that is open
    if what == "allocation" or not path or int(number) == errno.ENOMEM:
        return None
    if path.endswith("/stdout"):
        return None if "standard output" in line else "standard output is not named"
    if path.startswith(directory + "/") or not path.startswith("/"):
        path = path[len(directory) + 1:] if path.startswith("/") else path
        names = [re.sub(r"^\.(.*)\.rmacast-\w{6}$", r"\1", name) for name in path.split("/")]
        names = [name for name in names if name not in ("", ".", "..", "tmp") and not name.startswith("#")]
        if names and not any(name in line for name in names) and not (row.stdin and path == row.stdin and ("standard input" in line or " -: " in line)):
            return "the file is not named: " + names[-1]
    return None


def without_asides(files):
    """Without what has the name of a part that is written and then moved."""
    return {path: content for path, content in files.items() if not re.search(r"\.rmacast-\w{6}(/|$)", path)}


def tells(files, unit, errors):
    """Whether an output says itself what it lacks: rows of a comparison that were not predicted."""
    return any(path == unit and error[len("rmacast: "):].encode() in (content or b"")
               for path, content in files.items() for error in errors)


def judge(row, place, expected, outcome):
    """The rules that an execution breaks."""
    before = place.campaign.before
    files, printed = expected.of(outcome)
    if outcome.status == 0:  # the output was done: what could not be removed then is removed by the next command
        files = without_asides(files)
    start = expected.start
    lines = outcome.said.splitlines()
    errors = [line for line in lines if line.startswith("rmacast: ") and not NOTE.match(line) and line not in expected.said]
    if outcome.failed.startswith("write ") and outcome.failed.endswith("/stderr"):
        errors = []  # what could not be said
    broken = []
    if outcome.ended:
        return ["ends by " + outcome.ended]
    if outcome.left:
        broken.append("leaves processes: %s" % outcome.left)
    for path in sorted(path for path in set(files) | set(start) if files.get(path, 0) != start.get(path, 0)):
        if unit_of(path) is None:
            broken.append(("is gone: " if path not in files else "is changed: " if path in start else "is left: ") +
                          re.sub(r"[^./]{6}$", "XXXXXX", path))
    now, old = units(files), expected.old
    for unit in sorted(set(now) | set(old) | set(expected.units)):
        held = now.get(unit)
        if outcome.status == 0 and held != expected.units.get(unit):
            broken.append("exit 0, but the output is another: " + unit)
        elif row.command in ("record", "pack") and unit + "/spool" in outcome.files:
            continue  # the recording is kept
        elif CONTINUED.get(row.name) == unit and outcome.status == 1 and held and \
                place.continues(row, unit, held[unit], expected):
            continue
        elif held not in (old.get(unit), expected.units.get(unit)) and not tells(outcome.files, unit, errors):
            broken.append("neither the old output nor the new: " + unit)
    if outcome.status == 0:
        if printed != expected.printed:
            broken.append("exit 0, but standard output is another")
        if errors:
            broken.append("exit 0 with an error: " + errors[0])
        if outcome.failed.split()[0] in ("close", "fsync") and re.search(r"/(new|old)\.[^ ]*$", outcome.failed):
            broken.append("exit 0 though an output could not be closed")
        return broken
    if outcome.status != 1:
        broken.append("exit status %s" % outcome.status)
    if outcome.failed.startswith("write ") and outcome.failed.endswith("/stderr"):
        return broken
    if len(errors) != 1:
        broken.append("%d lines of error" % len(errors))
    else:
        lack = untrue(row, outcome, errors[0], place.directory, before)
        if lack:
            broken.append("untrue: " + lack)
    strange = [line for line in lines if line not in expected.said and line not in errors and not NOTE.match(line)]
    if strange:
        broken.append("says: " + strange[0])
    return broken


class Exclusions:
    """Rules of exclusions.txt: WHAT-BREAKS and CALLER, both regular expressions, tab between them."""

    def __init__(self):
        self.rules = []
        for line in open(os.path.join(HERE, "exclusions.txt")):
            if line.strip() and not line.startswith("#"):
                broken, caller = line.rstrip("\n").split("\t")[:2]
                self.rules.append((re.compile(broken), re.compile(caller)))

    def cover(self, broken, outcome):
        return any(rule.search(broken) and (caller.search(outcome.failed) or self.by_caller(caller, outcome.frames))
                   for rule, caller in self.rules)

    @staticmethod
    def by_caller(caller, frames):
        """The first callers up to our own code."""
        for frame in frames:
            if caller.search(frame):
                return True
            if re.search(r"/(rmacast|librmacast[^/]*)\+", frame):
                return False
        return False


class Campaign:
    def __init__(self, options):
        self.options = options
        self.build = os.path.abspath(options.build)
        self.program = os.path.join(self.build, "bin", "rmacast")
        self.inject = os.path.join(self.build, "tests", "faults_inject")
        self.preload = os.path.join(self.build, "tests", "libfaults_preload.so")
        self.temporary = tempfile.mkdtemp(prefix="faults-", dir=options.temporary and os.path.abspath(options.temporary))
        self.fixture = os.path.join(self.temporary, "fixture")
        self.environment = {key: os.environ[key] for key in ("PATH", "HOME", "ASAN_OPTIONS") if key in os.environ}
        self.environment.update(LC_ALL="C.UTF-8", MALLOC_PERTURB_="165")
        self.exclusions = Exclusions()
        self.executions, self.findings, self.excluded = collections.Counter(), collections.defaultdict(list), 0
        self.lock = threading.Lock()
        self.places = {}
        subprocess.run(["sh", os.path.join(HERE, "fixture.sh"), self.fixture, ROOT, self.build], check=True,
                       stdout=subprocess.DEVNULL)
        self.before = snapshot(self.fixture)

    def place(self):
        key = threading.get_ident()
        if key not in self.places:
            self.places[key] = Place(self)
        return self.places[key]

    def offset(self):
        """Another one for each build."""
        if self.options.offset is not None:
            return self.options.offset
        with open(self.program, "rb") as file:
            return int(hashlib.sha256(file.read()).hexdigest()[:8], 16)

    def numbers(self, row, kind, expected):
        """Which calls of the row fail."""
        if kind == "calls":
            seen, chosen = set(), []
            for number, call in enumerate(expected.calls, 1):
                library = LIBRARY.search(call) is not None and "rmacast" not in call
                if not library or call.split()[0] not in seen:
                    chosen.append(number)
                if library:
                    seen.add(call.split()[0])
        else:
            counted = self.place().run(row, kind, 0)
            if counted.status != 0 or expected.of(counted) != (expected.files, expected.printed):
                self.findings["the errno of what succeeded is taken for an error", row.name].append((row, kind, 0, counted))
            times, chosen = collections.Counter(), []
            for number in range(1, counted.count + 1):
                who = counted.places[number - 1] if number <= len(counted.places) else str(number)
                times[who] += 1
                most = BEGINNINGS if who.startswith("begins") else self.options.repeats
                if most == 0 or times[who] <= most:
                    chosen.append(number)
        if self.options.each:
            stride = max(1, len(chosen) // self.options.each)
            chosen = chosen[self.offset() % stride::stride]
        return chosen

    def execute(self, row, kind, number, expected):
        place = self.place()
        outcome = place.run(row, kind, number)
        if not outcome.failed:
            return
        broken = judge(row, place, expected, outcome)
        with self.lock:
            self.executions[kind] += 1
            for rule in broken:
                if self.exclusions.cover(rule, outcome):
                    self.excluded += 1
                else:
                    self.findings[rule, self.where(outcome)].append((row, kind, number, outcome))

    def where(self, outcome):
        if outcome.frames:
            own = [frame for frame in outcome.frames if re.search(r"rmacast", frame)]
            return " < ".join([os.path.basename(outcome.frames[0])] + [os.path.basename(frame) for frame in own[:3]])
        return re.sub(r"\d+(?=\.(evt|def))|[^.]{6}$", "N", re.sub(r"/[^ ]*/(?=[^/ ]*$)", "", outcome.failed))

    def run(self, rows):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for row in rows:
                expected = pool.submit(lambda: Expected(self.place(), row)).result()
                for kind in self.options.kinds.split(","):
                    before = set(self.findings)
                    numbers = pool.submit(self.numbers, row, kind, expected).result()
                    if self.options.count:
                        print("%-16s %-12s %6d executions" % (row.name, kind, len(numbers)), flush=True)
                        self.executions[kind] += len(numbers)
                        continue
                    for done in [pool.submit(self.execute, row, kind, number, expected) for number in numbers]:
                        done.result()
                    new = [finding for finding in self.findings if finding not in before]
                    for rule, where in new:
                        self.tell_finding(rule, where)
                    if new or not self.options.quiet:
                        print("%-16s %-12s %6d executions, %d new kinds of finding" % (row.name, kind, len(numbers), len(new)),
                              flush=True)

    def symbol(self, frame):
        """FUNCTION FILE:LINE of BASE+OFFSET."""
        name, _, offset = frame.rpartition("+")
        path = self.program if name == "rmacast" else os.path.join(self.build, "lib", name)
        if not os.path.exists(path):
            return frame
        said = subprocess.run(["addr2line", "-f", "-s", "-i", "-e", path, hex(int(offset, 16) - 1)],
                              capture_output=True, text=True).stdout.split("\n")
        return " ".join("%s(%s)" % pair for pair in zip(said[::2], said[1::2]))

    def tell_finding(self, rule, where):
        """The first of its executions, and who asked for what failed."""
        row, kind, number, outcome = self.findings[rule, where][0]
        print("FINDING %s\n  %s %d of rmacast %s: %s\n  exit %s: %s" %
              (rule, kind, number, shlex.join(row.words), outcome.failed, outcome.status, outcome.said.strip()[:300]))
        own = [frame for frame in outcome.frames if "rmacast" in frame]
        for frame in outcome.frames[:1] + own[own[:1] == outcome.frames[:1]:8]:
            print("  at " + self.symbol(os.path.basename(frame)))

    def tell(self):
        for (rule, where), cases in sorted(self.findings.items(), key=lambda item: -len(item[1])):
            print("%6d times: %s: %s (%s)" % (len(cases), rule, where, ", ".join(sorted({c[0].name for c in cases})[:8])))
        print("%d executions (%s), %d kinds of finding, %d outcomes excluded" %
              (sum(self.executions.values()), ", ".join("%d %s" % (self.executions[k], k) for k in KINDS),
               len(self.findings), self.excluded))

    def end(self):
        for place in self.places.values():
            place.end()
        shutil.rmtree(self.temporary, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--each", type=int, default=0, help="about so many executions of each row and kind, strided (all)")
    parser.add_argument("--count", action="store_true", help="tell the number of executions, and run none")
    parser.add_argument("--offset", type=int, help="of --each (another one for each build)")
    parser.add_argument("--repeats", type=int, default=0, help="so many allocations with the same callers in a row (all)")
    parser.add_argument("--kinds", default=",".join(KINDS), help="of %(default)s")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count())
    parser.add_argument("--temporary", default=None)
    parser.add_argument("--quiet", "-q", action="store_true")
    options = parser.parse_intermixed_args()
    rows = read_rows()
    check_commands(rows)
    campaign = Campaign(options)
    try:
        campaign.run([row for row in rows if not options.rows or row.name in options.rows or row.command in options.rows])
        campaign.tell()
    finally:
        campaign.end()
    sys.exit(1 if campaign.findings else 0)


main()
