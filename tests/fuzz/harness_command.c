/* Command lines, and SimGrid platforms: rmacast itself (command.h). `record` runs no program but `true`. */
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/command.h"
#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"

static void run_command(const uint8_t *data, size_t size)
{
    static char text[FUZZ_ROOM + 1], all[FUZZ_ROOM + 1], said[COMMAND_SAID_BYTES];
    char directory[64], *words[COMMAND_WORDS_MAX + 2] = {(char *)command_program}, *rest;
    size_t count = 1;
    memcpy(text, data, size);
    text[size] = '\0';
    if (memchr(text, '/', size) && strstr(text, "/")) /* stays inside its place */
        for (char *c = text; *c; c++)
            if (*c == '/' && (c == text || c[-1] == '\n' || c[-1] == '=' || c[-1] == '.')) *c = '_';
    memcpy(all, text, sizeof all);
    for (char *c = all; *c; c++)
        if (*c == '\n') *c = ' ';
    for (char *word = strtok_r(text, "\n", &rest); word && count <= COMMAND_WORDS_MAX; word = strtok_r(NULL, "\n", &rest))
        words[count++] = word;
    words[count] = NULL;
    if (count > 1 && strcmp(words[1], "record") == 0) { /* nothing else is run */
        words[count - 1] = count > 2 ? "true" : words[count - 1];
        for (size_t i = 2; i < count; i++)
            if (words[i][0] != '-' && i < count - 1) words[i] = "true";
    }
    command_place(directory, sizeof directory);
    int how = command_run(directory, words, said);
    command_check_end(how, said, all);
    command_check_files(directory, all);
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
                                        "mpi.rma.protocol.calls.lock=[]",
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
    static char said[COMMAND_SAID_BYTES];
    char directory[64];
    char *words[] = {(char *)command_program, "simulate", "t.txt", "--platform", "s.json", NULL};
    command_place(directory, sizeof directory);
    command_write(directory, "x.xml", (const char *)data, size);
    int how = command_run(directory, words, said);
    command_check_end(how, said, "simgrid");
    command_check_files(directory, "simgrid");
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
