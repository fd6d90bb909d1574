/* replay LIBRARY DIRECTORY: writes each row of waits.def that LIBRARY has as a trace, DIRECTORY/NUMBER.txt, and for it
 * a line "NUMBER LETTER CALLS BYTES NAME". Rank 0 makes the row's calls 0.2 s after a barrier, rank 1 computes for 1 s
 * behind it; CALLS is the number of rank 0's calls up to the last of the row's. replay.sh simulates it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 20, LINES_BYTES = 512 };

static const char *const libraries[] = {"mpich-tcp", "mpich-shm", "openmpi-pt2pt", "openmpi-rdma"};

static const struct {
    const char *waits, *name;
    int n;
    const char *before, *call, *after;
} rows[] = {
#define ROW(WAITS, NAME, N, BEFORE, CALL, AFTER) {WAITS, NAME, N, #BEFORE, #CALL, #AFTER},
#include "tests/protocols/waits.def"
};

/* What waits.c calls under these names, for both ranks: calls of the text trace, each ended by a semicolon; %d is n. */
#define PUT         "MPI_Put win=0 target=1 bytes=%d disp=0;"
#define GET         "MPI_Get win=0 target=1 bytes=%d disp=0;"
#define ACCUMULATE  "MPI_Accumulate win=0 target=1 bytes=%d disp=0 op=SUM;"
#define FLUSH       "MPI_Win_flush win=0 target=1;"
#define FLUSH_LOCAL "MPI_Win_flush_local win=0 target=1;"
#define SPAN        "131072" /* more than the bytes of any row with gaps */
#define LOCK(TO)    "MPI_Win_lock win=0 target=" TO " lock=exclusive assert=0;"
#define UNLOCK(TO)  "MPI_Win_unlock win=0 target=" TO ";"
#define START       "MPI_Win_start win=0 group=1 assert=0;"
#define POST        "MPI_Win_post win=0 group=0 assert=0;"
#define COMPLETE    "MPI_Win_complete win=0;"
#define WAIT        "MPI_Win_wait win=0;"
#define BARRIER     "MPI_Barrier comm=0;"

static const struct calls {
    const char *name, *of[2];
} calls[] = {
    {"nothing", {"", ""}},
    {"hold", {"MPI_Win_lock win=0 target=1 lock=shared assert=0;MPI_Put win=0 target=1 bytes=8 disp=0;" FLUSH, ""}},
    {"hold_all", {"MPI_Win_lock_all win=0 assert=0;", ""}},
    {"hold_unchecked", {"MPI_Win_lock win=0 target=1 lock=shared assert=NOCHECK;", ""}},
    {"release", {UNLOCK("1"), ""}},
    {"flush", {FLUSH, ""}},
    {"flush_all", {"MPI_Win_flush_all win=0;", ""}},
    {"put", {PUT, ""}},
    {"put_flush_local", {PUT FLUSH_LOCAL, ""}},
    {"put_flush", {PUT FLUSH, ""}},
    {"get", {GET, ""}},
    {"get_flush_local", {GET FLUSH_LOCAL, ""}},
    {"accumulate", {ACCUMULATE, ""}},
    {"accumulate_flush_local", {ACCUMULATE FLUSH_LOCAL, ""}},
    {"accumulate_flush", {ACCUMULATE FLUSH, ""}},
    {"get_accumulate", {"MPI_Get_accumulate win=0 target=1 bytes=%d result_bytes=%d disp=0 op=SUM;" FLUSH, ""}},
    {"compare_and_swap", {"MPI_Compare_and_swap win=0 target=1 bytes=16 result_bytes=8 disp=0;" FLUSH, ""}},
    {"rput", {"MPI_Rput win=0 target=1 bytes=%d disp=0 req=1;MPI_Wait req=1;", ""}},
    {"rget", {"MPI_Rget win=0 target=1 bytes=%d disp=0 req=1;MPI_Wait req=1;", ""}},
    {"put_from_gaps", {"MPI_Put win=0 target=1 bytes=%d disp=0 origin_extent=" SPAN ";" FLUSH_LOCAL, ""}},
    {"put_into_gaps", {"MPI_Put win=0 target=1 bytes=%d disp=0 target_extent=" SPAN ";" FLUSH_LOCAL, ""}},
    {"get_into_gaps", {"MPI_Get win=0 target=1 bytes=%d disp=0 origin_extent=" SPAN ";" FLUSH_LOCAL, ""}},
    {"get_from_gaps", {"MPI_Get win=0 target=1 bytes=%d disp=0 target_extent=" SPAN ";" FLUSH_LOCAL, ""}},
    {"rput_into_gaps", {"MPI_Rput win=0 target=1 bytes=%d disp=0 req=1 target_extent=" SPAN ";MPI_Wait req=1;", ""}},
    {"rget_into_gaps", {"MPI_Rget win=0 target=1 bytes=%d disp=0 req=1 origin_extent=" SPAN ";MPI_Wait req=1;", ""}},
    {"rget_from_gaps", {"MPI_Rget win=0 target=1 bytes=%d disp=0 req=1 target_extent=" SPAN ";MPI_Wait req=1;", ""}},
    {"raccumulate", {"MPI_Raccumulate win=0 target=1 bytes=%d disp=0 op=SUM req=1;MPI_Wait req=1;", ""}},
    {"lock", {LOCK("1"), ""}},
    {"unlock_after_target", {UNLOCK("1"), LOCK("1") UNLOCK("1")}},
    {"lock_own", {LOCK("0") UNLOCK("0"), ""}},
    {"unlock", {UNLOCK("1"), ""}},
    {"put_unlock", {PUT UNLOCK("1"), ""}},
    {"lock_all", {"MPI_Win_lock_all win=0 assert=0;", ""}},
    {"unlock_all", {"MPI_Win_unlock_all win=0;", ""}},
    {"post", {"", POST}},
    {"start", {START, ""}},
    {"open_epoch", {START, POST}},
    {"put_complete", {PUT COMPLETE, ""}},
    {"get_complete", {GET COMPLETE, ""}},
    {"accumulate_complete", {ACCUMULATE COMPLETE, ""}},
    {"complete", {COMPLETE, ""}},
    {"wait_for_origin", {"", WAIT}},
    {"complete_and_wait", {COMPLETE, WAIT}},
    {"isend", {"MPI_Isend comm=0 peer=1 tag=3 bytes=%d req=1;MPI_Wait req=1;", ""}},
    {"receive", {"", "MPI_Recv comm=0 peer=0 tag=3 bytes=%d;"}},
};

