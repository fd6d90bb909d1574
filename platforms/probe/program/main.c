/* See program/probe.h. Usage: rmacast-probe SECONDS GROUPS WINDOW [long], as `rmacast probe` starts it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platforms/probe/program/probe.h"

static void print_value(const char *name, double value)
{
    printf("rmacast-probe value %s %.6g\n", name, value);
    fflush(stdout);
}

/* --- what is asked, in groups --- */

static const int64_t sizes[] = {8, 1024, 8192, 65536, 1 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes };
static const int64_t few_sizes[] = {8, 8192, 65536, 1 << 20}, message_sizes[] = {64, 1024, 8192, 65536, 1 << 20, 4 << 20};

#define COUNT(ARRAY)        ((int)(sizeof(ARRAY) / sizeof *(ARRAY)))
#define SIZED(CASE, VARIANT, ARRAY) try_sizes(PROBE_##CASE, PROBE_VARIANT_##VARIANT, ARRAY, COUNT(ARRAY), NULL)
#define SINGLE(CASE, VARIANT, BYTES) try_case(PROBE_##CASE, PROBE_VARIANT_##VARIANT, BYTES, &(struct probe_votes){0})

/* The call of the case EPOCH in which an operation waits. */
enum { IN_CALL = 1, IN_COMPLETE, NOWHERE };

/* Whether an operation that waits for posts waits for its target's or for those of its group, at the first size that waits
 * in its call, and at the first one that waits in complete. */
static void ask_posts(enum probe_variant variant, const int winners[SIZES])
{
    bool asked[NOWHERE + 1] = {false};
    for (int i = 0; i < SIZES; i++) {
        int winner = winners[i];
        if ((winner != IN_CALL && winner != IN_COMPLETE) || asked[winner] || sizes[i] > WIDE_BYTES) continue;
        if (!three_awake() && !three_wake()) return;
        asked[winner] = true;
        try_case(winner == IN_CALL ? PROBE_GROUP : PROBE_GROUP_QUEUED, variant, sizes[i], &(struct probe_votes){0});
    }
}

static void ask_semantics(void)
{
    static const enum probe_variant kinds[] = {PROBE_VARIANT_PUT, PROBE_VARIANT_GET, PROBE_VARIANT_ACCUMULATE};
    int winners[COUNT(kinds)][SIZES];
    SINGLE(EPOCH, NONE, 0);
    for (int i = 0; i < COUNT(kinds); i++) try_sizes(PROBE_EPOCH, kinds[i], sizes, SIZES, winners[i]);
    if (winners[0][0] == NOWHERE) {
        /* Where puts wait nowhere: how far the origin runs ahead, and how much it copies. */
        static const int64_t epochs[] = {2, 3, 5, 9, 17, 33, 65}, rooms[] = {1024, 8192, 65536, 1 << 20, 4 << 20};
        SIZED(AHEAD, NONE, epochs);
        SIZED(BUFFER, PUT, rooms);
    }
    for (int i = 0; i < COUNT(kinds); i++) ask_posts(kinds[i], winners[i]);
    if (three_awake()) three_rest();
}

/* Whether a flush of all that asks its targets asks others, too. */
static void ask_flush(void)
{
    struct probe_votes votes;
    if (!try_case(PROBE_FLUSH_LATER, PROBE_VARIANT_PUT, 8, &votes) || probe_votes_winner(&votes) != 0 || !three_wake()) return;
    SINGLE(FLUSH_OTHERS, PUT, 8);
    three_rest();
}

static void ask_linger(void)
{
    double linger_s, error_s;
    int tries;
    if (!linger_measure(&linger_s, &error_s, &tries)) return;
    print_value("linger_s", linger_s);
    print_value("linger_error_s", error_s);
    print_value("linger_tries", tries);
}

static void ask_progress(void)
{
    SIZED(SERVED, PUT, few_sizes);
    if (helper_ran) series_run("put_flush_asleep", 8);
    SIZED(SERVED, GET, few_sizes);
    SIZED(SERVED, ACCUMULATE, few_sizes);
    SINGLE(SERVED, FETCH_AND_OP, 8);
    SINGLE(SERVED, COMPARE_AND_SWAP, 8);
    SINGLE(SERVED, GET_ACCUMULATE, 65536);
    SINGLE(COMPLETE, NONE, 0);
    SINGLE(COMPLETE, PUT, 8);
    SINGLE(COMPLETE, PUT, 8192);
    SINGLE(COMPLETE, PUT, 65536);
    SINGLE(COMPLETE, GET, 8);
    SINGLE(COMPLETE, ACCUMULATE, 8);
    SINGLE(COMPLETE, ACCUMULATE, 65536);
    ask_flush();
    SINGLE(VISIT, PUT, 8);
    ask_linger();
    SINGLE(ISSUE, PUT, 8);
    SINGLE(ISSUE, PUT, 16384);
    SINGLE(ISSUE, PUT, 1 << 20);
}

