#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "trace/spool/read.h"

/* Which program it was, how it ended, and how far its ranks came. */
static void tell_end(const char *command, int state, int expected_status, const struct trace *trace)
{
    print_message("%s\n", command);
    if (WIFEXITED(state))
        print_message("exit status %d, expected %d\n", WEXITSTATUS(state), expected_status);
    else
        print_message("wait status %#x, expected exit status %d\n", (unsigned)state, expected_status);
    for (uint32_t i = 0; trace && i < trace->rank_count; i++) {
        const struct trace_rank *rank = &trace->ranks[i];
        char place[TRACE_PLACE_BYTES];
        print_message("last: %s; %s\n", rank->count > 0 ? trace_place(trace, i, rank->count - 1, place) : "no event",
                      rank->incomplete ? rank->incomplete_why : "complete");
    }
}

struct trace *run_recorded(const char *settings, const char *program, int expected_status)
{
    char directory[] = "/tmp/rmacast-test-XXXXXX", command[4096];
    struct trace *trace;
    struct err err = {0};
    assert_non_null(mkdtemp(directory));
    bool threads = strstr(settings, "RMACAST_THREADS=1") != NULL;
    snprintf(command, sizeof command,
             "%s RMACAST_SPOOL=%s tests/record/limit.sh 100 env LD_PRELOAD=\"$TEST_PRELOAD\"%s%s %s -n 4 %s/%s "
             "3>&2 >/dev/null 2>&1",
             settings, directory, threads ? THREADS_LIBRARY ":" : "", RECORDER, MPIEXEC, PROGRAMS, program);
    int state = system(command);
    enum status status = spool_read(directory, &trace, &err);
    if (status != STATUS_OK) print_message("%s\n", err.text);
    if (!WIFEXITED(state) || WEXITSTATUS(state) != expected_status)
        tell_end(command, state, expected_status, status == STATUS_OK ? trace : NULL);
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
    assert_true(WIFEXITED(state));
    assert_int_equal(WEXITSTATUS(state), expected_status);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(trace_check(trace, &err), STATUS_OK);
    return trace;
}

struct walk walk_begin(const struct trace *trace, uint32_t rank)
{
    assert_true(rank < trace->rank_count);
    return (struct walk){trace, rank, 0};
}

const struct trace_call *walk_plain(struct walk *walk, const char *name, int32_t handle)
{
    const struct trace_rank *rank = &walk->trace->ranks[walk->rank];
    assert_true(walk->next < rank->count);
    const struct trace_call *call = &rank->calls[walk->next++];
    assert_string_equal(call_name((enum mpi_call)call->call), name);
    assert_int_equal(call->handle, handle);
    return call;
}

const struct trace_call *walk_call(struct walk *walk, const char *name, int32_t handle, int32_t peer, int32_t tag,
                                   int64_t bytes, int64_t disp)
{
    const struct trace_call *call = walk_plain(walk, name, handle);
    assert_int_equal(call->peer, peer);
    assert_int_equal(call->message.tag, tag);
    assert_int_equal(call->bytes, bytes);
    if (call_row((enum mpi_call)call->call)->allowed & F_DISP) assert_int_equal(call->rma.disp, disp);
    return call;
}

void walk_end(const struct walk *walk)
{
    assert_int_equal(walk->next, walk->trace->ranks[walk->rank].count);
}

void expect_group(const struct trace *trace, const struct trace_call *call, uint32_t count, const int32_t *members)
{
    assert_true(call->ref < trace->definitions.group_count);
    const struct trace_group *group = &trace->definitions.groups[call->ref];
    assert_int_equal(group->count, count);
    assert_memory_equal(group->members, members, count * sizeof *members);
}