static const struct calls *find_calls(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0) return &calls[i];
    fprintf(stderr, "no calls for %s\n", name);
    exit(1);
}

struct timeline {
    int rank, count;
    double now_s;
};

static void write_calls(FILE *out, struct timeline *timeline, const char *text, int n)
{
    char lines[LINES_BYTES];
    snprintf(lines, sizeof lines, text, n, n);
    for (char *line = strtok(lines, ";"); line; line = strtok(NULL, ";")) {
        fprintf(out, "%d %.6f %.6f %s\n", timeline->rank, timeline->now_s, timeline->now_s + 1e-6, line);
        timeline->now_s += 2e-6;
        timeline->count++;
    }
}

/* The calls of rank 0 up to the last of the row's. */
static int write_trace(FILE *out, size_t row)
{
    struct timeline ranks[] = {{0, 0, 0}, {1, 0, 0}};
    fprintf(out, "rmacast-trace 1\nranks 2\nwindow 0 comm=0 bytes=%d\n", BYTES_MAX);
    for (int r = 0; r < 2; r++) {
        write_calls(out, &ranks[r], find_calls(rows[row].before)->of[r], rows[row].n);
        write_calls(out, &ranks[r], BARRIER, 0);
    }
    ranks[0].now_s += 0.2;
    ranks[1].now_s += 1;
    write_calls(out, &ranks[0], find_calls(rows[row].call)->of[0], rows[row].n);
    int last = ranks[0].count;
    for (int r = 0; r < 2; r++) {
        write_calls(out, &ranks[r], find_calls(rows[row].after)->of[r], rows[row].n);
        write_calls(out, &ranks[r], BARRIER, 0);
    }
    return last;
}

int main(int argc, char **argv)
{
    int library = -1;
    for (int i = 0; argc == 3 && i < (int)(sizeof libraries / sizeof *libraries); i++)
        if (strcmp(argv[1], libraries[i]) == 0) library = i;
    if (library < 0) return 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[LINES_BYTES];
        if (rows[i].waits[library] == '-') continue;
        snprintf(path, sizeof path, "%s/%zu.txt", argv[2], i);
        FILE *out = fopen(path, "w");
        if (!out) return 1;
        int last = write_trace(out, i);
        if (fclose(out) != 0) return 1;
        printf("%zu %c %d %d %s\n", i, rows[i].waits[library], last, rows[i].n, rows[i].name);
    }
    return 0;
}