static void ask_locks(void)
{
    SINGLE(LOCK_HELD, PUT, 8);
    SINGLE(LOCK_ASLEEP, NONE, 0);
    SINGLE(UNLOCK_ASLEEP, NONE, 0);
    SINGLE(UNLOCK_ASLEEP, PUT, 8);
    SINGLE(RELOCK, NONE, 0);
    SINGLE(LOCK_ORDER, NONE, 0);
}

static void ask_fences(void)
{
    SINGLE(FENCE, NONE, 0);
    SINGLE(FENCE, NOPRECEDE, 0);
    SINGLE(FENCE, NOSUCCEED, 0);
    SINGLE(FENCE, BOTH, 0);
}

static void ask_messages(void)
{
    int64_t above = SIZED(SEND, NONE, message_sizes);
    if (above == 0) return;
    SINGLE(SEND_POSTED, NONE, above);
    SINGLE(SEND_LEFT, NONE, above);
    series_run("send", above);
    series_run("round_trip", above);
    if (above * 4 <= BYTES_MAX) series_run("round_trip", above * 4);
}

static void ask_times(void)
{
    static const char *const short_calls[] = {
        "ping_pong",        "put_flush",  "get_flush", "fetch_and_op_flush", "compare_and_swap_flush",
        "accumulate_flush", "lock",       "unlock",    "lock_unlock",        "put_unlock",
        "lock_all",         "unlock_all", "complete",  "complete_empty",     "start_to_wait_and_back"};
    static const int64_t call_sizes[] = {1024, 4096, 16384, 65536, 131072},
                         apply_sizes[] = {8192, 16384, 32768, 49152, 65536, 98304, 131072, 262144, 1048576};
    for (int i = 0; i < COUNT(short_calls); i++) series_run(short_calls[i], 8);
    series_run("barrier_train", 0);
    series_run("fence_train", 0);
    for (int i = 0; i < COUNT(call_sizes); i++) series_run("put_call", call_sizes[i]);
    series_run("put_flush_local", 65536);
    for (int i = 0; i < COUNT(apply_sizes); i++) {
        series_run("put_flush", apply_sizes[i]);
        series_run("accumulate_flush", apply_sizes[i]);
    }
    series_run("get_flush", 262144);
    series_run("opposed_puts", 262144);
    series_run("opposed_gets", 262144);
}

static void ask_windows(void)
{
    static const char *const calls[] = {"win_create", "win_allocate", "win_create_dynamic", "win_free"};
    for (int i = 0; i < COUNT(calls); i++) series_run(calls[i], 0);
}

static const struct {
    const char *name;
    void (*ask)(void);
} groups[] = {{"semantics", ask_semantics}, {"progress", ask_progress}, {"locks", ask_locks}, {"fences", ask_fences},
              {"messages", ask_messages}, {"times", ask_times}, {"windows", ask_windows}};

/* "all", or names joined by commas. */
static bool is_asked(const char *name, const char *list)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
    return strcmp(list, "all") == 0;
}

/* --- the two sides --- */

/* Prints the longest gap so far and the mean share. Returns the median of the gaps: one of several makes no loaded machine. */
static double note_noise(void)
{
    static double gaps_s[COUNT(groups) + 1], longest_s, shares;
    static size_t times;
    struct noise noise = noise_of_both();
    size_t at = times++;
    for (; at > 0 && gaps_s[at - 1] > noise.longest_s; at--) gaps_s[at] = gaps_s[at - 1];
    gaps_s[at] = noise.longest_s;
    longest_s = fmax(longest_s, noise.longest_s);
    shares += noise.share;
    print_value("gap_s", longest_s);
    print_value("lost_share", shares / (double)times);
    return gaps_s[(times - 1) / 2];
}

#define DELAY_S 3e-3
#define NEAR_S  1e-4 /* a round trip within a node */

/* The delay is far above the latency and above what others take of the cores. */
static void choose_delay(double round_trip_s)
{
    enum { ROUND_TRIPS = 3 };
    double noise_s = note_noise();
    settings.loaded = noise_s > 1e-3;
    settings.delay_s = settings.loaded ? fmin(fmax(0.02, 2 * noise_s), 0.08) : fmax(DELAY_S, ROUND_TRIPS * round_trip_s);
    settings.few = (settings.loaded || round_trip_s > NEAR_S) && !settings.thorough;
}

static double measure_round_trip(void)
{
    series_run("ping_pong", 8);
    double begin_s = now_s();
    clock_offset_of(PARTNER, 1);
    return (now_s() - begin_s) / CLOCK_ROUNDS;
}

