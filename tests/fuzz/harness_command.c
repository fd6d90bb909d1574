/* Command lines, and SimGrid platforms: rmacast itself, in a directory with a trace of each kind, a platform and a
 * result. Whatever the words are, it ends with 0, 1 or 2, says why in its last line where that is not 0, and leaves its
 * inputs as they were. `record` runs no program but `true`. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"
#include "trace/open.h"
#include "trace/otf2/otf2.h"

#ifndef FUZZ_COMMAND
#define FUZZ_COMMAND "rmacast"
#endif

enum { WORDS_MAX = 40, SAID_BYTES = 4096, RUN_SECONDS = 15 };

/* --- the place --- */

static const char trace_text[] =
    "rmacast-trace 1\nranks 2\nwindow 0 comm=0 bytes=64 name=w\n"
    "0 0 0.000001 MPI_Win_fence win=0\n0 0.000002 0.000003 MPI_Put win=0 target=1 bytes=8\n"
    "0 0.000003 0.000009 MPI_Win_fence win=0\n1 0 0.000002 MPI_Win_fence win=0\n"
    "1 0.000008 enter r\n1 0.000009 0.00001 MPI_Win_fence win=0\n1 0.000010 leave r\n";
static const char faulty_text[] = "rmacast-trace 1\nranks 2\nwindow 0 comm=0\n0 0 0 MPI_Win_fence win=0\n"
                                  "0 0.1 0.1 MPI_Put win=0 target=7 bytes=8\n1 0 0 MPI_Win_fence win=0\n";
static const char platform_text[] =
    "{\"schema\":\"rmacast.platform/1\",\"name\":\"p\",\"nodes\":{\"count\":4,\"cores\":1},\"network\":{\"topology\":{"
    "\"type\":\"crossbar\"},\"latency_s\":1e-6,\"bandwidth_Bps\":1e10},\"mpi\":{\"rma\":{\"semantics\":\"a\"}}}";
static const char simgrid_text[] =
    "{\"schema\":\"rmacast.platform/1\",\"name\":\"p\",\"nodes\":{\"count\":4,\"cores\":1},\"network\":{\"topology\":{"
    "\"simgrid_xml\":\"x.xml\"},\"latency_s\":1e-6,\"bandwidth_Bps\":1e10},\"mpi\":{\"rma\":{\"semantics\":\"a\"}}}";

static const struct {
    const char *name, *text;
} files[] = {{"t.txt", trace_text},           {"f.txt", faulty_text}, {"p.json", platform_text},
             {"s.json", simgrid_text},        {"notes", "mine\n"},    {"traces/0.evt", "mine\n"},
             {"mine/traces/notes", "mine\n"}, {"x.xml", "none\n"}};

static void write_text(const char *directory, const char *name, const char *text, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *out = fopen(path, "w");
    if (!out) abort();
    fwrite(text, 1, size, out);
    fclose(out);
}

static void make_place(char *directory, size_t room)
{
    char path[256];
    struct trace *trace;
    struct err err;
    static const char *const below[] = {"traces", "mine", "mine/traces"};
    fuzz_directory("command", directory, room);
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, below[i]);
        if (mkdir(path, 0700) != 0) abort();
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_text(directory, files[i].name, files[i].text, strlen(files[i].text));
    if (trace_open(fuzz_file(trace_text, sizeof trace_text - 1), &trace, &err) != STATUS_OK) abort();
    snprintf(path, sizeof path, "%s/a.rma", directory);
    if (otf2_write(trace, path, &err) != STATUS_OK) abort();
    trace_free(trace);
}

/* A file that the words name once may be what they want written. */
static bool may_be_output(const char *name, const char *words)
{
    int count = 0;
    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name)) count++;
    return count == 1;
}

static void check_files(const char *directory, const char *words)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[256], text[1024] = "";
        if (strcmp(files[i].name, "x.xml") == 0 || may_be_output(files[i].name, words)) continue;
        snprintf(path, sizeof path, "%s/%s", directory, files[i].name);
        FILE *in = fopen(path, "r");
        if (!in) fuzz_finding("%s is gone: %s", files[i].name, words);
        size_t size = fread(text, 1, sizeof text - 1, in);
        fclose(in);
        if (size != strlen(files[i].text) || memcmp(text, files[i].text, size) != 0)
            fuzz_finding("%s is another file now: %s", files[i].name, words);
    }
}

/* --- running --- */

