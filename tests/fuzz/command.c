#include "tests/fuzz/command.h"

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

#include "tests/fuzz/fuzz.h"
#include "trace/open.h"
#include "trace/otf2/otf2.h"

#ifndef FUZZ_COMMAND
#define FUZZ_COMMAND "rmacast"
#endif
const char command_program[] = FUZZ_COMMAND;

enum { RUN_SECONDS = 15 };

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

void command_write(const char *directory, const char *name, const char *text, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *out = fopen(path, "w");
    if (!out) abort();
    fwrite(text, 1, size, out);
    fclose(out);
}

void command_place(char *directory, size_t room)
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
        command_write(directory, files[i].name, files[i].text, strlen(files[i].text));
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

void command_check_files(const char *directory, const char *words)
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

int command_run(const char *directory, char **words, char *said)
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
        execv(command_program, words);
        _exit(99);
    }
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR) continue;
    ssize_t length = pread(errors, said, COMMAND_SAID_BYTES - 1, 0);
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

void command_check_end(int how, const char *said, const char *words)
{
    if (WIFSIGNALED(how)) fuzz_finding("ends by signal %d: %s: %s", WTERMSIG(how), words, said);
    int status = WEXITSTATUS(how);
    if (status == 99) {
        fprintf(stderr, "fuzz: %s cannot be run\n", command_program);
        exit(2);
    }
    if (status > 2) fuzz_finding("ends with %d: %s: %s", status, words, said);
    if (strstr(said, "ended by signal") && !strstr(said, "imgrid"))
        fuzz_finding("a child is killed: %s: %s", words, said);
    if (status != 0 && strncmp(last_line(said), "rmacast", 7) != 0)
        fuzz_finding("ends with %d and no line: %s: %s", status, words, said);
    if (status == 2 && last_line(said) != said) fuzz_finding("wrong usage in several lines: %s: %s", words, said);
}

void command_check_same(const char *directory, char **words, enum status status, const struct err *err)
{
    static char said[COMMAND_SAID_BYTES];
    int how = command_run(directory, words, said), expected = status == STATUS_SYSTEM ? STATUS_DATA : (int)status;
    command_check_end(how, said, words[1]);
    if (WEXITSTATUS(how) != expected || (status != STATUS_OK && !strstr(last_line(said), err->text)))
        fuzz_finding("%s ends with %d: '%.*s', the reader with %d: '%s'", words[1], WEXITSTATUS(how),
                     (int)strcspn(last_line(said), "\n"), last_line(said), (int)status, status == STATUS_OK ? "" : err->text);
}
