/* What contradicts MPI: of each rule one small program that breaks it and one that comes near and does not. The
 * programs follow from the section of MPI-3.1 that the rule's row names (model/violations/violations.def); who breaks it, with
 * which event and with whom, is counted in the lines: "rank.event", then the other side. Times are microseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/violations/violations.h"
#include "model_test.h"
#include "tests/slices/memory_source.h"
#include "tests/slices/same_result.h"

struct example {
    const char *name;  /* the rule */
    const char *wrong; /* lines of a program that breaks it */
    const char *found; /* "kind rank.event[ with rank.event]", one per line, in the order of rank and event */
    const char *legal; /* of one that does not, and breaks no other rule */
};

static const char header[] = "ranks 3\ncomm 3 ranks=0,1,2 between=1\nwindow 0 comm=0 bytes=100 disp_unit=1\n"
                             "window 1 comm=0 bytes=100 disp_unit=4\nwindow 2 comm=3\n"
                             "comm 1 ranks=0,1\n";

/* One line with its times; a user region has one. */
static int write_call(char *text, size_t room, char rank, int from, int to, const char *call, int length)
{
    bool region = strncmp(call, "enter ", 6) == 0 || strncmp(call, "leave ", 6) == 0;
    if (region) return snprintf(text, room, "%c %d.0e-6 %.*s\n", rank, from, length, call);
    return snprintf(text, room, "%c %d.0e-6 %d.0e-6 %.*s\n", rank, from, to, length, call);
}

/* "0 MPI_Barrier comm=0" as event k of rank 0 takes from 10k to 10k + 5 us; "0@20-25 MPI_Barrier comm=0" says its
 * times; other lines stay. */
static struct trace *make(const char *lines)
{
    static char text[1 << 14];
    int events[3] = {0};
    size_t used = (size_t)snprintf(text, sizeof text, "%s", header);
    for (const char *line = lines; *line; line = strchr(line, '\n') + 1) {
        int from, to, skip = 2, length = (int)strcspn(line, "\n"), written;
        bool call = *line >= '0' && *line <= '2';
        if (call && line[1] == '@') {
            assert_int_equal(sscanf(line, "%*c@%d-%d %n", &from, &to, &skip), 2);
        } else if (call) {
            from = 10 * ++events[*line - '0'];
            to = from + 5;
        }
        written = call ? write_call(text + used, sizeof text - used, *line, from, to, line + skip, length - skip)
                       : snprintf(text + used, sizeof text - used, "%.*s\n", length, line);
        used += (size_t)written;
        assert_true(used < sizeof text);
    }
    return trace_of(text);
}

/* Clears the violations. */
static void list(struct result_violations *violations, char *found, size_t room)
{
    size_t used = 0;
    *found = '\0';
    for (size_t i = 0; i < violations->count; i++) {
        const struct result_violation *item = &violations->items[i];
        used += (size_t)snprintf(found + used, room - used, "%s %u.%u", item->kind, item->call.rank,
                                 (unsigned)item->call.event);
        if (item->other_known)
            used += (size_t)snprintf(found + used, room - used, " with %u.%u", item->other.rank,
                                     (unsigned)item->other.event);
        used += (size_t)snprintf(found + used, room - used, "\n");
    }
    assert_int_equal(violations->count, violations->total);
    result_violations_clear(violations);
}

/* The same in slices, down to one call at a time. */
static void expect_in_slices(const char *name, const struct trace *trace, const char *expected)
{
    char found[2048];
    struct err err, refused;
    if (trace_check_one_thread(trace, "a slice", &err) != STATUS_OK) return;
    for (size_t calls = 1; calls <= 5; calls += 2) {
        struct trace_source source;
        struct result *result = NULL;
        struct result_violations violations;
        if (source_of_trace(trace, &source, &err) != STATUS_OK) fail_msg("%s", err.text);
        enum status status = analyze_and_check(&source, &same_options, calls, &result, &violations, &refused);
        if (!violations.known) fail_msg("%s, %zu calls at a time: %s", name, calls, refused.text);
        if (status == STATUS_OK) result_free(result);
        list(&violations, found, sizeof found);
        if (strcmp(found, expected) != 0)
            fail_msg("%s, %zu calls at a time: found\n%sexpected\n%s", name, calls, found, expected);
        source_close(&source);
    }
}

static void expect(const char *name, const char *lines, const char *expected)
{
    char found[2048];
    struct err err;
    struct result_violations violations;
    struct trace *trace = make(lines);
    if (violations_find(trace, &violations, &err) != STATUS_OK) fail_msg("%s", err.text);
    list(&violations, found, sizeof found);
    if (strcmp(found, expected) != 0) fail_msg("%s: found\n%sexpected\n%s", name, found, expected);
    expect_in_slices(name, trace, expected);
    trace_free(trace);
}