/* What it said on standard error; returns how it ended. */
static int run_words(const char *directory, char **words, char *said)
{
    int errors = memfd_create("errors", MFD_CLOEXEC), how;
    fflush(NULL);
    pid_t pid = errors >= 0 ? fork() : -1;
    if (pid < 0) abort();
    if (pid == 0) {
        int none = open("/dev/null", O_RDWR);
        const struct rlimit cores = {0, 0}, file = {1 << 24, 1 << 24};
        setrlimit(RLIMIT_CORE, &cores);
        setrlimit(RLIMIT_FSIZE, &file);
        if (chdir(directory) != 0) _exit(99);
        dup2(none, STDIN_FILENO);
        dup2(none, STDOUT_FILENO);
        dup2(errors, STDERR_FILENO);
        alarm(RUN_SECONDS);
        execv(FUZZ_COMMAND, words);
        _exit(99);
    }
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR) continue;
    ssize_t length = pread(errors, said, SAID_BYTES - 1, 0);
    said[length > 0 ? length : 0] = '\0';
    close(errors);
    return how;
}

static const char *last_line(const char *said)
{
    size_t length = strlen(said);
    if (length > 0 && said[length - 1] == '\n') length--;
    while (length > 0 && said[length - 1] != '\n') length--;
    return said + length;
}

static void check_end(int how, const char *said, const char *words)
{
    if (WIFSIGNALED(how)) fuzz_finding("ends by signal %d: %s: %s", WTERMSIG(how), words, said);
    int status = WEXITSTATUS(how);
    if (status == 99) {
        fprintf(stderr, "fuzz: %s cannot be run\n", FUZZ_COMMAND);
        exit(2);
    }
    if (status > 2) fuzz_finding("ends with %d: %s: %s", status, words, said);
    if (strstr(said, "ended by signal") && !strstr(said, "imgrid"))
        fuzz_finding("a child is killed: %s: %s", words, said);
    if (status != 0 && strncmp(last_line(said), "rmacast", 7) != 0)
        fuzz_finding("ends with %d and no line: %s: %s", status, words, said);
    if (status == 2 && last_line(said) != said) fuzz_finding("wrong usage in several lines: %s: %s", words, said);
}

static void run_command(const uint8_t *data, size_t size)
{
    static char text[FUZZ_ROOM + 1], all[FUZZ_ROOM + 1], said[SAID_BYTES];
    char directory[64], *words[WORDS_MAX + 2] = {(char *)FUZZ_COMMAND}, *rest;
    size_t count = 1;
    memcpy(text, data, size);
    text[size] = '\0';
    if (memchr(text, '/', size) && strstr(text, "/")) /* stays inside its place */
        for (char *c = text; *c; c++)
            if (*c == '/' && (c == text || c[-1] == '\n' || c[-1] == '=' || c[-1] == '.')) *c = '_';
    memcpy(all, text, sizeof all);
    for (char *c = all; *c; c++)
        if (*c == '\n') *c = ' ';
    for (char *word = strtok_r(text, "\n", &rest); word && count <= WORDS_MAX; word = strtok_r(NULL, "\n", &rest))
        words[count++] = word;
    words[count] = NULL;
    if (count > 1 && strcmp(words[1], "record") == 0) { /* nothing else is run */
        words[count - 1] = count > 2 ? "true" : words[count - 1];
        for (size_t i = 2; i < count; i++)
            if (words[i][0] != '-' && i < count - 1) words[i] = "true";
    }
    make_place(directory, sizeof directory);
    int how = run_words(directory, words, said);
    check_end(how, said, all);
    check_files(directory, all);
    fuzz_remove(directory);
}