static void act_as_origin(const char *list)
{
    double round_trip_s = measure_round_trip();
    choose_delay(round_trip_s);
    print_value("delay_s", settings.delay_s);
    series_run("put_flush", 8);
    for (int i = 0; i < COUNT(groups); i++) {
        if (!is_asked(groups[i].name, list)) continue;
        groups[i].ask();
        choose_delay(round_trip_s);
    }
    ask(PARTNER, &(struct step){.kind = STEP_END});
    if (trio != MPI_COMM_NULL) ask(THIRD, &(struct step){.kind = STEP_END});
}

static void act_as_partner(void)
{
    struct step step;
    for (;;) {
        MPI_Recv(&step, sizeof step, MPI_BYTE, ORIGIN, TAG_STEP, pair, MPI_STATUS_IGNORE);
        struct marks marks = {0};
        switch (step.kind) {
        case STEP_END: return;
        case STEP_CLOCK: clock_answer(); break;
        case STEP_NOISE: noise_answer(); break;
        case STEP_SERIES: series_partner(&step); break;
        case STEP_LINGER: linger_answer(&step); break;
        case STEP_WIDE: three_widen(); break;
        default:
            delay_partner(&step, &marks);
            report(&marks);
        }
    }
}

static void print_begin(int world)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING], host[2][256] = {{0}};
    int length;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    gethostname(host[0], sizeof host[0] - 1);
    MPI_Recv(host[1], sizeof host[1], MPI_BYTE, PARTNER, TAG_REPORT, pair, MPI_STATUS_IGNORE);
    printf("rmacast-probe begin 1 %s\nrmacast-probe hosts %s %s\n", library, host[0], host[1]);
    fflush(stdout);
    print_value("ranks", world);
}

/* Ranks that are not needed sleep, so that they leave the cores free. */
static void await_end(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int over = 0; !over;) {
        MPI_Test(&request, &over, MPI_STATUS_IGNORE);
        if (!over) sleep_until(now_s() + 0.02);
    }
}

static void run_pair(const char *list, const char *flavour, double init_s, int world)
{
    if (my_rank == ORIGIN) {
        print_begin(world);
        printf("rmacast-probe window %s\n", flavour);
        print_value("init_s", init_s);
        act_as_origin(list);
        printf("rmacast-probe end\n");
        fflush(stdout);
    } else {
        char host[256] = {0};
        gethostname(host, sizeof host - 1);
        MPI_Send(host, sizeof host, MPI_BYTE, ORIGIN, TAG_REPORT, pair);
        act_as_partner();
    }
    three_close();
    pair_close();
}

/* The rank's number: behind rank 0 come the ranks of other nodes, in their order, then those of rank 0's node. So the pair and a
 * third rank speak over the network, if there is one. */
static int number_of(int world_rank, int world)
{
    char own[256] = {0}, (*hosts)[sizeof own] = malloc((size_t)world * sizeof own);
    int number = 0;
    gethostname(own, sizeof own - 1);
    if (!hosts) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Allgather(own, sizeof own, MPI_CHAR, hosts, sizeof own, MPI_CHAR, MPI_COMM_WORLD);
    bool stays = strcmp(own, hosts[0]) == 0;
    for (int rank = 0; rank < world && world_rank > 0; rank++) {
        bool other_stays = strcmp(hosts[rank], hosts[0]) == 0;
        if (rank == 0 || (stays && !other_stays) || (stays == other_stays && rank < world_rank)) number++;
    }
    free(hosts);
    return number;
}

/* This file is compiled for each MPI library. The program for MPICH is started first. Under Open MPI's launcher it
 * executes the other one. */
static void become_the_right_one(char **argv)
{
#ifdef MPICH_VERSION
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
    if (!getenv("OMPI_COMM_WORLD_SIZE") || length <= 0) return;
    strcpy(path + length, "-openmpi");
    execv(path, argv);
    printf("rmacast-probe fail the launcher is Open MPI's, and %s, which is for it, cannot be run\n", path);
    fflush(stdout);
    _exit(1);
#else
    (void)argv;
#endif
}

int main(int argc, char **argv)
{
    int world_rank, world;
    become_the_right_one(argv);
    if (argc < 4) return 2;
    double begin_s = now_s();
    MPI_Init(&argc, &argv);
    double init_s = now_s() - begin_s;
    settings.ends_s = begin_s + strtod(argv[1], NULL);
    settings.thorough = argc > 4;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    if (world < 2) {
        printf("rmacast-probe fail %d rank, expected two: mpiexec -n 2\n", world);
        fflush(stdout);
        MPI_Finalize();
        return 1;
    }
    world_rank = number_of(world_rank, world);
    if (!pair_open(world_rank, world, argv[3])) {
        printf("rmacast-probe fail out of memory\n");
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (world_rank < 2) run_pair(argv[2], argv[3], init_s, world);
    if (world_rank == THIRD) {
        three_run();
        three_close();
    }
    await_end();
    begin_s = now_s();
    MPI_Finalize();
    if (world_rank == 0) print_value("finalize_s", now_s() - begin_s);
    return 0;
}