#define FENCES    "0 MPI_Win_fence win=0\n1 MPI_Win_fence win=0\n2 MPI_Win_fence win=0\n"
#define ALL(CALL) "0 " CALL "\n1 " CALL "\n2 " CALL "\n"

static const struct example examples[] = {
    {"call_before_init", "0 MPI_Barrier comm=1\n0 MPI_Init\n1 MPI_Init\n1 MPI_Barrier comm=1\n",
     "call_before_init 0.1 with 0.2\n",
     /* groups are local and threads may start before */
     "0 pthread_mutex_lock object=0\n0 pthread_mutex_unlock object=0\n0 MPI_Init\n0 MPI_Barrier comm=1\n1 MPI_Init\n"
     "1 MPI_Barrier comm=1\n"},
    {"call_after_finalize", "0 MPI_Finalize\n0 MPI_Barrier comm=1\n1 MPI_Barrier comm=1\n1 MPI_Finalize\n",
     "call_after_finalize 0.2 with 0.1\n", "0 MPI_Finalize\n0 enter end\n0 leave end\n"},
    {"init_twice", "0 MPI_Init\n0 MPI_Init\n", "init_twice 0.2 with 0.1\n", "0 MPI_Init\n1 MPI_Init_thread\n"},
    {"window_before_creation", FENCES ALL("MPI_Win_create win=0"),
     "window_before_creation 0.1 with 0.2\nwindow_before_creation 1.1 with 1.2\nwindow_before_creation 2.1 with 2.2\n",
     ALL("MPI_Win_create win=0") FENCES},
    {"window_created_twice", ALL("MPI_Win_create win=0") ALL("MPI_Win_create win=0"),
     "window_created_twice 0.2\nwindow_created_twice 1.2\nwindow_created_twice 2.2\n",
     ALL("MPI_Win_create win=0") ALL("MPI_Win_free win=0") ALL("MPI_Win_create win=0")},
    {"window_of_intercommunicator", ALL("MPI_Win_create win=2"),
     "window_of_intercommunicator 0.1\nwindow_of_intercommunicator 1.1\nwindow_of_intercommunicator 2.1\n",
     ALL("MPI_Win_create win=0")},
    {"window_after_free", ALL("MPI_Win_free win=0") FENCES,
     "window_after_free 0.2 with 0.1\nwindow_after_free 1.2 with 1.1\nwindow_after_free 2.2 with 2.1\n",
     ALL("MPI_Win_free win=0") ALL("MPI_Win_create win=0") FENCES},
    {"window_freed_twice", ALL("MPI_Win_free win=0") ALL("MPI_Win_free win=0"),
     "window_freed_twice 0.2 with 0.1\nwindow_freed_twice 1.2 with 1.1\nwindow_freed_twice 2.2 with 2.1\n",
     ALL("MPI_Win_free win=0") ALL("MPI_Win_free win=1")},
    {"window_freed_in_epoch", "0 MPI_Win_lock win=0 target=1 lock=shared\n" ALL("MPI_Win_free win=0"),
     "window_freed_in_epoch 0.2 with 0.1\n",
     "0 MPI_Win_lock win=0 target=1 lock=shared\n0 MPI_Win_unlock win=0 target=1\n" FENCES ALL("MPI_Win_free win=0")},
    {"operation_outside_epoch", "0 MPI_Put win=0 target=1 bytes=8 disp=0\n", "operation_outside_epoch 0.1\n",
     "0 MPI_Put win=0 target=- bytes=8 disp=0\n"}, /* nobody's window needs no epoch here: nothing moves */
    {"operation_outside_group",
     "0 MPI_Win_start win=0 group=1\n0 MPI_Put win=0 target=2 bytes=8\n0 MPI_Win_complete win=0\n"
     "1 MPI_Win_post win=0 group=0\n1 MPI_Win_wait win=0\n",
     "operation_outside_group 0.2 with 0.1\n",
     "0 MPI_Win_start win=0 group=1,2\n0 MPI_Put win=0 target=2 bytes=8\n0 MPI_Win_complete win=0\n"
     "1 MPI_Win_post win=0 group=0\n1 MPI_Win_wait win=0\n2 MPI_Win_post win=0 group=0\n2 MPI_Win_wait win=0\n"},
    {"request_operation_outside_lock", FENCES "0 MPI_Rput win=0 target=1 bytes=8 req=1\n0 MPI_Wait req=1\n" FENCES,
     "request_operation_outside_lock 0.2 with 0.1\n",
     FENCES "0 MPI_Win_lock_all win=0\n0 MPI_Rput win=0 target=1 bytes=8 req=1\n0 MPI_Wait req=1\n0 MPI_Win_unlock_all "
            "win=0\n"},
    /* 24 units of 4 bytes are 96: 4 bytes fit, 5 do not */
    {"operation_beyond_window",
     "0 MPI_Win_lock win=1 target=1 lock=shared\n0 MPI_Put win=1 target=1 bytes=5 disp=24\n0 MPI_Win_unlock win=1 "
     "target=1\n",
     "operation_beyond_window 0.2\n",
     "0 MPI_Win_lock win=1 target=1 lock=shared\n0 MPI_Put win=1 target=1 bytes=4 disp=24\n"
     "0 MPI_Put win=1 target=1 bytes=0 disp=900\n0 MPI_Put win=1 target=1 bytes=900\n0 MPI_Win_unlock win=1 "
     "target=1\n"},
    {"operation_beyond_window with gaps", /* 60 bytes from byte 50 on span 51 */
     "0 MPI_Win_lock win=0 target=1 lock=shared\n0 MPI_Get win=0 target=1 bytes=40 disp=50 target_extent=51\n"
     "0 MPI_Win_unlock win=0 target=1\n",
     "operation_beyond_window 0.2\n",
     "0 MPI_Win_lock win=0 target=1 lock=shared\n0 MPI_Get win=0 target=1 bytes=40 disp=50 target_extent=50\n"
     "0 MPI_Win_unlock win=0 target=1\n"},
    {"epochs_overlap",
     "0 MPI_Win_lock win=0 target=1 lock=shared\n0 MPI_Win_lock win=0 target=1 lock=shared\n0 MPI_Win_unlock win=0 "
     "target=1\n",
     "epochs_overlap 0.2 with 0.1\n",
     "0 MPI_Win_lock win=0 target=1 lock=shared\n0 MPI_Win_lock win=0 target=2 lock=shared\n0 MPI_Win_lock_all win=1\n"
     "0 MPI_Win_unlock win=0 target=1\n0 MPI_Win_unlock win=0 target=2\n0 MPI_Win_unlock_all win=1\n"},
    {"close_without_open", "0 MPI_Win_unlock win=0 target=1\n1 MPI_Win_wait win=0\n2 MPI_Win_complete win=0\n",
     "close_without_open 0.1\nclose_without_open 1.1\nclose_without_open 2.1\n",
     "0 MPI_Win_start win=0 group=\n0 MPI_Win_complete win=0\n1 MPI_Win_post win=0 group=\n1 MPI_Win_wait win=0\n"},
    {"flush_without_lock",
     "0 MPI_Win_lock win=0 target=1 lock=shared\n0 MPI_Win_flush win=0 target=2\n0 MPI_Win_unlock win=0 target=1\n",
     "flush_without_lock 0.2\n",
     "0 MPI_Win_lock win=0 target=1 lock=shared\n0 MPI_Win_flush win=0 target=1\n0 MPI_Win_flush_local_all win=0\n"
     "0 MPI_Win_unlock win=0 target=1\n0 MPI_Win_lock_all win=0\n0 MPI_Win_flush win=0 target=2\n0 MPI_Win_unlock_all "
     "win=0\n"},
    {"start_without_complete",
     "0 MPI_Win_start win=0 group=1\n1 MPI_Win_post win=0 group=0\n1 MPI_Win_test win=0 flag=1\n",
     "start_without_complete 0.1\n",
     "incomplete 0 killed\n0 MPI_Win_start win=0 group=1\n1 MPI_Win_post win=0 group=0\n1 MPI_Win_test win=0 flag=1\n"},
    {"post_without_wait",
     "0 MPI_Win_start win=0 group=1\n0 MPI_Win_complete win=0\n1 MPI_Win_post win=0 group=0\n1 MPI_Win_test win=0 "
     "flag=0\n",
     "post_without_wait 1.1\n",
     "0 MPI_Win_start win=0 group=1\n0 MPI_Win_complete win=0\n1 MPI_Win_post win=0 group=0\n1 MPI_Win_test win=0 "
     "flag=0\n"
     "1 MPI_Win_wait win=0 break=1\n"},
    {"start_without_post", "0 MPI_Win_start win=0 group=1\n0 MPI_Win_complete win=0\n", "start_without_post 0.1\n",
     "incomplete 1 killed\n0 MPI_Win_start win=0 group=1\n0 MPI_Win_complete win=0\n"},
    {"post_without_start", "1 MPI_Win_post win=0 group=0\n1 MPI_Win_wait win=0\n", "post_without_start 1.1\n",
     "incomplete 0 killed\n1 MPI_Win_post win=0 group=0\n1 MPI_Win_wait win=0\n"},
    {"lock_without_unlock", "0 MPI_Win_lock win=0 target=1 lock=shared\n1 MPI_Win_lock_all win=0\n",
     "lock_without_unlock 0.1\nlock_without_unlock 1.1\n",
     "2 MPI_Abort\n0 MPI_Win_lock win=0 target=1 lock=shared\n1 MPI_Win_lock_all win=0\n"},
    {"operation_without_fence", FENCES "0 MPI_Put win=0 target=1 bytes=8 disp=0\n", "operation_without_fence 0.2\n",
     FENCES "0 MPI_Put win=0 target=1 bytes=8 disp=0\n" FENCES},
    /* the flush returns at 30: rank 0 holds the lock from 30 to 90; rank 1 must hold it between 40 and 70 */
    {"lock_held_by_two",
     "0@0-1 MPI_Win_lock win=0 target=2 lock=exclusive\n0@2-3 MPI_Put win=0 target=2 bytes=8\n"
     "0@4-30 MPI_Win_flush win=0 target=2\n0@90-95 MPI_Win_unlock win=0 target=2\n"
     "1@40-41 MPI_Win_lock win=0 target=2 lock=shared\n1@42-43 MPI_Put win=0 target=2 bytes=8\n"
     "1@60-70 MPI_Win_unlock win=0 target=2\n",
     "lock_held_by_two 1.1 with 0.1\n",
     /* without the flush rank 0 may take its lock in MPI_Win_unlock, behind rank 1 */
     "0@0-1 MPI_Win_lock win=0 target=2 lock=exclusive\n0@2-3 MPI_Put win=0 target=2 bytes=8\n"
     "0@90-95 MPI_Win_unlock win=0 target=2\n"
     "1@40-41 MPI_Win_lock win=0 target=2 lock=shared\n1@42-43 MPI_Put win=0 target=2 bytes=8\n"
     "1@60-70 MPI_Win_unlock win=0 target=2\n"},
    {"lock_held_by_two, shared",
     "2@0-1 MPI_Win_lock win=0 target=2 lock=exclusive\n2@90-95 MPI_Win_unlock win=0 target=2\n"
     "1@40-41 MPI_Win_lock win=0 target=2 lock=shared\n1@42-43 MPI_Get win=0 target=2 bytes=8\n"
     "1@44-50 MPI_Win_flush_local win=0 target=2\n1@60-99 MPI_Win_unlock win=0 target=2\n",
     "lock_held_by_two 1.1 with 2.1\n",
     "2@0-1 MPI_Win_lock win=0 target=2 lock=shared\n2@90-95 MPI_Win_unlock win=0 target=2\n"
     "1@40-41 MPI_Win_lock win=0 target=2 lock=shared\n1@42-43 MPI_Get win=0 target=2 bytes=8\n"
     "1@44-50 MPI_Win_flush_local win=0 target=2\n1@60-99 MPI_Win_unlock win=0 target=2\n"},
    {"group_repeats_rank",
     "0 MPI_Win_start win=0 group=1,1\n0 MPI_Win_complete win=0\n1 MPI_Win_post win=0 group=0\n1 MPI_Win_wait win=0\n",
     "group_repeats_rank 0.1\n",
     "0 MPI_Win_start win=0 group=2,1\n0 MPI_Win_complete win=0\n1 MPI_Win_post win=0 group=0\n1 MPI_Win_wait win=0\n"
     "2 MPI_Win_post win=0 group=0\n2 MPI_Win_wait win=0\n"},
    {"noprecede_after_operation",
     FENCES "0 MPI_Put win=0 target=1 bytes=8\n" ALL("MPI_Win_fence win=0 assert=NOPRECEDE"),
     "noprecede_after_operation 0.3 with 0.2\n",
     ALL("MPI_Win_fence win=0 assert=NOPRECEDE") "0 MPI_Put win=0 target=1 bytes=8\n" ALL("MPI_Win_fence win=0")},
    {"operation_after_nosucceed",
     ALL("MPI_Win_fence win=0 assert=NOSUCCEED") "0 MPI_Put win=0 target=1 bytes=8\n" FENCES,
     "operation_after_nosucceed 0.2 with 0.1\n",
     ALL("MPI_Win_fence win=0 assert=NOSUCCEED") "0 MPI_Win_lock win=0 target=1 lock=shared\n"
                                                 "0 MPI_Put win=0 target=1 bytes=8\n0 MPI_Win_unlock win=0 target=1\n"},
    {"operation_after_noput, fence",
     "0 MPI_Win_fence win=0\n1 MPI_Win_fence win=0 assert=NOPUT\n2 MPI_Win_fence win=0\n"
     "0 MPI_Put win=0 target=1 bytes=8\n" FENCES,
     "operation_after_noput 0.2 with 1.1\n",
     "0 MPI_Win_fence win=0\n1 MPI_Win_fence win=0 assert=NOPUT\n2 MPI_Win_fence win=0\n"
     "0 MPI_Put win=0 target=2 bytes=8\n0 MPI_Get win=0 target=1 bytes=8\n" FENCES
     "0 MPI_Put win=0 target=1 bytes=8\n" FENCES},
    {"operation_after_noput, post",
     "0 MPI_Win_start win=0 group=1\n0 MPI_Accumulate win=0 target=1 bytes=8 op=SUM\n0 MPI_Win_complete win=0\n"
     "1 MPI_Win_post win=0 group=0 assert=NOPUT\n1 MPI_Win_wait win=0\n",
     "operation_after_noput 0.2 with 1.1\n",
     "0 MPI_Win_start win=0 group=1\n0 MPI_Get_accumulate win=0 target=1 bytes=0 result_bytes=8 op=NO_OP\n"
     "0 MPI_Win_complete win=0\n1 MPI_Win_post win=0 group=0 assert=NOPUT\n1 MPI_Win_wait win=0\n"},
    {"fence_assertions_differ",
     "0 MPI_Win_fence win=0 assert=NOPRECEDE\n1 MPI_Win_fence win=0\n2 MPI_Win_fence win=0 assert=NOPRECEDE\n",
     "fence_assertions_differ 1.1 with 0.1\n", /* NOSTORE and NOPUT are each rank's own */
     "0 MPI_Win_fence win=0 assert=NOSTORE\n1 MPI_Win_fence win=0\n2 MPI_Win_fence win=0 assert=NOPUT\n"},
    {"nocheck_differs",
     "0@20-21 MPI_Win_start win=0 group=1 assert=NOCHECK\n0@22-23 MPI_Win_complete win=0\n"
     "1@0-1 MPI_Win_post win=0 group=0\n1@2-30 MPI_Win_wait win=0\n",
     "nocheck_differs 0.1 with 1.1\n",
     "0@20-21 MPI_Win_start win=0 group=1 assert=NOCHECK\n0@22-23 MPI_Win_complete win=0\n"
     "1@0-1 MPI_Win_post win=0 group=0 assert=NOCHECK\n1@2-30 MPI_Win_wait win=0\n"},
    {"nocheck_before_post",
     "0@20-21 MPI_Win_start win=0 group=1 assert=NOCHECK\n0@22-23 MPI_Win_complete win=0\n"
     "1@22-23 MPI_Win_post win=0 group=0 assert=NOCHECK\n1@24-30 MPI_Win_wait win=0\n",
     "nocheck_before_post 0.1 with 1.1\n",
     "0@20-21 MPI_Win_start win=0 group=1\n0@22-23 MPI_Win_complete win=0\n"
     "1@22-23 MPI_Win_post win=0 group=0\n1@24-30 MPI_Win_wait win=0\n"},
    {"collective_differs", "0 MPI_Barrier comm=1\n1 MPI_Bcast comm=1 root=0 bytes=8\n",
     "collective_differs 1.1 with 0.1\n", /* rank 2 is no member of the first one's communicator */
     "0 MPI_Barrier comm=1\n0 MPI_Bcast comm=0 root=0 bytes=8\n1 MPI_Barrier comm=1\n1 MPI_Bcast comm=0 root=0 "
     "bytes=8\n"
     "2 MPI_Bcast comm=0 root=0 bytes=8\n"},
    {"collective_differs, non-blocking", "0 MPI_Barrier comm=1\n1 MPI_Ibarrier comm=1 req=1\n1 MPI_Wait req=1\n",
     "collective_differs 1.1 with 0.1\n",
     "0 MPI_Ibarrier comm=1 req=7\n0 MPI_Wait req=7\n1 MPI_Ibarrier comm=1 req=1\n1 MPI_Wait req=1\n"},
    {"collective_missing", "0 MPI_Barrier comm=1\n0 MPI_Barrier comm=1\n1 MPI_Barrier comm=1\n",
     "collective_missing 0.2\n",
     "incomplete 1 killed\n0 MPI_Barrier comm=1\n0 MPI_Barrier comm=1\n1 MPI_Barrier comm=1\n"},
    {"collective_missing, fence", "0 MPI_Win_fence win=0\n1 MPI_Win_fence win=0\n", "collective_missing 0.1\n", FENCES},
    {"root_differs", "0 MPI_Bcast comm=1 root=0 bytes=8\n1 MPI_Bcast comm=1 root=1 bytes=8\n",
     "root_differs 1.1 with 0.1\n", "0 MPI_Bcast comm=1 root=0 bytes=8\n1 MPI_Bcast comm=1 root=0 bytes=8\n"},
    {"size_differs", "0 MPI_Allreduce comm=1 bytes=8\n1 MPI_Allreduce comm=1 bytes=16\n", "size_differs 1.1 with 0.1\n",
     "0 MPI_Allgatherv comm=1 bytes=8 counts=8,16\n1 MPI_Allgatherv comm=1 bytes=16 counts=8,16\n"},
    /* each group has its own size, the same in the group: that of rank 0, and that of ranks 1 and 2 */
    {"size_differs, in the other group",
     "0 MPI_Allgather comm=3 bytes=4\n1 MPI_Allgather comm=3 bytes=8\n2 MPI_Allgather comm=3 bytes=16\n",
     "size_differs 2.1 with 1.1\n",
     "0 MPI_Allgather comm=3 bytes=4\n1 MPI_Allgather comm=3 bytes=8\n2 MPI_Allgather comm=3 bytes=8\n"},
    {"operation_differs", "0 MPI_Allreduce comm=1 bytes=8 op=SUM\n1 MPI_Allreduce comm=1 bytes=8 op=MAX\n",
     "operation_differs 1.1 with 0.1\n", /* one of them is not known */
     "0 MPI_Allreduce comm=1 bytes=8 op=SUM\n1 MPI_Allreduce comm=1 bytes=8\n"},
    {"counts_differ, gatherv", "0 MPI_Gatherv comm=1 root=0 bytes=8 counts=8,16\n1 MPI_Gatherv comm=1 root=0 bytes=8\n",
     "counts_differ 1.1 with 0.1\n",
     "0 MPI_Gatherv comm=1 root=0 bytes=8 counts=8,16\n1 MPI_Gatherv comm=1 root=0 bytes=16\n"},
    {"counts_differ, allgatherv",
     "0 MPI_Allgatherv comm=1 bytes=8 counts=8,16\n1 MPI_Allgatherv comm=1 bytes=16 counts=9,16\n",
     "counts_differ 1.1 with 0.1\n",
     "0 MPI_Allgatherv comm=1 bytes=8 counts=8,16\n1 MPI_Allgatherv comm=1 bytes=16 counts=8,16\n"},
    {"counts_differ, alltoallv", /* rank 1 is sent 2 + 4 */
     "0 MPI_Alltoallv comm=1 bytes=3 counts=1,2 received=4\n1 MPI_Alltoallv comm=1 bytes=7 counts=3,4 received=7\n",
     "counts_differ 1.1\n",
     "0 MPI_Alltoallv comm=1 bytes=3 counts=1,2 received=4\n1 MPI_Alltoallv comm=1 bytes=7 counts=3,4 received=6\n"},
    {"message_not_received",
     "0 MPI_Send comm=0 peer=1 tag=5 bytes=8\n0 MPI_Send comm=0 peer=1 tag=5 bytes=8\n1 MPI_Recv comm=0 peer=0 tag=5 "
     "bytes=8\n",
     "message_not_received 0.2\n",
     "incomplete 1 killed\n0 MPI_Send comm=0 peer=1 tag=5 bytes=8\n0 MPI_Send comm=0 peer=- tag=5 bytes=8\n"},
    {"receive_without_message",
     "0 MPI_Send comm=0 peer=1 tag=5 bytes=8\n1 MPI_Recv comm=0 peer=0 tag=5 bytes=8\n1 MPI_Recv comm=0 peer=0 tag=6 "
     "bytes=8\n",
     "receive_without_message 1.2\n", /* it may have been cancelled */
     "1 MPI_Irecv comm=0 peer=0 tag=6 bytes=8 req=1\n1 MPI_Cancel\n1 MPI_Wait req=1\n"},
    {"counts_differ, own block",
     "0 MPI_Iallgatherv comm=1 bytes=8 counts=8,16 req=1\n1 MPI_Iallgatherv comm=1 bytes=24 counts=8,16 req=1\n"
     "0 MPI_Wait req=1\n1 MPI_Wait req=1\n",
     "counts_differ 1.1\n",
     "0 MPI_Reduce_scatter comm=1 bytes=24 counts=8,16\n1 MPI_Reduce_scatter comm=1 bytes=24 counts=8,16\n"},
    {"counts_differ, own sum",
     "0 MPI_Alltoallv comm=1 bytes=4 counts=1,2\n1 MPI_Alltoallv comm=1 bytes=7 counts=3,4\n", "counts_differ 0.1\n",
     "0 MPI_Alltoallv comm=1 bytes=3 counts=1,2\n1 MPI_Alltoallv comm=1 bytes=7 counts=3,4\n"},
    {"receive_without_probe", /* the second one has no handle; there is none of MPI_PROC_NULL */
     "1 MPI_Send comm=0 peer=0 tag=5 bytes=8\n1 MPI_Send comm=0 peer=0 tag=5 bytes=8\n"
     "0 MPI_Mprobe comm=0 peer=1 tag=5 bytes=8\n0 MPI_Mrecv comm=0 peer=1 tag=5 bytes=8\n"
     "0 MPI_Mrecv comm=0 peer=1 tag=5 bytes=8\n",
     "receive_without_probe 0.3\n",
     "1 MPI_Send comm=0 peer=0 tag=5 bytes=8\n0 MPI_Mprobe comm=0 peer=1 tag=5 bytes=8\n0 MPI_Mprobe comm=0 peer=- tag=5\n"
     "0 MPI_Mrecv comm=0 peer=- tag=5 bytes=0\n0 MPI_Mrecv comm=0 peer=1 tag=5 bytes=8\n"},
    {"clear_without_set", "window 7 comm=0 flavor=heap\n0 shmem_set_lock win=7 object=4\n0 shmem_clear_lock win=7 object=4\n"
                          "0 shmem_clear_lock win=7 object=4\n",
     "clear_without_set 0.3\n",
     "window 7 comm=0 flavor=heap\n0 shmem_test_lock win=7 object=4 flag=1\n0 shmem_clear_lock win=7 object=4\n"},
    {"set_without_clear, threads",
     "window 7 comm=0 flavor=heap\n0@10-15 shmem_set_lock win=7 object=4\n0@10-20 shmem_set_lock win=7 object=4 thread=1\n"
     "0@30-31 shmem_clear_lock win=7 object=4\n",
     "set_without_clear 0.2 with 0.1\n",
     "window 7 comm=0 flavor=heap\n0@10-15 shmem_set_lock win=7 object=4\n0@10-40 shmem_set_lock win=7 object=4 thread=1\n"
     "0@30-31 shmem_clear_lock win=7 object=4\n0@50-51 shmem_clear_lock win=7 object=4 thread=1\n"},
    {"set_without_clear", /* at the end of the rank; a failed test takes nothing */
     "window 7 comm=0 flavor=heap\n0@10-15 shmem_set_lock win=7 object=4\n0@10-20 shmem_set_lock win=7 object=4 thread=1\n"
     "1 shmem_set_lock win=7 object=5\n1 shmem_set_lock win=7 object=5\n",
     "set_without_clear 0.2 with 0.1\nset_without_clear 1.2 with 1.1\n",
     "window 7 comm=0 flavor=heap\n0 shmem_set_lock win=7 object=4\n0 shmem_test_lock win=7 object=4 flag=0\n"
     "0 shmem_clear_lock win=7 object=4\n"},
    {"message_truncated", "0 MPI_Send comm=0 peer=1 tag=5 bytes=9\n1 MPI_Recv comm=0 peer=0 tag=5 bytes=8\n",
     "message_truncated 1.1 with 0.1\n",
     "0 MPI_Sendrecv comm=0 peer=1 tag=5 bytes=9 source=1 recvtag=6 received=3\n"
     "1 MPI_Sendrecv comm=0 peer=0 tag=6 bytes=3 source=0 recvtag=5 received=9\n"},
    {"ready_send_early",
     "0@10-11 MPI_Rsend comm=0 peer=1 tag=5 bytes=8\n1@20-21 MPI_Recv comm=0 peer=0 tag=5 bytes=8\n",
     "ready_send_early 0.1 with 1.1\n",
     "0@20-21 MPI_Rsend comm=0 peer=1 tag=5 bytes=8\n1@20-22 MPI_Recv comm=0 peer=0 tag=5 bytes=8\n"},
    {"request_not_completed",
     "0 MPI_Isend comm=0 peer=1 tag=5 bytes=8 req=1\n0 MPI_Test req=1 flag=0\n1 MPI_Recv comm=0 peer=0 tag=5 bytes=8\n",
     "request_not_completed 0.1\n", /* which one was freed is not known */
     "0 MPI_Isend comm=0 peer=1 tag=5 bytes=8 req=1\n0 MPI_Request_free\n1 MPI_Irecv comm=0 peer=0 tag=5 bytes=8 "
     "req=3\n"
     "1 MPI_Waitall reqs=3\n"},
    {"communicator_before_creation",
     "0 MPI_Barrier comm=1\n0 MPI_Comm_dup comm=0 newcomm=1\n1 MPI_Comm_dup comm=0 newcomm=1\n1 MPI_Barrier comm=1\n",
     "communicator_before_creation 0.1 with 0.2\n",
     "0 MPI_Comm_dup comm=0 newcomm=1\n0 MPI_Barrier comm=1\n1 MPI_Comm_dup comm=0 newcomm=1\n1 MPI_Barrier comm=1\n"
     "2 MPI_Comm_dup comm=0\n"},
    {"communicator_before_creation, freed on one rank",
     "0 MPI_Barrier comm=1\n0 MPI_Comm_free comm=1\n0 MPI_Comm_dup comm=0 newcomm=1\n1 MPI_Comm_dup comm=0 newcomm=1\n"
     "1 MPI_Barrier comm=1\n1 MPI_Comm_free comm=1\n",
     "communicator_before_creation 0.1 with 0.3\n", /* all ranks begin with it: made before the trace */
     "0 MPI_Barrier comm=1\n0 MPI_Comm_free comm=1\n0 MPI_Comm_dup comm=0 newcomm=1\n1 MPI_Barrier comm=1\n"
     "1 MPI_Comm_free comm=1\n1 MPI_Comm_dup comm=0 newcomm=1\n2 MPI_Comm_dup comm=0\n"},
    {"communicator_after_free",
     "0 MPI_Comm_free comm=1\n0 MPI_Barrier comm=1\n1 MPI_Barrier comm=1\n1 MPI_Comm_free comm=1\n",
     "communicator_after_free 0.2 with 0.1\n",
     "0 MPI_Comm_free comm=1\n0 MPI_Comm_dup comm=0 newcomm=1\n0 MPI_Barrier comm=1\n1 MPI_Comm_free comm=1\n"
     "1 MPI_Comm_dup comm=0 newcomm=1\n1 MPI_Barrier comm=1\n2 MPI_Comm_dup comm=0\n"},
    {"unlock_of_other",
     "0 pthread_mutex_lock object=3\n0 pthread_mutex_unlock object=3\n0 pthread_mutex_unlock object=3\n",
     "unlock_of_other 0.3\n", /* taken before the recording began, perhaps; twice; by trying */
     "1 MPI_Init\n1 pthread_mutex_unlock object=3\n0 pthread_mutex_lock object=3\n0 pthread_mutex_trylock object=3 "
     "flag=1\n"
     "0 pthread_mutex_unlock object=3\n0 pthread_mutex_unlock object=3\n"},
    {"unlock_of_other, threads",
     "0@10-11 pthread_mutex_lock object=3\n0@12-13 pthread_mutex_trylock object=3 flag=0 thread=1\n"
     "0@14-15 pthread_mutex_unlock object=3 thread=1\n0@16-17 pthread_mutex_unlock object=3\n",
     "unlock_of_other 0.3\n", /* the second one waits for the first one's unlock */
     "0@10-11 pthread_mutex_lock object=3\n0@12-18 pthread_mutex_lock object=3 thread=1\n"
     "0@16-17 pthread_mutex_unlock object=3\n0@19-20 pthread_mutex_unlock object=3 thread=1\n"},
    {"wait_without_mutex", "0 pthread_cond_wait object=4 mutex=3\n", "wait_without_mutex 0.1\n",
     "0 pthread_mutex_lock object=3\n0 pthread_cond_wait object=4 mutex=3\n0 pthread_mutex_unlock object=3\n"},
};