static size_t mutate_command(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const words[] = {"record",
                                        "info",
                                        "dump",
                                        "export",
                                        "generate",
                                        "analyze",
                                        "simulate",
                                        "compare",
                                        "validate",
                                        "help",
                                        "--help",
                                        "--version",
                                        "t.txt",
                                        "f.txt",
                                        "a.rma",
                                        "p.json",
                                        "s.json",
                                        "notes",
                                        "mine",
                                        ".",
                                        "-",
                                        "a.rma/traces.otf2",
                                        "a.rma/traces.def",
                                        "a.rma/traces/0.evt",
                                        "traces",
                                        "new.txt",
                                        "new.rma",
                                        "new.json",
                                        "--json",
                                        "-o",
                                        "--csv",
                                        "--rows",
                                        "--output=new.txt",
                                        "--json=-",
                                        "--platform",
                                        "--platform=p.json",
                                        "--platform=s.json",
                                        "--platform=ideal",
                                        "--engine=loggp",
                                        "--engine=simgrid",
                                        "--verify",
                                        "--keep-going",
                                        "--slices",
                                        "--whole",
                                        "--rows=a,b,c,d",
                                        "--rows=a,a@0=c,a+post-early",
                                        "--semantics=a@w=c",
                                        "--set",
                                        "mpi.rma.lock=lazy",
                                        "nodes.count=1",
                                        "network.latency_s=1e300",
                                        "nodes=3",
                                        "=",
                                        "--rewrite=fence=pscw",
                                        "--rewrite=scale:r=0.5",
                                        "--rank=1",
                                        "--ranks=0-1",
                                        "--ranks=1-0",
                                        "--from=1us",
                                        "--to=1e300",
                                        "--to=otf2",
                                        "--model=extended",
                                        "--data-arrows",
                                        "--thread=0",
                                        "--window=0",
                                        "--window=w",
                                        "--top=1",
                                        "--epsilon=-1",
                                        "--latency=1us",
                                        "--bandwidth=1GB/s",
                                        "--efficiency",
                                        "--efficiency=callpaths",
                                        "--per-rank",
                                        "--ideal",
                                        "--reference",
                                        "--predicted",
                                        "--measured",
                                        "--tolerance=5%",
                                        "ring",
                                        "halo2d",
                                        "-n",
                                        "3",
                                        "-i",
                                        "-b",
                                        "-1",
                                        "1e18",
                                        "--sync=lock",
                                        "--",
                                        "true",
                                        "--imbalance=nan",
                                        "--callpath=*",
                                        "--late-post=earliest",
                                        "--progress=call",
                                        "--scale=r=2",
                                        "a=b",
                                        "%",
                                        "",
                                        "9223372036854775808"};
    return mutate_lines(random, words, sizeof words / sizeof *words, data, size, room);
}

static size_t make_command(struct random *random, uint8_t *data, size_t room)
{
    static const char *const lines[] = {"analyze\nt.txt\n--json\nnew.json\n--verify",
                                        "simulate\nt.txt\n--platform\np.json\n--engine=loggp\n-o\nnew.rma",
                                        "compare\nt.txt\n--platform\np.json\n--engine=loggp\n--rows=a,d",
                                        "info\na.rma\n--json\nnew.json",
                                        "dump\na.rma\n-o\nnew.txt",
                                        "export\nt.txt\n--to\notf2\n-o\nnew",
                                        "generate\nring\n-n\n3\n-o\nnew.rma",
                                        "record\n-o\nnew.rma\n--\ntrue",
                                        "validate\n--predicted\nt.txt\n--measured\na.rma",
                                        "analyze\nf.txt\n--keep-going\n--csv\nnew",
                                        "simulate\nf.txt\n--platform=p.json\n--keep-going",
                                        "simulate\nt.txt\n--platform\np.json\n--verify\n--engine=loggp\n--json=-"};
    const char *line = lines[random_below(random, sizeof lines / sizeof *lines)];
    size_t size = strlen(line);
    if (size > room) return 0;
    memcpy(data, line, size);
    return size;
}

static void run_simgrid(const uint8_t *data, size_t size)
{
    static char said[SAID_BYTES];
    char directory[64];
    char *words[] = {(char *)FUZZ_COMMAND, "simulate", "t.txt", "--platform", "s.json", NULL};
    make_place(directory, sizeof directory);
    write_text(directory, "x.xml", (const char *)data, size);
    int how = run_words(directory, words, said);
    check_end(how, said, "simgrid");
    check_files(directory, "simgrid");
    fuzz_remove(directory);
}

static size_t mutate_simgrid(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const lines[] = {
        "<zone id=\"z\" routing=\"Full\">",
        "</zone>",
        "<host id=\"n9\" speed=\"1Gf\"/>",
        "<host id=\"n1\" speed=\"-1Gf\"/>",
        "<link id=\"l9\" bandwidth=\"1GBps\" latency=\"1us\"/>",
        "<link id=\"l9\" bandwidth=\"0Bps\" latency=\"-1us\"/>",
        "<route src=\"n1\" dst=\"n2\">",
        "</route>",
        "<link_ctn id=\"l1\"/>",
        "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>",
        "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-9999\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>",
        "<!DOCTYPE platform SYSTEM \"none\">",
        "<config><prop id=\"network/model\" value=\"none\"/></config>",
        "<prop id=\"a\" value=\"b\"/>"};
    return mutate_lines(random, lines, sizeof lines / sizeof *lines, data, size, room);
}

const struct fuzz_harness harness_command = {
    .name = "command",
    .summary = "command lines: what they say and leave",
    .run = run_command,
    .mutate = mutate_command,
    .make = make_command,
};
const struct fuzz_harness harness_simgrid = {
    .name = "simgrid",
    .summary = "SimGrid's platform files",
    .run = run_simgrid,
    .mutate = mutate_simgrid,
};