static void wrong_programs_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        expect(examples[i].name, examples[i].wrong, examples[i].found);
}

static void legal_programs_are_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) expect(examples[i].name, examples[i].legal, "");
}

/* Every row has its example. */
static void every_rule_is_shown(void **state)
{
    (void)state;
    for (int k = 0; k < VIOLATION_KIND_COUNT; k++) {
        const char *name = violation_row((enum violation_kind)k)->name;
        size_t i = 0, count = sizeof examples / sizeof *examples;
        while (i < count && strncmp(examples[i].found, name, strlen(name)) != 0) i++;
        if (i == count) fail_msg("%s has no example", name);
    }
}

/* 101 puts outside any epoch: one more than are listed. */
static void all_are_counted(void **state)
{
    (void)state;
    char lines[101 * 40] = "";
    struct err err;
    struct result_violations violations;
    for (int i = 0; i < 101; i++) strcat(lines, "0 MPI_Put win=0 target=1 bytes=8\n");
    struct trace *trace = make(lines);
    assert_int_equal(violations_find(trace, &violations, &err), STATUS_OK);
    assert_int_equal(violations.count, 100);
    assert_int_equal(violations.total, 101);
    result_violations_clear(&violations);
    trace_free(trace);
}

/* What a result says of a call: thread, time since the first event, call path, place; and the sentence. */
static void places_are_told(void **state)
{
    (void)state;
    struct err err;
    struct result_violations violations;
    struct trace *trace =
        make("1@5-6 enter exchange thread=2\n1@7-8 MPI_Put win=1 target=2 bytes=8 disp=24 thread=2 site=f@halo.c:40\n"
             "1@9-9 leave exchange thread=2\n");
    assert_int_equal(violations_find(trace, &violations, &err), STATUS_OK);
    assert_int_equal(violations.count, 2); /* beyond the end, then outside any epoch: in the order of the table */
    const struct result_violation *beyond = &violations.items[1];
    assert_string_equal(violations.items[0].kind, "operation_outside_epoch");
    assert_string_equal(beyond->kind, "operation_beyond_window");
    assert_string_equal(beyond->section, "11.3");
    assert_string_equal(beyond->sentence,
                        "the operation goes beyond the end of the target's window: 8 bytes from byte 96 "
                        "on, rank 2 has 100 bytes in window 1");
    assert_int_equal(beyond->call.rank, 1);
    assert_int_equal(beyond->call.thread, 2);
    assert_int_equal(beyond->call.event, 2);
    assert_string_equal(beyond->call.callpath, "exchange/f");
    assert_string_equal(beyond->call.file, "halo.c");
    assert_int_equal(beyond->call.line, 40);
    assert_int_equal((int)(beyond->call.time_s * 1e7 + 0.5), 20); /* 7 us, 5 us after the first event */
    assert_false(beyond->other_known);
    result_violations_clear(&violations);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_programs_are_told), cmocka_unit_test(legal_programs_are_not),
        cmocka_unit_test(every_rule_is_shown),     cmocka_unit_test(all_are_counted),
        cmocka_unit_test(places_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
